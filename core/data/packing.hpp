// From the user's table to packed rows.
//
// What:      reads 0/1 values of any numeric type, row-major, column-major, strided or sparse, and packs
//            them by class. Nothing is cast: the first value that is neither 0 nor 1 is reported.
// Columns:   constant columns and all but the first of equal or complementary ones are left out; they can
//            never be chosen (ties go to the lowest index), and the work grows with their square.
// Cost:      one pass over the table; about 20 operations a row and 64 columns for bytes in row order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "data/packed_rows.hpp"
#include "runtime/limits.hpp"

namespace splitsecond {

// bits: words of 64 rows each, the first in the lowest bit.
enum class Type { u8, i8, u16, i16, u32, i32, u64, i64, f32, f64, bits };

struct Column {  // one column of a dense table
    const void* data;
    Type type;
    std::ptrdiff_t stride;  // bytes from row to row; bits have none
};

struct Table {
    std::size_t n_rows = 0;
    std::size_t n_columns = 0;
    std::vector<Column> dense;                // one per column, or
    const std::int64_t* row_begin = nullptr;  // the places of the ones, by row (compressed sparse rows)
    const std::int32_t* ones = nullptr;
};

struct Target {
    const std::uint8_t* classes = nullptr;       // 0 .. n_classes-1, one per row; or,
    const std::int32_t* wide_classes = nullptr;  // when a byte does not hold them
    std::size_t n_classes = 0;
    const std::int32_t* weights = nullptr;  // one per row; null: all 1. Their sum must be below 2^31.

    std::size_t class_of(std::size_t row) const {
        return classes != nullptr ? classes[row] : static_cast<std::size_t>(wide_classes[row]);
    }
    Count weight_of(std::size_t row) const { return weights == nullptr ? 1 : weights[row]; }
};

struct Cell {
    std::size_t row;
    std::size_t column;
};

// A cell that is neither 0 nor 1, if there is one.
std::optional<Cell> find_non_binary(const Kernels& kernels, const Table& table);

// Packs the table into `view`, all of whose features are distinct (unless keep_equal) and not constant.
// Returns a cell that is neither 0 nor 1, if there is one; then, or when stopped, the view is of no use.
std::optional<Cell> pack(const Kernels& kernels, const Table& table, const Target& target, Limits& limits,
                         View& view, bool keep_equal = false);

// Throws std::invalid_argument for classes or weights out of range.
void check(const Table& table, const Target& target);

}  // namespace splitsecond
