// Exact objective arithmetic.
//
// The objective of a tree is errors/W + lambda*leaves. Multiplied by W and by a denominator it becomes
//     cost = price.error * errors + price.leaf * leaves
// with integers throughout: sums and comparisons are exact. The caller chooses the two prices so that
// price.leaf / price.error orders all trees exactly as lambda * W does (see the Python side, _exact.py).
//
// Bounds, each with the values it is sound for (V: the value with any lookahead; optimal: lookahead = depth):
//   V, optimal   every tree with a split costs at least 2 leaves + the unavoidable errors, that is the rows
//                whose twins with equal features carry more weight of another class  (split_floor)
//   V, optimal   a tree is a leaf, a single split (counts tell the best), or has three leaves  (three_leaf_bound)
//   V, optimal   a split costs at least the sum of its children's lower bounds         (try_feature)
//   V, optimal   what a sibling needs at least is taken off the other child's budget   (try_feature)
//   optimal      a child lighter than one leaf's price is never worth its split  (below_minimum_support)
//   optimal      moving rows of weight m changes the value by at most m errors         (similar_support)
#pragma once

#include <cstdint>
#include <limits>

#include "kernels/kernels.hpp"

namespace splitsecond {

using Cost = std::int64_t;

inline constexpr Cost kInfinite = std::numeric_limits<Cost>::max() / 4;  // may be added to itself

struct Price {
    Cost error = 1;
    Cost leaf = 0;

    Cost of(Cost errors, Cost leaves) const { return error * errors + leaf * leaves; }
};

// Least cost of any tree with at least one split, given the errors that no tree can avoid.
inline Cost split_floor(const Price& price, Cost unavoidable) { return price.of(unavoidable, 2); }

// Sound for the optimal value alone: sending a child's rows to its sibling's tree adds at most `weight`
// errors and saves at least one leaf, so that such a split is strictly worse than no split here.
inline bool below_minimum_support(const Price& price, Cost weight) {
    return price.error * weight < price.leaf;
}

}  // namespace splitsecond
