#include "data/row_groups.hpp"

#include <algorithm>
#include <bit>
#include <utility>

#if defined(__GNUC__)
#define SPLITSECOND_PREFETCH(address) __builtin_prefetch(address)
#else
#define SPLITSECOND_PREFETCH(address) static_cast<void>(address)
#endif

namespace splitsecond {
namespace {

constexpr std::uint32_t kEmpty = ~std::uint32_t{0};
constexpr std::size_t kFirstSlots = 4096;
constexpr std::size_t kFirstPage = 256;  // rows

std::size_t words_of(std::size_t n_columns) { return (n_columns + 63) / 64; }

// Page p has kFirstPage << p rows. Without a branch, which would go either way.
std::size_t page_of(std::size_t row) {
    return static_cast<std::size_t>(std::bit_width((row + kFirstPage) | 1) - std::bit_width(kFirstPage));
}
std::size_t page_begin(std::size_t page) { return (kFirstPage << page) - kFirstPage; }

}  // namespace

void rows_of_columns(const Kernels& kernels, const Word* columns, std::size_t n_columns, Word* rows,
                     std::size_t step) {
    for (std::size_t word = 0; word < words_of(n_columns); ++word) {
        Word block[64] = {};
        std::copy_n(columns + word * 64, std::min<std::size_t>(64, n_columns - word * 64), block);
        kernels.transpose(block);
        for (std::size_t r = 0; r < 64; ++r) rows[r * step + word] = block[r];
    }
}

void columns_of_rows(const Kernels& kernels, const Word* rows, std::size_t step, std::size_t n,
                     std::size_t n_columns, Word* columns) {
    for (std::size_t word = 0; word < words_of(n_columns); ++word) {
        Word block[64] = {};
        for (std::size_t r = 0; r < n; ++r) block[r] = rows[r * step + word];
        kernels.transpose(block);
        std::copy_n(block, std::min<std::size_t>(64, n_columns - word * 64), columns + word * 64);
    }
}

RowGroups::RowGroups(const Kernels& kernels, std::size_t n_columns, std::size_t n_rows, Limits& limits)
    : kernels_(kernels),
      limits_(limits),
      n_columns_(n_columns),
      n_words_(words_of(n_columns)),
      max_rows_(n_rows),
      rows_(limits),
      slots_(limits) {
    rows_.resize(kRows * n_words_);
    slots_.resize(kFirstSlots);
    slots_.fill(kEmpty);
}

std::size_t RowGroups::max_bytes(std::size_t n_columns, std::size_t n_rows) {
    const std::size_t slots = std::max(kFirstSlots, std::bit_ceil(2 * n_rows + 2));
    return (n_rows + kRows) * words_of(n_columns) * sizeof(Word) +
           (slots + slots / 2) * sizeof(std::uint32_t);
}

void RowGroups::add(const Word* columns, std::size_t n, std::uint32_t* groups) {
    rows_of_columns(kernels_, columns, n_columns_, rows_.data(), n_words_);
    add_rows(rows_.data(), n, groups);
}

void RowGroups::add_rows(const Word* rows, std::size_t n, std::uint32_t* groups) {
    // What a lookup needs is fetched for all rows before the first: large tables are not in the cache.
    Word hashes[kRows];
    for (std::size_t r = 0; r < n; ++r) {
        hashes[r] = hash_of(rows + r * n_words_);
        SPLITSECOND_PREFETCH(&slots_[hashes[r] & (slots_.size() - 1)]);
    }
    for (std::size_t r = 0; r < n; ++r) {
        const std::uint32_t group = slots_[hashes[r] & (slots_.size() - 1)];
        if (group != kEmpty) SPLITSECOND_PREFETCH(row(group));
    }
    for (std::size_t r = 0; r < n; ++r) groups[r] = group_of(rows + r * n_words_, hashes[r]);
}

void RowGroups::columns_of(std::size_t begin, Word* columns) {
    if (n_words_ == 0) return;
    columns_of_rows(kernels_, row(begin), n_words_, std::min(kRows, n_groups_ - begin), n_columns_, columns);
}

Word RowGroups::hash_of(const Word* row) const {
    Word hash = 0;
    for (std::size_t word = 0; word < n_words_; ++word) {
        hash = (hash ^ row[word]) * 0x9E3779B97F4A7C15u;
        hash ^= hash >> 32;
    }
    return hash;
}

// Rows are short, and mostly equal: no branch before the last word.
bool RowGroups::is_equal(const Word* a, const Word* b) const {
    Word differ = 0;
    for (std::size_t word = 0; word < n_words_; ++word) differ |= a[word] ^ b[word];
    return differ == 0;
}

std::uint32_t RowGroups::group_of(const Word* row, Word hash) {
    const std::size_t mask = slots_.size() - 1;
    std::size_t slot = hash & mask;
    for (; slots_[slot] != kEmpty; slot = (slot + 1) & mask)
        if (is_equal(row, this->row(slots_[slot]))) return slots_[slot];
    keep(row);
    const auto group = static_cast<std::uint32_t>(n_groups_++);
    slots_[slot] = group;
    if (2 * n_groups_ >= slots_.size()) grow();
    return group;
}

const Word* RowGroups::row(std::size_t group) const {
    const std::size_t page = page_of(group);
    return pages_[page].data() + (group - page_begin(page)) * n_words_;
}

void RowGroups::keep(const Word* row) {
    const std::size_t page = page_of(n_groups_), begin = page_begin(page);
    if (page == pages_.size()) {
        pages_.emplace_back(limits_);
        pages_.back().resize((std::min(page_begin(page + 1), max_rows_) - begin) * n_words_);
    }
    std::copy_n(row, n_words_, pages_[page].data() + (n_groups_ - begin) * n_words_);
}

void RowGroups::grow() {
    const std::size_t size = 2 * slots_.size(), mask = size - 1;
    slots_.resize(size);  // its contents are in the rows
    slots_.fill(kEmpty);
    for (std::size_t group = 0; group < n_groups_; ++group) {
        std::size_t slot = hash_of(row(group)) & mask;
        while (slots_[slot] != kEmpty) slot = (slot + 1) & mask;
        slots_[slot] = static_cast<std::uint32_t>(group);
    }
}

}  // namespace splitsecond
