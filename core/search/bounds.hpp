// Bounds on the value of a subproblem, and what they are sound for.
//
// V: the value with any lookahead, the optimal one included; optimal: lookahead = depth alone.
//   V            every tree with a split costs at least 2 leaves + the unavoidable loss, that of rows whose
//                twins with equal features carry more weight of another class (equivalent points)  (split_floor)
//   V, greedy    a tree is a leaf, a single split (counts tell the best), or has three leaves  (three_leaf_bound)
//   V            a split costs at least the sum of its children's lower bounds         (try_feature)
//   V, greedy    what a sibling needs at least is taken off the other child's budget   (solve_children)
//   optimal      a child lighter than one leaf's penalty is never worth its split  (below_minimum_support)
//   optimal      moving rows of weight m changes the value by at most m times the largest loss of a row
//                                                                                      (raise_similar)
// The last two need a maximum of what a row can lose, which log-loss does not have. With a minimum number of rows in a
// leaf, the last is off: a tree for some rows may have too few of others in a leaf. Losses that were rounded are off by
// half a unit a leaf at most, which the bounds that compare real losses allow for (losses/rounded.hpp).
// Equivalent points, minimum support and similar support have a switch (SpeedOptions), and tests run every combination;
// the others are always on.
#pragma once

#include <cstdint>

#include "losses/objective.hpp"

namespace splitsecond {

// What is known about the value of a subproblem.
struct Bounds {
    Cost lower = 0;
    Cost upper = kInfinite;
    std::int32_t feature = -1;  // first split of a tree that costs `upper`; -1: a leaf, or a greedy tree

    bool exact() const { return lower == upper; }
};

// Minimum cost of any tree with at least one split, given the loss that no tree can avoid.
inline Cost split_floor(const Price& price, Cost unavoidable) { return price.of(unavoidable, 2); }

}  // namespace splitsecond
