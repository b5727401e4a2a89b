#include "data/merged_table.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>

#include "data/block_reader.hpp"
#include "data/row_groups.hpp"

namespace splitsecond {
namespace {

constexpr std::size_t kBlock = RowGroups::kRows;
// Rows are read in rounds, each a block in every so many: the first ones are from all over the table.
constexpr std::size_t kRoundBlocks = 128;
constexpr std::size_t kChunk = 64;  // blocks that a thread takes at a time
// Merging pays where this share of the rows is left, at most; and is worth a try where that seems possible.
constexpr double kMaxShare = 0.75, kMaxExpected = 0.6;

std::size_t rounds_of(std::size_t n_blocks) { return (n_blocks + kRoundBlocks - 1) / kRoundBlocks; }

// How many of n rows to expect to be different, given how many of the first are, and of the first half of these: their
// number grows as a power of the rows.
double expected(std::size_t different, std::size_t in_half, std::size_t rows, std::size_t n) {
    const double power =
        std::log2(static_cast<double>(different) / static_cast<double>(std::max<std::size_t>(in_half, 1)));
    return static_cast<double>(different) *
           std::pow(static_cast<double>(n) / static_cast<double>(rows), std::clamp(power, 0.0, 1.0));
}

}  // namespace

struct MergedTable::Entries {
    RowGroups groups;
    Buffer<std::int32_t> weights;
    Buffer<std::int32_t> counts;
    std::size_t n_rows = 0;          // that were added
    std::optional<Cell> not_binary;  // in the first row there is

    Entries(const Kernels& kernels, std::size_t row_words, std::size_t max_rows, Limits& limits)
        : groups(kernels, 64 * row_words, max_rows, limits), weights(limits), counts(limits) {}

    std::size_t size() const { return groups.size(); }

