// From the user's table to packed rows.
//
// What:      reads 0/1 values of any numeric type, row-major, column-major, strided or sparse, and packs
//            them by class. Nothing is cast: the first value that is neither 0 nor 1 is reported.
// Columns:   constant columns and all but the first of equal or complementary ones are left out; they can
//            never be chosen (ties go to the lowest index), and the work grows with their square.
// Cost:      one pass over the table; about 20 operations a row and 64 columns for bytes in row order.
#pragma once

#include <optional>

#include "data/packed_rows.hpp"
#include "data/table.hpp"
#include "runtime/limits.hpp"

namespace splitsecond {

// A cell that is neither 0 nor 1, if there is one.
std::optional<Cell> find_non_binary(const Kernels& kernels, const Table& table);

// Packs the table into `view`, all of whose features are distinct (unless keep_equal) and not constant; count_rows:
// with a channel of rows, where these have weights. Returns a cell that is neither 0 nor 1, if there is one; then, or
// when stopped, the view is of no use.
std::optional<Cell> pack(const Kernels& kernels, const Table& table, const Target& target, Limits& limits,
                         View& view, bool keep_equal = false, bool count_rows = false);

// Throws std::invalid_argument for classes or weights out of range.
void check(const Table& table, const Target& target);

}  // namespace splitsecond
