// The user's table as it comes in: columns of any numeric type, or sparse rows; and the target of its rows.
//
// Invariant: nothing is owned: whoever makes a Table or Target keeps its arrays alive.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "types.hpp"

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

}  // namespace splitsecond
