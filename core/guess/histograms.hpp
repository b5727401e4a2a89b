// Sums of gradients and weights by bin: what a booster needs to know of its rows to choose a split.
//
// What:      for every bin of every column, at every node of one level of a tree, the sums over the rows there.
// Sparse:    a column that is mostly one bin is kept as the list of rows outside it; the sums of the frequent bin are
//            what the others leave of the node's total.
// Invariant: the sums do not depend on the number of threads: rows are added up in fixed slices, and the slices in
//            their order.
// Cost:      about a nanosecond a row and column, and two a row in a list.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "guess/binning.hpp"
#include "runtime/buffer.hpp"
#include "runtime/workers.hpp"

namespace splitsecond {

struct Sums {  // of gradients and of weights
    double gradient = 0;
    double weight = 0;

    Sums& operator+=(const Sums& other) {
        gradient += other.gradient;
        weight += other.weight;
        return *this;
    }
    friend Sums operator-(const Sums& a, const Sums& b) {
        return {a.gradient - b.gradient, a.weight - b.weight};
    }
};

class Histograms {
public:
    // columns must outlive this; max_nodes: of one level.
    Histograms(const std::vector<BinnedColumn>& columns, std::size_t n_rows, std::size_t max_nodes,
               Limits& limits);

    // Sums up all rows at the first n_nodes nodes: row i is at nodes[i] and adds gradients[i]. `prepare(begin, end)` is
    // called, on the thread that needs them, before some rows are read for the first time.
    void fill(Workers& workers, std::size_t n_nodes, const Sums* gradients, const std::uint8_t* nodes,
              const std::function<void(std::size_t begin, std::size_t end)>& prepare);

    // The bins of a node, those of column c from place_of(c) on; behind them all, its total.
    const Sums* of(std::size_t node) const { return sums_.data() + node * stride(); }
    const Sums& total(std::size_t node) const { return of(node)[total_bins_]; }
    std::size_t place_of(std::size_t column) const { return offsets_[column]; }
    std::size_t total_bins() const { return total_bins_; }

    // Slices of the rows: what threads share, whatever their number.
    std::size_t n_slices() const { return slice_begin_.size() - 1; }
    std::size_t slice_begin(std::size_t slice) const { return slice_begin_[slice]; }
    std::size_t slice_end(std::size_t slice) const { return slice_begin_[slice + 1]; }

private:
    struct Sparse {
        bool used = false;
        std::uint32_t frequent = 0;            // the bin that is not listed
        std::vector<std::size_t> slice_begin;  // into sparse_rows_
    };
    struct Rows {  // what fill() was given
        const Sums* gradients;
        const std::uint8_t* nodes;
        bool one_node;
    };

    std::size_t stride() const { return total_bins_ + 1; }
    Sums* sums_of(std::size_t slice, std::size_t node) {
        return sums_.data() + (slice * max_nodes_ + node) * stride();
    }
    void find_sparse(std::size_t n_rows);
    void add_totals(std::size_t slice, const Rows& rows, std::size_t begin, std::size_t end);
    void add_rows(std::size_t slice, std::size_t column, const Rows& rows, std::size_t begin,
                  std::size_t end);
    void add_sparse(std::size_t slice, std::size_t column, const Rows& rows, std::size_t n_nodes);

    const std::vector<BinnedColumn>& columns_;
    const std::size_t max_nodes_;
    std::vector<std::size_t> slice_begin_;
    std::vector<std::size_t> offsets_;  // of a column's first bin
    std::size_t total_bins_ = 0;
    std::vector<Sparse> sparse_;  // of each column
    Buffer<std::uint32_t> sparse_rows_;
    Buffer<Sums> sums_;  // [slice][node][bin of column]
};

}  // namespace splitsecond