    // Of n <= kBlock rows. Those that are not counted have no counts.
    void add(const Word* rows, std::size_t n, const std::int32_t* weight, const std::int32_t* count) {
        std::uint32_t entry[kBlock];
        const std::size_t before = groups.size();
        groups.add_rows(rows, n, entry);
        add_to(weights, before, n, entry, weight);
        if (count != nullptr) add_to(counts, before, n, entry, count);
        n_rows += n;
    }
    void refuse(const Cell& cell) {
        if (!not_binary || cell.row < not_binary->row) not_binary = cell;
    }

private:
    void add_to(Buffer<std::int32_t>& sums, std::size_t before, std::size_t n, const std::uint32_t* entry,
                const std::int32_t* values) const {
        sums.grow(groups.size(), before);
        std::fill(sums.data() + before, sums.data() + groups.size(), 0);
        for (std::size_t r = 0; r < n; ++r) sums[entry[r]] += values[r];
    }
};

MergedTable::MergedTable(const Table& table, const Target& target, bool counts_rows, Limits& limits)
    : table_(table),
      target_(target),
      counts_rows_(counts_rows && target.is_weighted()),
      limits_(limits),
      n_blocks_((table.n_rows + kBlock - 1) / kBlock),
      rows_(limits),
      classes_(limits),
      weights_(limits),
      counts_(limits) {
    const std::size_t used = table.n_columns % 64;
    const bool fits = used > 0 && used + std::bit_width(target.n_classes) <= 64;
    class_word_ = table.n_columns / 64 + (fits || used == 0 ? 0 : 1);
    class_shift_ = fits ? static_cast<int>(used) : 0;
    row_words_ = class_word_ + 1;
}

bool MergedTable::merge(const Kernels& kernels, Merging merging, Workers& workers) {
    if (merging == Merging::never || target_.sums != nullptr || table_.n_rows == 0) return false;
    if (merging == Merging::when_it_pays && !has_room(workers.count())) return false;
    std::vector<Entries> parts = empty_entries(kernels, workers.count());
    if (!read_all(kernels, merging, workers, parts)) return false;
    std::size_t n_rows = 0;
    for (const Entries& part : parts) {
        n_rows += part.n_rows;
        if (part.not_binary && (!not_binary_ || part.not_binary->row < not_binary_->row))
            not_binary_ = part.not_binary;
    }
    if (not_binary_) return false;
    if (parts.size() > 1) parts = joined(kernels, parts, workers);
    copy(parts, workers);
    return merging == Merging::always || saves_enough(n_rows);
}

std::vector<MergedTable::Entries> MergedTable::empty_entries(const Kernels& kernels, std::size_t n) const {
    std::vector<Entries> entries;
    entries.reserve(n);
    for (std::size_t i = 0; i < n; ++i) entries.emplace_back(kernels, row_words_, table_.n_rows, limits_);
    return entries;
}

// Whether the rows fit, should all be different: as they are read, joined and copied.
bool MergedTable::has_room(std::size_t n_threads) const {
    const std::size_t sums = 2 * (counts_rows_ ? 2 : 1) * sizeof(std::int32_t);
    const std::size_t once = RowGroups::max_bytes(64 * row_words_, table_.n_rows) + table_.n_rows * sums;
    return limits_.has_room((n_threads > 1 ? 6 : 4) * once + (n_threads << 17));
}

std::size_t MergedTable::block_at(std::size_t place) const {
    const std::size_t rounds = rounds_of(n_blocks_);
    // The first rounds have one block more where they do not come out even.
    const std::size_t whole = n_blocks_ / rounds, longer = n_blocks_ % rounds;
    if (place < longer * (whole + 1)) return place % (whole + 1) * rounds + place / (whole + 1);
    const std::size_t left = place - longer * (whole + 1);
    return left % whole * rounds + longer + left / whole;
}

// The blocks at some places of the order in which they are read.
void MergedTable::read(const Kernels& kernels, std::size_t begin, std::size_t end, Entries& entries) const {
    const BlockReader reader(kernels, table_);
    Buffer<Word> columns(limits_), words(limits_);
    columns.resize(table_.n_columns);
    words.resize(kBlock * row_words_);
    std::size_t rows[kBlock];
    std::int32_t weights[kBlock], counts[kBlock];
    for (std::size_t place = begin; place < end; ++place) {
        const std::size_t first = block_at(place) * kBlock, n = std::min(kBlock, table_.n_rows - first);
        for (std::size_t r = 0; r < n; ++r) rows[r] = first + r;
        if (const auto bad = reader.read(rows, n, columns.data())) {
            entries.refuse(*bad);
            continue;
        }
        words.fill(0);
        rows_of_columns(kernels, columns.data(), table_.n_columns, words.data(), row_words_);
        std::size_t there = 0;
        for (std::size_t r = 0; r < n; ++r) {
            const Count weight = target_.weight_of(first + r);
            if (weight == 0) continue;
            Word* row = words.data() + there * row_words_;
            if (there != r) std::copy_n(words.data() + r * row_words_, row_words_, row);
            row[class_word_] |= static_cast<Word>(target_.class_of(first + r)) << class_shift_;
            weights[there] = weight;
            counts[there++] = target_.rows_of(first + r);
        }
        entries.add(words.data(), there, weights, counts_rows_ ? counts : nullptr);
    }
}

bool MergedTable::read_all(const Kernels& kernels, Merging merging, Workers& workers,
                           std::vector<Entries>& parts) const {
    std::size_t done = 0;
    if (merging == Merging::when_it_pays) {
        Entries& first = parts[0];
        read(kernels, 0, kRoundBlocks, first);
        const std::size_t in_half = first.size();
        done = 2 * kRoundBlocks;
        read(kernels, kRoundBlocks, done, first);
        const std::size_t n = first.n_rows * n_blocks_ / done;
        if (expected(first.size(), in_half, first.n_rows, n) > kMaxExpected * static_cast<double>(n))
            return false;
    }
    const std::size_t n_chunks = (n_blocks_ - done + kChunk - 1) / kChunk;
    workers.run(n_chunks, [&](std::size_t chunk, std::size_t worker) {
        const std::size_t begin = done + chunk * kChunk;
        if (limits_.stop()) return;
        limits_.completes([&] { read(kernels, begin, std::min(n_blocks_, begin + kChunk), parts[worker]); });
    });
    if (limits_.stopped()) throw LimitReached{};
    return true;
}

// What threads have read, once: each thread now has the rows of some hashes.
std::vector<MergedTable::Entries> MergedTable::joined(const Kernels& kernels,
                                                      const std::vector<Entries>& parts,
                                                      Workers& workers) const {
    std::vector<Entries> whole = empty_entries(kernels, parts.size());
    workers.run(parts.size(), [&](std::size_t share, std::size_t) {
        if (limits_.stop()) return;
        limits_.completes([&] {
            Buffer<Word> rows(limits_);
            rows.resize(kBlock * row_words_);
            std::int32_t weights[kBlock], counts[kBlock];
            std::size_t n = 0;
            const auto add = [&] {
                whole[share].add(rows.data(), n, weights, counts_rows_ ? counts : nullptr);
                n = 0;
            };
            for (const Entries& part : parts)
                for (std::size_t i = 0; i < part.size(); ++i) {
                    const Word* row = part.groups.row(i);
                    if ((part.groups.hash_of(row) >> 48) * parts.size() >> 16 != share) continue;
                    std::copy_n(row, row_words_, rows.data() + n * row_words_);
                    weights[n] = part.weights[i];
                    if (counts_rows_) counts[n] = part.counts[i];
                    if (++n == kBlock) add();
                }
            add();
        });
    });
    if (limits_.stopped()) throw LimitReached{};
    return whole;
}

void MergedTable::copy(const std::vector<Entries>& parts, Workers& workers) {
    std::vector<std::size_t> begin{0};
    for (const Entries& part : parts) begin.push_back(begin.back() + part.size());
    rows_.resize(begin.back() * row_words_);
    classes_.resize(begin.back());
    weights_.resize(begin.back());
    if (counts_rows_) counts_.resize(begin.back());
    const Word mask = (Word{1} << std::bit_width(target_.n_classes)) - 1;
    workers.run(parts.size(), [&](std::size_t p, std::size_t) {
        const Entries& part = parts[p];
        for (std::size_t i = 0; i < part.size(); ++i) {
            const std::size_t to = begin[p] + i;
            const Word* row = part.groups.row(i);
            std::copy_n(row, row_words_, rows_.data() + to * row_words_);
            classes_[to] = static_cast<std::int32_t>(row[class_word_] >> class_shift_ & mask);
            weights_[to] = part.weights[i];
            if (counts_rows_) counts_[to] = part.counts[i];
        }
    });
}

// At most so many rows are stored, as one for each bit of a weight (run_plan.hpp).
bool MergedTable::saves_enough(std::size_t n_rows) const {
    std::size_t stored = 0;
    for (const Buffer<std::int32_t>* sums : {&weights_, &counts_})
        for (std::size_t i = 0; i < sums->size(); ++i)
            stored += static_cast<std::size_t>(std::popcount(static_cast<std::uint32_t>((*sums)[i])));
    if (counts_rows_) n_rows *= 2;
    return static_cast<double>(stored) <= kMaxShare * static_cast<double>(n_rows);
}

void MergedTable::clear() {
    rows_.free();
    for (Buffer<std::int32_t>* each : {&classes_, &weights_, &counts_}) each->free();
}

Table MergedTable::table() const {
    Table table;
    table.n_rows = classes_.size();
    table.n_columns = table_.n_columns;
    table.bit_rows = rows_.data();
    table.row_words = row_words_;
    return table;
}

Target MergedTable::target() const {
    Target target;
    target.wide_classes = classes_.data();
    target.n_classes = target_.n_classes;
    target.weights = weights_.data();
    target.rows = counts_rows_ ? counts_.data() : nullptr;
    return target;
}

}  // namespace splitsecond
