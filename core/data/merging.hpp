// A table with each of its different rows once.
//
// What:      the group of rows with equal columns that each row belongs to, and the columns of the groups as bits: for
//            losses that depend on sums over rows alone, which can be taken of a group beforehand.
// Cost:      one pass over the table, some 20 ns a row of 64 columns; memory for the different rows alone, twice while
//            it lasts.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "data/table.hpp"
#include "kernels/kernels.hpp"
#include "runtime/limits.hpp"

namespace splitsecond {

struct MergedRows {
    std::optional<Cell> not_binary;  // set: the table has a value that is neither 0 nor 1; the rest is empty
    Status status = Status::complete;  // not: the rest is empty
    std::size_t n_columns = 0;         // of the table; constant and equal ones as well
    std::vector<std::int32_t> group;   // of each row, numbered by first appearance
    std::vector<std::int32_t> first;   // row of each group
    std::vector<Word> columns;         // of the groups, one after the other, each n_words()

    std::size_t n_groups() const { return first.size(); }
    std::size_t n_words() const { return (first.size() + 63) / 64; }
};

// Throws std::invalid_argument for 2^31 rows or more.
MergedRows merge_rows(const Kernels& kernels, const Table& table, Limits& limits);

}  // namespace splitsecond
