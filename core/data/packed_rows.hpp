// The rows of one node, packed: what every count is taken from.
//
// What:      columns of bits in word-major layout (kernels.hpp). Rows are grouped in runs: all rows of a
//            run have the same class and the same weight, so that no label mask is needed and a weighted
//            count is a sum of popcounts times the run's weight. A row whose weight has no run of its own
//            appears in several runs, one for each bit of its weight.
// Channels:  counts are one number for each channel and column. The channels are the classes; and, where rows have
//            weights and their number matters, one more, in whose run every row stands once.
// Columns:   0 .. n_features-1 are features; then one column of ones (the rows there are), then one that
//            marks rows of unavoidable loss (all zero when these were not looked for).
// Invariant: each run starts at a word and has one at least; runs of a class follow each other; bits past a
//            run's rows and columns past the last are zero.
//            Every row has positive weight, so that weight 0 means no rows.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "kernels/kernels.hpp"
#include "runtime/buffer.hpp"

namespace splitsecond {

inline constexpr std::size_t kNoChannel = ~std::size_t{0};

struct Run {
    std::size_t channel;  // a class, or the channel of rows
    Count weight;
    std::size_t begin;  // words
    std::size_t end;
};

struct View {
    std::size_t n_classes = 0;
    bool counts_rows = false;  // in a channel of their own
    std::size_t n_features = 0;
    std::size_t stride = 0;
    std::vector<Run> runs;
    std::vector<std::uint32_t> features;  // index in the problem of each feature here, ascending
    Buffer<Word> data;

    explicit View(Limits& limits) : data(limits) {}

    std::size_t n_channels() const { return n_classes + (counts_rows ? 1 : 0); }
    std::size_t n_counts() const { return n_channels() * stride; }
    std::size_t ones() const { return n_features; }
    std::size_t unavoidable() const { return n_features + 1; }
    std::size_t n_words() const { return runs.empty() ? 0 : runs.back().end; }
    Word column(std::size_t w, std::size_t j) const { return data[w * stride + j]; }

    // Where a feature of the problem is that is one of these.
    std::size_t place_of(std::int32_t feature) const {
        const auto found =
            std::lower_bound(features.begin(), features.end(), static_cast<std::uint32_t>(feature));
        return static_cast<std::size_t>(found - features.begin());
    }

    static std::size_t stride_for(std::size_t n_features) {
        return (n_features + 2 + kLanes - 1) / kLanes * kLanes;
    }
};

// Divides some rows (all when null) by column j into yes and no, and counts the channels of the yes rows in
// all columns: counts[c * stride + j]. Column `ones` then holds the totals.
void split_rows(const Kernels& kernels, const View& view, const Word* rows, std::size_t j, Word* yes,
                Word* no, Count* counts);

// Those of some rows (all when null) that have column j, or that lack it.
void select_rows(const View& view, const Word* rows, std::size_t j, bool yes, Word* mask);

// Gathers the rows in mask, with all columns and without one channel, if any is left out. Throws LimitReached when
// stopped.
void gather_rows(const Kernels& kernels, const View& view, const Word* mask, View& out,
                 std::size_t left_out = kNoChannel);

// The same with some of the columns alone, which must end with `ones` and `unavoidable`.
void gather(const Kernels& kernels, const View& view, const Word* mask,
            const std::vector<std::uint32_t>& columns, View& out);

// Sets the columns of `out`: those of the view, without the features that are constant on some rows. counts are those
// rows' class counts; out_counts gets the same in the columns of `out`. Returns these columns' places in `view`.
std::vector<std::uint32_t> shape_node(const View& view, const Count* counts, View& out,
                                      Buffer<Count>& out_counts);

// The same, and gathers the rows in mask.
std::vector<std::uint32_t> gather_node(const Kernels& kernels, const View& view, const Word* mask,
                                       const Count* counts, View& out, Buffer<Count>& out_counts);

}  // namespace splitsecond
