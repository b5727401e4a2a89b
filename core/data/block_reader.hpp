// Reads a table 64 rows at a time: one word for each column.
//
// What:      values of any numeric type, row-major, column-major, strided, packed bits (of columns or
//            rows) or sparse. Nothing is cast: the
//            first value that is neither 0 nor 1 is reported.
// Cost:      about 20 operations a row and 64 columns for bytes in row order, fewer for bits; a few operations a value
//            otherwise.
#pragma once

#include <cstddef>
#include <optional>

#include "data/table.hpp"
#include "kernels/kernels.hpp"

namespace splitsecond {

class BlockReader {
public:
    static constexpr std::size_t kRows = 64;  // read together: one word of every column

    BlockReader(const Kernels& kernels, const Table& table);

    // out[j] gets column j of at most kRows rows, which ascend, row rows[r] in bit r. Returns a cell that is not 0 or 1.
    std::optional<Cell> read(const std::size_t* rows, std::size_t n, Word* out) const;

private:
    std::optional<Cell> read_bytes(const std::size_t* rows, std::size_t n, Word* out) const;
    std::optional<Cell> find_in_bytes(const std::size_t* rows, std::size_t n) const;
    std::optional<Cell> read_columns(const std::size_t* rows, std::size_t n, Word* out) const;
    void read_bit_columns(std::size_t begin, std::size_t end, const std::size_t* rows, std::size_t n,
                          Word* out) const;
    void read_bit_rows(const std::size_t* rows, std::size_t n, Word* out) const;
    std::optional<Cell> read_sparse(const std::size_t* rows, std::size_t n, Word* out) const;

    const Kernels& kernels_;
    const Table& table_;
    const bool by_rows_;  // bytes side by side in each row
};

}  // namespace splitsecond
