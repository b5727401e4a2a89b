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
    const Word* bit_rows = nullptr;  // or rows of so many words each: column j in bit j % 64 of word j / 64
    std::size_t row_words = 0;
};

// What counts are taken of. A row of a class stands in that channel, with its weight. A row of a number stands in all
// channels: its weight in the first, and what losses of numbers need of it in the others (losses/sums.hpp).
struct Target {
    const std::uint8_t* classes = nullptr;       // 0 .. n_classes-1, one per row; or,
    const std::int32_t* wide_classes = nullptr;  // when a byte does not hold them; or
    const std::int32_t* sums = nullptr;  // for numbers: one per row in each channel, channel by channel
    std::size_t n_classes = 0;           // channels
    std::size_t n_rows = 0;              // of sums
    const std::int32_t* weights =
        nullptr;  // of classes, one per row; null: all 1. Their sum must be below 2^31.
    const std::int32_t* rows =
        nullptr;  // how many rows each stands for, if it has a weight; null: one. The same holds for their sum.

    std::size_t class_of(std::size_t row) const {
        return classes != nullptr ? classes[row] : static_cast<std::size_t>(wide_classes[row]);
    }
    Count weight_of(std::size_t row) const { return weights == nullptr ? 1 : weights[row]; }
    Count rows_of(std::size_t row) const { return rows == nullptr ? 1 : rows[row]; }
    bool is_weighted() const { return weights != nullptr || sums != nullptr; }

    // Calls visit(channel, weight) for every channel that the row stands in; at least the first, also with weight 0.
    template <class Visit>
    void for_channels_of(std::size_t row, const Visit& visit) const {
        if (sums == nullptr) return visit(class_of(row), weight_of(row));
        visit(std::size_t{0}, sums[row]);
        for (std::size_t c = 1; c < n_classes; ++c)
            if (sums[c * n_rows + row] > 0) visit(c, sums[c * n_rows + row]);
    }
};

struct Cell {
    std::size_t row;
    std::size_t column;
};

}  // namespace splitsecond
