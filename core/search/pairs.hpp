// Class counts of every pair of columns of a node: enough to solve two levels of splits exactly.
//
// What:      row(c, i)[j], i <= j: the count of channel c where columns i and j are both 1. The special columns
//            take part: row `ones` holds the class counts of the node, and any row's entry there the
//            feature's own counts.
// Cost:      k*k/2 popcounts over the node's words; the larger of two siblings is a subtraction.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "runtime/buffer.hpp"
#include "search/bounds.hpp"
#include "search/problem.hpp"

namespace splitsecond {

class PairMatrix {
public:
    explicit PairMatrix(Limits& limits) : counts_(limits) {}

    bool count(const Problem& problem, const View& view);  // false when stopped
    bool subtract(const Problem& problem, const PairMatrix& parent, const PairMatrix& sibling);  // as well
    // The same in some of the parent's columns (the last are its special ones), which the sibling has alone.
    bool subtract(const Problem& problem, const PairMatrix& parent, const PairMatrix& sibling,
                  const std::vector<std::uint32_t>& columns);

    const Count* row(std::size_t c, std::size_t i) const {
        return counts_.data() + (c * stride_ + i) * stride_;
    }
    std::size_t class_step() const { return stride_ * stride_; }
    std::size_t row_step() const { return stride_; }

    // Class counts of the rows that have column i, in the layout of split_rows.
    void counts_of(std::size_t i, Count* out) const;

private:
    void reshape(std::size_t n_channels, std::size_t n_rows, std::size_t stride);
    // Calls visit(class, row) for all of them; false when stopped.
    template <class Visit>
    bool for_rows(const Problem& problem, std::size_t n_rows, const Visit& visit) const;
    Count* row_of(std::size_t c, std::size_t i) { return counts_.data() + (c * stride_ + i) * stride_; }
    // Large enough to poll the limits while it is filled.
    bool is_large() const { return class_step() > 1 << 16; }
    // Where a row's counts begin: the upper triangle, in whole vectors.
    static std::size_t begin_of(std::size_t i) { return i / kLanes * kLanes; }

    Buffer<Count> counts_;
    std::size_t n_channels_ = 0;
    std::size_t n_rows_ = 0;  // the features and the column of ones
    std::size_t stride_ = 0;
};

// What two levels of splits can do: for each feature, the loss on either side of a leaf, and of the best single split
// (or leaf) there.
struct StumpScan {
    std::vector<Cost> yes;
    std::vector<Cost> no;
    std::vector<Cost> leaf_yes;
    std::vector<Cost> leaf_no;
    std::vector<Count> with;  // weight of the yes-side
    Totals totals;
    std::vector<std::byte> scratch;

    // Leaves alone.
    FeatureCounts run_leaves(const Problem& problem, const View& layout, const Count* counts);
    void run(const Problem& problem, const View& layout, const Count* counts, const PairMatrix& pairs);
};

// The optimal tree of depth at most two, for rows with these counts and pairs in this column layout.
Bounds solve_two_levels(const Problem& problem, const View& layout, const Count* counts,
                        const PairMatrix& pairs, StumpScan& scan);

// The same with one level: the best single split, or a leaf.
Bounds solve_one_level(const Problem& problem, const View& layout, const Count* counts);

}  // namespace splitsecond
