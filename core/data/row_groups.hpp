// Rows in groups of equal columns.
//
// What:      rows come in as 64 bits of every column, or as words of their own, and each is given the number of its group.
//            Groups are numbered by first appearance.
// Exact:     a hash says where to look; the rows themselves are compared.
// Cost:      a transpose, a hash and a look at one row or two for each; memory for the different rows alone.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "kernels/kernels.hpp"
#include "runtime/buffer.hpp"

namespace splitsecond {

// Row r's columns at rows[r * step], of kRows rows.
void rows_of_columns(const Kernels& kernels, const Word* columns, std::size_t n_columns, Word* rows,
                     std::size_t step);
// The other way, of n rows; the bits behind the last are zero.
void columns_of_rows(const Kernels& kernels, const Word* rows, std::size_t step, std::size_t n,
                     std::size_t n_columns, Word* columns);

class RowGroups {
public:
    static constexpr std::size_t kRows = 64;  // added together

    // For so many rows at most.
    RowGroups(const Kernels& kernels, std::size_t n_columns, std::size_t n_rows, Limits& limits);

    // At most, for all rows.
    static std::size_t max_bytes(std::size_t n_columns, std::size_t n_rows);

    // columns[j] has column j of n <= kRows rows; groups[r] gets the number of row r's group. Throws LimitReached when
    // memory runs out.
    void add(const Word* columns, std::size_t n, std::uint32_t* groups);
    // The same with rows one after the other, column j in bit j % 64 of word j / 64.
    void add_rows(const Word* rows, std::size_t n, std::uint32_t* groups);

    std::size_t size() const { return n_groups_; }
    std::size_t n_words() const { return n_words_; }
    // Of a group; up to the next multiple of kRows, the rows of groups follow each other.
    const Word* row(std::size_t group) const;
    // Equal for equal rows; its high bits differ as its low ones do.
    Word hash_of(const Word* row) const;

    // The other way: columns[j] gets column j of groups begin .. begin + 63, zeros behind the last.
    void columns_of(std::size_t begin, Word* columns);

private:
    std::uint32_t group_of(const Word* row, Word hash);
    bool is_equal(const Word* a, const Word* b) const;
    void keep(const Word* row);
    void grow();

    const Kernels& kernels_;
    Limits& limits_;
    const std::size_t n_columns_;
    const std::size_t n_words_;  // of a row
    const std::size_t max_rows_;
    Buffer<Word> rows_;                // being added
    std::vector<Buffer<Word>> pages_;  // the different rows, in pages that double: none is moved
    Buffer<std::uint32_t> slots_;      // open addressing: the group of a hash
    std::size_t n_groups_ = 0;
};

}  // namespace splitsecond
