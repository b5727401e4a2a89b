// From the user's table to packed rows.
//
// What:      reads 0/1 values of any numeric type, row-major, column-major, strided or sparse, and packs
//            them by class. Nothing is cast: the first value that is neither 0 nor 1 is reported.
// Columns:   constant columns and all but the first of equal or complementary ones are left out; they can
//            never be chosen (ties go to the lowest index), and the work grows with their square.
// Cost:      one pass over the table; about 20 operations a row and 64 columns for bytes in row order.
#pragma once

#include <optional>

#include "data/merged_table.hpp"
#include "data/packed_rows.hpp"
#include "data/table.hpp"
#include "runtime/limits.hpp"

namespace splitsecond {

// A cell that is neither 0 nor 1, if there is one.
std::optional<Cell> find_non_binary(const Kernels& kernels, const Table& table);

struct PackOptions {
    bool keep_equal = false;           // columns that are equal or complementary
    bool count_rows = false;           // in a channel of their own, where they have weights
    Merging merging = Merging::never;  // of equal rows, as what their weights add up to; where it may pay,
    std::size_t many_rows = 100000;    // of so many: fewer are searched before they are merged
    std::size_t n_threads = 1;
};

// Packs the table into `view`, all of whose features are distinct (unless keep_equal) and not constant. Returns a cell
// that is neither 0 nor 1, if there is one; then the view is of no use. Throws LimitReached.
std::optional<Cell> pack(const Kernels& kernels, const Table& table, const Target& target, Limits& limits,
                         View& view, const PackOptions& options = {});

// Throws std::invalid_argument for classes or weights out of range.
void check(const Table& table, const Target& target);

}  // namespace splitsecond
