// Rashomon sets: every tree of a depth within a bound, as a graph (graph.hpp).
//
// All trees  (TreeFARMS's problem): cost <= bound(cost of the optimal tree).
// RESPLIT    prefixes of depth at most `lookahead` whose cost, with greedy trees at the horizon, is at most
//            bound(V(D, depth, lookahead)), every leaf of a prefix filled with any tree that is no worse than
//            the greedy one there. A tree can come of several prefixes; by its prefix cost (graph.hpp) it is
//            in the set once.
//
// How:       level by level from the root, so that the largest budget a node is ever asked for is known
//            before the node is looked at, and every node is looked at once. A split is kept when the best
//            trees of its children fit the budget together (search.hpp finds those); each child is then asked
//            for whatever the best tree of its sibling leaves. So every node and edge is part of some tree of
//            the set. Rows are not kept: a node's are gathered again along its path.
// Stopped:   nodes that were not looked at stay leaves: the set is then smaller, but every tree in it is one.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>

#include "algorithms.hpp"
#include "graph.hpp"

namespace splitsecond {

struct RashomonOptions {
    std::size_t max_depth = 5;
    std::optional<std::size_t> lookahead;  // set: RESPLIT
    bool keep_trivial = false;             // splits between leaves of one label
    bool exact_last_split = false;         // of greedy trees
    Price price;
    std::function<Cost(Cost errors, Cost leaves)> bound;  // from the reference tree's; a cost

    std::size_t n_threads = 1;
    SpeedOptions speed;
};

struct RashomonSet {
    std::optional<Cell> not_binary;  // as in Solution
    bool packed = false;
    Graph graph;                // counted
    Cost reference_errors = 0;  // of the tree that the bound was taken from
    Cost reference_leaves = 0;
    Cost bound = 0;
    bool proved = false;  // the reference is what it should be; if not, it is the best tree so far
    Status status = Status::complete;
    Statistics statistics;
    std::size_t peak_bytes = 0;
    double seconds = 0;
};

// Of the time there is, the search for the reference tree may take all: until it is known there is nothing to
// count. Of what is left then, a share goes to looking for the other trees, the rest to counting what was found.
// When not even that can be done, the set is the reference tree alone.
RashomonSet rashomon_set(const Table& table, const Target& target, RashomonOptions options, Limits& limits);

}  // namespace splitsecond
