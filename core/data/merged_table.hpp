// A table whose equal rows of one class are one row, that weighs as much as all of them.
//
// What:      searches count weights, so that the merged table has the same trees, bounds and sets, and less to count.
// Invariant: rows of weight 0 are checked and left out. Rows are counted besides their weight where that is asked for.
// Decided:   while rows are read: the first ones, from all over the table, tell how many different rows to expect.
//            Where too few are alike, the rest is not read, and nothing is merged.
// Cost:      about 30 ns a row of 64 columns, on all threads; memory for the different rows, once for each thread while it
//            lasts. Nothing is merged where a budget might be too small for that.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "data/table.hpp"
#include "kernels/kernels.hpp"
#include "runtime/buffer.hpp"
#include "runtime/workers.hpp"

namespace splitsecond {

enum class Merging { when_it_pays, never, always };

class MergedTable {
public:
    // Of a target of classes.
    MergedTable(const Table& table, const Target& target, bool counts_rows, Limits& limits);

    // Reads the table. False: nothing was merged, as it does not pay, there is no room, a limit was reached, or a cell is
    // not binary.
    bool merge(const Kernels& kernels, Merging merging, Workers& workers);
    const std::optional<Cell>& not_binary() const { return not_binary_; }

    void clear();

    // Both refer to this.
    Table table() const;
    Target target() const;

private:
    struct Entries;  // rows that differ, or whose classes do

    std::vector<Entries> empty_entries(const Kernels& kernels, std::size_t n) const;
    std::size_t block_at(std::size_t place) const;
    void read(const Kernels& kernels, std::size_t begin, std::size_t end, Entries& entries) const;
    // False: it does not seem to pay.
    bool read_all(const Kernels& kernels, Merging merging, Workers& workers,
                  std::vector<Entries>& parts) const;
    std::vector<Entries> joined(const Kernels& kernels, const std::vector<Entries>& parts,
                                Workers& workers) const;
    void copy(const std::vector<Entries>& parts, Workers& workers);
    bool has_room(std::size_t n_threads) const;
    bool saves_enough(std::size_t n_rows) const;

    const Table& table_;
    const Target& target_;
    const bool counts_rows_;
    Limits& limits_;
    const std::size_t n_blocks_;
    std::optional<Cell> not_binary_;
    // Where a row has its class: behind its columns, in the last word if there is room.
    std::size_t row_words_ = 0;
    std::size_t class_word_ = 0;
    int class_shift_ = 0;
    Buffer<Word> rows_;
    Buffer<std::int32_t> classes_;
    Buffer<std::int32_t> weights_;
    Buffer<std::int32_t> counts_;  // of rows; empty where not asked for
};

}  // namespace splitsecond
