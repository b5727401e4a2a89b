#include "data/block_reader.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

#include "data/column_types.hpp"

namespace splitsecond {
namespace {

bool is_bytes_in_rows(const Table& table) {
    if (std::endian::native != std::endian::little) return false;
    for (std::size_t j = 0; j < table.dense.size(); ++j) {
        const Column& column = table.dense[j];
        const auto* expected = static_cast<const std::uint8_t*>(table.dense[0].data) + j;
        if (column.type != Type::u8 || column.data != expected || column.stride != table.dense[0].stride)
            return false;
    }
    return !table.dense.empty();
}

// Which rows to take, by words of 64: their places in a column of bits, and a mask for each.
struct TakenRows {
    std::size_t n_words = 0;
    std::size_t places[BlockReader::kRows];
    Word masks[BlockReader::kRows];

    TakenRows(const std::size_t* rows, std::size_t n) {  // that ascend
        for (std::size_t r = 0; r < n; ++r) {
            const std::size_t place = rows[r] / 64;
            if (n_words == 0 || places[n_words - 1] != place) {
                places[n_words] = place;
                masks[n_words++] = 0;
            }
            masks[n_words - 1] |= Word{1} << rows[r] % 64;
        }
    }
};

}  // namespace

BlockReader::BlockReader(const Kernels& kernels, const Table& table)
    : kernels_(kernels), table_(table), by_rows_(is_bytes_in_rows(table)) {}

std::optional<Cell> BlockReader::read(const std::size_t* rows, std::size_t n, Word* out) const {
    if (table_.row_begin != nullptr) return read_sparse(rows, n, out);
    if (table_.bit_rows != nullptr) {
        read_bit_rows(rows, n, out);
        return std::nullopt;
    }
    return by_rows_ ? read_bytes(rows, n, out) : read_columns(rows, n, out);
}

std::optional<Cell> BlockReader::read_bytes(const std::size_t* rows, std::size_t n, Word* out) const {
    const auto* base = static_cast<const std::uint8_t*>(table_.dense[0].data);
    const std::uint8_t* starts[kRows];
    for (std::size_t r = 0; r < n; ++r)
        starts[r] = base + static_cast<std::ptrdiff_t>(rows[r]) * table_.dense[0].stride;
    for (std::size_t first = 0; first < table_.n_columns; first += kRows) {
        const std::size_t width = std::min(kRows, table_.n_columns - first);
        if (!kernels_.pack_bytes(starts, n, width, out + first)) return find_in_bytes(rows, n);
        for (std::size_t r = 0; r < n; ++r) starts[r] += width;
    }
    return std::nullopt;
}

std::optional<Cell> BlockReader::find_in_bytes(const std::size_t* rows, std::size_t n) const {
    const auto* base = static_cast<const std::uint8_t*>(table_.dense[0].data);
    for (std::size_t r = 0; r < n; ++r)
        for (std::size_t j = 0; j < table_.n_columns; ++j)
            if (base[static_cast<std::ptrdiff_t>(rows[r]) * table_.dense[0].stride +
                     static_cast<std::ptrdiff_t>(j)] > 1)
                return Cell{rows[r], j};
    return std::nullopt;
}

std::optional<Cell> BlockReader::read_columns(const std::size_t* rows, std::size_t n, Word* out) const {
    for (std::size_t j = 0; j < table_.n_columns; ++j) {
        const Column& column = table_.dense[j];
        if (column.type == Type::bits) {
            std::size_t end = j + 1;
            while (end < table_.n_columns && table_.dense[end].type == Type::bits) ++end;
            read_bit_columns(j, end, rows, n, out);
            j = end - 1;
            continue;
        }
        const auto* base = static_cast<const std::byte*>(column.data);
        const auto bad = with_type(column.type, [&](auto sample) -> std::optional<Cell> {
            using Value = decltype(sample);
            Word bits = 0;
            bool binary = true;
            for (std::size_t r = 0; r < n; ++r) {
                Value value;
                std::memcpy(&value, base + static_cast<std::ptrdiff_t>(rows[r]) * column.stride,
                            sizeof value);
                const bool one = value == Value{1};
                binary &= one || value == Value{0};
                if (!binary) return Cell{rows[r], j};
                bits |= static_cast<Word>(one) << r;
            }
            out[j] = bits;
            return std::nullopt;
        });
        if (bad) return bad;
    }
    return std::nullopt;
}

// Words of neighbouring columns are put side by side, so that a kernel takes the rows of all of them at once.
void BlockReader::read_bit_columns(std::size_t begin, std::size_t end, const std::size_t* rows, std::size_t n,
                                   Word* out) const {
    const TakenRows taken(rows, n);
    const auto word_of = [&](std::size_t column, std::size_t place) {
        return static_cast<const Word*>(table_.dense[column].data)[place];
    };
    if (taken.n_words == 1 && taken.masks[0] == ~Word{0}) {
        for (std::size_t j = begin; j < end; ++j) out[j] = word_of(j, taken.places[0]);
        return;
    }
    for (std::size_t first = begin; first < end; first += kRows) {
        const std::size_t width = std::min(kRows, end - first);
        const std::size_t stride = (width + kLanes - 1) / kLanes * kLanes;
        Word words[kRows] = {}, packed[kRows] = {};
        int offset = 0;
        for (std::size_t i = 0; i < taken.n_words; ++i) {
            for (std::size_t j = 0; j < width; ++j) words[j] = word_of(first + j, taken.places[i]);
            kernels_.compress(words, stride, taken.masks + i, 1, nullptr, width, packed, stride, offset);
            offset += std::popcount(taken.masks[i]);
        }
        std::copy_n(packed, width, out + first);
    }
}

void BlockReader::read_bit_rows(const std::size_t* rows, std::size_t n, Word* out) const {
    for (std::size_t first = 0; first < table_.n_columns; first += kRows) {
        Word block[kRows] = {};
        for (std::size_t r = 0; r < n; ++r)
            block[r] = table_.bit_rows[rows[r] * table_.row_words + first / 64];
        kernels_.transpose(block);
        std::copy_n(block, std::min(kRows, table_.n_columns - first), out + first);
    }
}

std::optional<Cell> BlockReader::read_sparse(const std::size_t* rows, std::size_t n, Word* out) const {
    std::fill_n(out, table_.n_columns, Word{0});
    for (std::size_t r = 0; r < n; ++r)
        for (std::int64_t i = table_.row_begin[rows[r]]; i < table_.row_begin[rows[r] + 1]; ++i)
            out[table_.ones[i]] |= Word{1} << r;
    return std::nullopt;
}

}  // namespace splitsecond
