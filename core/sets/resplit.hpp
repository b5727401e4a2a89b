// RESPLIT, Algorithm 5 of the paper: a Rashomon set by lookahead.
//
//     1. all prefixes of depth at most `lookahead` whose cost, with greedy trees at the horizon, is at most
//        bound(V(D, depth, lookahead));
//     2. every leaf of a prefix filled with any tree that costs no more than the greedy one there.
//
// A tree can grow out of several prefixes. Its *prefix cost* is the minimum cost of one of them; the set is all trees
// whose prefix cost is within the bound, so that no tree can be in it twice. Prefix is the prefix cost's definition;
// SetBuilder::build (builder.cpp) runs the search, ResplitBuilder (resplit.cpp) decides what it keeps, and the bound is
// set by find_reference (rashomon.cpp).
//
// Cost: two values of V for each split above the horizon (for its prefixes and for its fills), one below it.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "types.hpp"

namespace splitsecond {

enum class Role : std::uint8_t {
    plain,    // below every prefix, or in a set that has none
    horizon,  // prefixes end here, completed by greedy
    prefix    // above: prefixes end here or go on
};

// What a node of the graph says about prefixes.
struct Prefix {
    Role role = Role::plain;
    Cost budget = -1;  // what prefixes may cost from here on
    // Of a prefix that ends here: what a leaf costs above the horizon, what the greedy tree costs at it.
    Cost end_cost = kInfinite;
    // What a tree may cost that takes the place of the prefix's end: no more than the greedy tree.
    Cost fill_budget = -1;

    // Prefix cost of a tree of this cost, whose children's prefix costs add up to `below`.
    Cost cost(Cost tree, Cost below) const {
        if (role == Role::plain) return kInfinite;
        const Cost ends_here = tree <= fill_budget ? end_cost : kInfinite;
        const Cost best = role == Role::prefix ? std::min(ends_here, below) : ends_here;
        return best <= budget ? best : kInfinite;  // costs over budget are indistinguishable
    }
};

class SetBuilder;
class Session;
struct SetOptions;

std::unique_ptr<SetBuilder> make_resplit_builder(Session& session, const SetOptions& options);

}  // namespace splitsecond
