// A table of any size as counts: each pattern of 0/1 columns once for each key that it occurs with, and sums over its
// rows.
//
// What:      blocks of rows are added one after the other; counts of the same columns are merged. A key is what must not
//            be mixed besides the columns, as a class. The result is the same whatever the blocks, and their order.
// Exact:     a hash says where to look, the rows themselves are compared; a sum that overflows is an error.
// Cost:      about 20 ns a row of 64 columns where patterns repeat; memory for the different ones alone.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "data/row_groups.hpp"
#include "kernels/kernels.hpp"
#include "runtime/buffer.hpp"

namespace splitsecond {

// In the order of the words of patterns, the first word first, and of keys where these are equal.
struct Patterns {
    std::size_t n_columns = 0;
    std::size_t n_sums = 0;
    std::vector<Word> columns;       // one after the other, each n_words()
    std::vector<std::int32_t> keys;  // of each entry
    std::vector<std::int64_t> sums;  // of each entry, one sum after the other

    std::size_t n_entries() const { return keys.size(); }
    std::size_t n_words() const { return (keys.size() + 63) / 64; }
};

class PatternCounts {
public:
    PatternCounts(const Kernels& kernels, std::size_t n_columns, std::size_t n_sums, Limits& limits);

    // columns[j] has bits of rows, 64 a word. Rows of a negative key are left out. sums[s] has what is added up; null: 1
    // a row. Throws LimitReached, or std::overflow_error; then the counts are of no use any more, which every later call
    // says by a std::logic_error.
    void add(const Word* const* columns, std::size_t n_rows, const std::int32_t* keys,
             const std::int64_t* const* sums);
    // Throws the same.
    void merge(const PatternCounts& other);

    std::size_t n_columns() const { return n_columns_; }
    std::size_t n_sums() const { return n_sums_; }
    std::size_t n_entries() const { return groups_.size(); }
    Patterns result() const;

private:
    // Of n <= RowGroups::kRows rows with their keys, for which there are sums then.
    void find(const Word* rows, std::size_t n, std::uint32_t* entries);
    static void add_to(std::int64_t& sum, std::int64_t value);
    Buffer<std::uint32_t> in_order() const;
    void check_whole() const;

    const Kernels& kernels_;
    Limits& limits_;
    const std::size_t n_columns_;
    const std::size_t n_sums_;
    RowGroups groups_;           // the key is a row's last word
    Buffer<std::int64_t> sums_;  // [entry][sum]
    bool is_whole_ = true;       // false: a call ended halfway
};

}  // namespace splitsecond
