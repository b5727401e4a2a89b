#include "data/merging.hpp"

#include <algorithm>
#include <limits>
#include <stdexcept>

#include "data/block_reader.hpp"
#include "data/row_groups.hpp"

namespace splitsecond {
namespace {

constexpr std::size_t kBlock = BlockReader::kRows;
static_assert(kBlock == RowGroups::kRows);

// What is handed out is charged as buffers are.
template <class T>
std::vector<T> charged(std::size_t size, Limits& limits) {
    limits.charge(size * sizeof(T));
    return std::vector<T>(size);
}

void poll(Limits& limits) {
    if (limits.stop()) throw LimitReached{};
}

std::optional<Cell> group_rows(const Kernels& kernels, const Table& table, RowGroups& groups,
                               std::vector<std::int32_t>& group, Limits& limits) {
    const BlockReader reader(kernels, table);
    Buffer<Word> columns(limits);
    columns.resize(table.n_columns);
    std::size_t rows[kBlock];
    std::uint32_t found[kBlock];
    for (std::size_t begin = 0; begin < table.n_rows; begin += kBlock) {
        poll(limits);
        const std::size_t n = std::min(kBlock, table.n_rows - begin);
        for (std::size_t r = 0; r < n; ++r) rows[r] = begin + r;
        if (const auto bad = reader.read(rows, n, columns.data())) return bad;
        groups.add(columns.data(), n, found);
        for (std::size_t r = 0; r < n; ++r) group[begin + r] = static_cast<std::int32_t>(found[r]);
    }
    return std::nullopt;
}

std::vector<std::int32_t> first_rows(const std::vector<std::int32_t>& group, std::size_t n_groups,
                                     Limits& limits) {
    auto first = charged<std::int32_t>(n_groups, limits);
    std::size_t next = 0;
    for (std::size_t i = 0; next < n_groups; ++i)
        if (static_cast<std::size_t>(group[i]) == next) first[next++] = static_cast<std::int32_t>(i);
    return first;
}

std::vector<Word> columns_of(RowGroups& groups, std::size_t n_columns, Limits& limits) {
    const std::size_t n_words = (groups.size() + kBlock - 1) / kBlock;
    auto columns = charged<Word>(n_columns * n_words, limits);
    Buffer<Word> block(limits);
    block.resize(n_columns);
    for (std::size_t w = 0; w < n_words; ++w) {
        poll(limits);
        groups.columns_of(w * kBlock, block.data());
        for (std::size_t j = 0; j < n_columns; ++j) columns[j * n_words + w] = block[j];
    }
    return columns;
}

}  // namespace

MergedRows merge_rows(const Kernels& kernels, const Table& table, Limits& limits) {
    if (table.n_rows > static_cast<std::size_t>(std::numeric_limits<std::int32_t>::max()))
        throw std::invalid_argument("there must be fewer than 2^31 rows.");
    MergedRows merged;
    const bool complete = limits.completes([&] {
        RowGroups groups(kernels, table.n_columns, table.n_rows, limits);
        merged.group = charged<std::int32_t>(table.n_rows, limits);
        merged.not_binary = group_rows(kernels, table, groups, merged.group, limits);
        if (merged.not_binary) return;
        merged.first = first_rows(merged.group, groups.size(), limits);
        merged.columns = columns_of(groups, table.n_columns, limits);
    });
    if (merged.not_binary || !complete) {
        const std::optional<Cell> bad = merged.not_binary;
        merged = {};
        merged.not_binary = bad;
    } else {
        merged.n_columns = table.n_columns;
    }
    merged.status = limits.reason();
    return merged;
}

}  // namespace splitsecond
