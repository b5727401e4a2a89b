// Rashomon sets: every tree of a depth within a bound, as a graph (graph.hpp). All trees (exact_set.hpp), or RESPLIT's
// (resplit.hpp).
#pragma once

#include "search/session.hpp"
#include "sets/graph.hpp"
#include "sets/set_options.hpp"

namespace splitsecond {

struct RashomonSet : Outcome {
    Graph graph;              // counted
    Cost reference_loss = 0;  // of the tree that the bound was taken from
    Cost reference_leaves = 0;
    Cost bound = 0;
    bool proved = false;  // the reference is what it should be; if not, it is the best tree so far
};

// Of the time there is, the search for the reference tree may take all: until it is known there is nothing to
// count. Of what is left then, a share goes to looking for the other trees, the rest to counting what was found.
// When not even that can be done, the set is the reference tree alone.
RashomonSet rashomon_set(const Table& table, const Target& target, SetOptions options, Limits& limits);

}  // namespace splitsecond
