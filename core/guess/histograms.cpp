#include "guess/histograms.hpp"

#include <algorithm>

namespace splitsecond {
namespace {

constexpr std::size_t kSlices = 8;
constexpr std::size_t kRowsWorthSlicing = 1 << 15;
constexpr std::size_t kBlock = 1024;  // rows whose gradients stay in the first cache from column to column
constexpr std::size_t kWays = 4;      // sums side by side, since an addition must wait for the one before
constexpr std::size_t kFewBins = 32;

}  // namespace

Histograms::Histograms(const std::vector<BinnedColumn>& columns, std::size_t n_rows, std::size_t max_nodes,
                       Limits& limits)
    : columns_(columns), max_nodes_(max_nodes), sparse_rows_(limits), sums_(limits) {
    const std::size_t slices = n_rows < kRowsWorthSlicing ? 1 : kSlices;
    for (std::size_t s = 0; s <= slices; ++s) slice_begin_.push_back(n_rows * s / slices);
    for (const BinnedColumn& column : columns_) {
        offsets_.push_back(total_bins_);
        total_bins_ += column.n_bins;
    }
    sums_.resize(slices * max_nodes_ * stride());
    find_sparse(n_rows);
}

void Histograms::find_sparse(std::size_t n_rows) {
    sparse_.resize(columns_.size());
    std::size_t n_listed = 0;
    std::vector<std::size_t> counts;
    for (std::size_t c = 0; c < columns_.size(); ++c) {
        counts.assign(columns_[c].n_bins, 0);
        for (std::size_t row = 0; row < n_rows; ++row) ++counts[columns_[c].bins[row]];
        const auto frequent = std::max_element(counts.begin(), counts.end());
        const std::size_t others = n_rows - *frequent;
        // Rows picked from a list cost about twice as much as rows in order.
        sparse_[c].used = 3 * others <= n_rows;
        sparse_[c].frequent = static_cast<std::uint32_t>(frequent - counts.begin());
        if (sparse_[c].used) n_listed += others;
    }
    sparse_rows_.resize(n_listed);
    std::size_t place = 0;
    for (std::size_t c = 0; c < columns_.size(); ++c) {
        if (!sparse_[c].used) continue;
        for (std::size_t s = 0; s < n_slices(); ++s) {
            sparse_[c].slice_begin.push_back(place);
            for (std::size_t row = slice_begin(s); row < slice_end(s); ++row)
                if (columns_[c].bins[row] != sparse_[c].frequent)
                    sparse_rows_[place++] = static_cast<std::uint32_t>(row);
        }
        sparse_[c].slice_begin.push_back(place);
    }
}

void Histograms::fill(Workers& workers, std::size_t n_nodes, const Sums* gradients, const std::uint8_t* nodes,
                      const std::function<void(std::size_t, std::size_t)>& prepare) {
    const Rows rows{gradients, nodes, n_nodes == 1};
    workers.run(n_slices(), [&](std::size_t s, std::size_t) {
        std::fill_n(sums_of(s, 0), n_nodes * stride(), Sums{});
        for (std::size_t begin = slice_begin(s); begin < slice_end(s); begin += kBlock) {
            const std::size_t end = std::min(begin + kBlock, slice_end(s));
            prepare(begin, end);
            add_totals(s, rows, begin, end);
            for (std::size_t c = 0; c < columns_.size(); ++c)
                if (!sparse_[c].used) add_rows(s, c, rows, begin, end);
        }
        for (std::size_t c = 0; c < columns_.size(); ++c)
            if (sparse_[c].used) add_sparse(s, c, rows, n_nodes);
    });
    for (std::size_t s = 1; s < n_slices(); ++s)
        for (std::size_t i = 0; i < n_nodes * stride(); ++i) sums_of(0, 0)[i] += sums_of(s, 0)[i];
}

void Histograms::add_totals(std::size_t s, const Rows& rows, std::size_t begin, std::size_t end) {
    if (!rows.one_node) {
        for (std::size_t row = begin; row < end; ++row)
            sums_of(s, rows.nodes[row])[total_bins_] += rows.gradients[row];
        return;
    }
    Sums total[kWays];
    for (std::size_t row = begin; row < end; ++row) total[row % kWays] += rows.gradients[row];
    for (const Sums& part : total) sums_of(s, 0)[total_bins_] += part;
}

// Rows that follow each other often share a bin, and must then wait for each other's addition: columns of few bins get
// several sets of sums.
void Histograms::add_rows(std::size_t s, std::size_t c, const Rows& rows, std::size_t begin,
                          std::size_t end) {
    const std::uint16_t* bins = columns_[c].bins;
    Sums* sums = sums_of(s, 0) + offsets_[c];
    const Sums* gradients = rows.gradients;
    if (!rows.one_node) {
        const std::uint8_t* nodes = rows.nodes;
        const std::size_t step = stride();
        for (std::size_t row = begin; row < end; ++row) sums[nodes[row] * step + bins[row]] += gradients[row];
    } else if (columns_[c].n_bins <= kFewBins) {
        Sums parts[kWays][kFewBins];
        std::size_t row = begin;
        for (; row + kWays <= end; row += kWays)
            for (std::size_t way = 0; way < kWays; ++way) parts[way][bins[row + way]] += gradients[row + way];
        for (; row < end; ++row) parts[0][bins[row]] += gradients[row];
        for (const auto& part : parts)
            for (std::size_t bin = 0; bin < columns_[c].n_bins; ++bin) sums[bin] += part[bin];
    } else {
        for (std::size_t row = begin; row < end; ++row) sums[bins[row]] += gradients[row];
    }
}

void Histograms::add_sparse(std::size_t s, std::size_t c, const Rows& rows, std::size_t n_nodes) {
    const Sparse& sparse = sparse_[c];
    const std::uint16_t* bins = columns_[c].bins;
    const std::size_t step = stride();
    Sums* sums = sums_of(s, 0) + offsets_[c];
    for (std::size_t i = sparse.slice_begin[s]; i < sparse.slice_begin[s + 1]; ++i) {
        const std::uint32_t row = sparse_rows_[i];
        sums[rows.nodes[row] * step + bins[row]] += rows.gradients[row];
    }
    for (std::size_t node = 0; node < n_nodes; ++node) {
        Sums left = sums_of(s, node)[total_bins_];
        for (std::size_t bin = 0; bin < columns_[c].n_bins; ++bin) left = left - sums[node * step + bin];
        sums[node * step + sparse.frequent] = left;
    }
}

}  // namespace splitsecond
