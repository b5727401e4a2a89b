#include "data/pattern_counts.hpp"

#include <algorithm>
#include <limits>
#include <stdexcept>
#include <utility>

namespace splitsecond {
namespace {

constexpr std::size_t kBlock = RowGroups::kRows;
constexpr std::size_t kMaxEntries = std::numeric_limits<std::int32_t>::max();

std::size_t words_of(std::size_t n_columns) { return (n_columns + 63) / 64; }

}  // namespace

PatternCounts::PatternCounts(const Kernels& kernels, std::size_t n_columns, std::size_t n_sums,
                             Limits& limits)
    : kernels_(kernels),
      limits_(limits),
      n_columns_(n_columns),
      n_sums_(n_sums),
      groups_(kernels, 64 * (words_of(n_columns) + 1), kMaxEntries, limits),
      sums_(limits) {}

void PatternCounts::add(const Word* const* columns, std::size_t n_rows, const std::int32_t* keys,
                        const std::int64_t* const* sums) {
    check_whole();
    is_whole_ = false;
    const std::size_t n_words = groups_.n_words();
    Buffer<Word> block(limits_), rows(limits_);
    block.resize(n_columns_);
    rows.resize(kBlock * n_words);
    std::uint32_t entries[kBlock];
    std::size_t places[kBlock];  // of the rows that count
    for (std::size_t begin = 0; begin < n_rows; begin += kBlock) {
        for (std::size_t j = 0; j < n_columns_; ++j) block[j] = columns[j][begin / kBlock];
        rows_of_columns(kernels_, block.data(), n_columns_, rows.data(), n_words);
        std::size_t n = 0;
        for (std::size_t i = begin; i < std::min(n_rows, begin + kBlock); ++i) {
            if (keys[i] < 0) continue;
            Word* row = rows.data() + n * n_words;
            if (n != i - begin) std::copy_n(rows.data() + (i - begin) * n_words, n_words, row);
            row[n_words - 1] = static_cast<Word>(keys[i]);
            places[n++] = i;
        }
        find(rows.data(), n, entries);
        for (std::size_t s = 0; s < n_sums_; ++s)
            for (std::size_t r = 0; r < n; ++r)
                add_to(sums_[entries[r] * n_sums_ + s], sums[s] == nullptr ? 1 : sums[s][places[r]]);
    }
    is_whole_ = true;
}

void PatternCounts::merge(const PatternCounts& other) {
    check_whole();
    other.check_whole();
    if (other.n_columns_ != n_columns_ || other.n_sums_ != n_sums_)
        throw std::invalid_argument("counts of other columns or sums cannot be merged.");
    if (&other == this) throw std::invalid_argument("counts cannot be merged into themselves.");
    is_whole_ = false;
    std::uint32_t entries[kBlock];
    for (std::size_t begin = 0; begin < other.n_entries(); begin += kBlock) {
        const std::size_t n = std::min(kBlock, other.n_entries() - begin);
        find(other.groups_.row(begin), n, entries);
        for (std::size_t r = 0; r < n; ++r)
            for (std::size_t s = 0; s < n_sums_; ++s)
                add_to(sums_[entries[r] * n_sums_ + s], other.sums_[(begin + r) * n_sums_ + s]);
    }
    is_whole_ = true;
}

Patterns PatternCounts::result() const {
    check_whole();
    const Buffer<std::uint32_t> order = in_order();
    const std::size_t n_entries = order.size(), n_words = groups_.n_words();
    Patterns patterns;
    patterns.n_columns = n_columns_;
    patterns.n_sums = n_sums_;
    const std::size_t packed = (n_entries + 63) / 64;
    // Handed out when it is made.
    const std::size_t bytes = n_columns_ * packed * sizeof(Word) + n_entries * sizeof(std::int32_t) +
                              n_entries * n_sums_ * sizeof(std::int64_t);
    limits_.charge(bytes);
    limits_.release(bytes);
    patterns.columns.resize(n_columns_ * packed);
    patterns.keys.resize(n_entries);
    patterns.sums.resize(n_entries * n_sums_);

    Buffer<Word> block(limits_), rows(limits_);
    block.resize(n_columns_);
    rows.resize(kBlock * n_words);
    for (std::size_t begin = 0; begin < n_entries; begin += kBlock) {
        const std::size_t n = std::min(kBlock, n_entries - begin);
        for (std::size_t r = 0; r < n; ++r) {
            const std::size_t entry = order[begin + r];
            std::copy_n(groups_.row(entry), n_words, rows.data() + r * n_words);
            patterns.keys[begin + r] = static_cast<std::int32_t>(rows[(r + 1) * n_words - 1]);
            for (std::size_t s = 0; s < n_sums_; ++s)
                patterns.sums[s * n_entries + begin + r] = sums_[entry * n_sums_ + s];
        }
        columns_of_rows(kernels_, rows.data(), n_words, n, n_columns_, block.data());
        for (std::size_t j = 0; j < n_columns_; ++j) patterns.columns[j * packed + begin / kBlock] = block[j];
    }
    return patterns;
}

void PatternCounts::find(const Word* rows, std::size_t n, std::uint32_t* entries) {
    const std::size_t before = groups_.size();
    if (before + n > kMaxEntries)
        throw std::length_error("there are 2^31 different patterns or more: ask fewer questions.");
    groups_.add_rows(rows, n, entries);
    const std::size_t wanted = groups_.size() * n_sums_;
    sums_.grow(wanted, before * n_sums_);
    std::fill(sums_.data() + before * n_sums_, sums_.data() + wanted, std::int64_t{0});
}

// By all words; mostly the first one tells, and need not be looked up.
Buffer<std::uint32_t> PatternCounts::in_order() const {
    struct Entry {
        Word first;
        std::uint32_t entry;
    };
    const std::size_t n_words = groups_.n_words();
    Buffer<Entry> entries(limits_);
    entries.resize(n_entries());
    for (std::uint32_t i = 0; i < entries.size(); ++i) entries[i] = {groups_.row(i)[0], i};
    std::sort(entries.data(), entries.data() + entries.size(), [&](const Entry& a, const Entry& b) {
        if (a.first != b.first) return a.first < b.first;
        const Word *row_a = groups_.row(a.entry), *row_b = groups_.row(b.entry);
        return std::lexicographical_compare(row_a, row_a + n_words, row_b, row_b + n_words);
    });
    Buffer<std::uint32_t> order(limits_);
    order.resize(entries.size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = entries[i].entry;
    return order;
}

void PatternCounts::add_to(std::int64_t& sum, std::int64_t value) {
    using Limit = std::numeric_limits<std::int64_t>;
    if (value > 0 ? sum > Limit::max() - value : sum < Limit::min() - value)
        throw std::overflow_error("a sum is 2^63 or more.");
    sum += value;
}

void PatternCounts::check_whole() const {
    if (!is_whole_)
        throw std::logic_error("these counts were not completed: memory ran out, or a sum was too large.");
}

}  // namespace splitsecond
