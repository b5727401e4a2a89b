// One tree as a graph: a set of its own, for when there is no time or room for more.
//
// Invariant: node i of the graph is node i of the tree, with one edge unless it is a leaf.
#pragma once

#include "sets/graph.hpp"

namespace splitsecond {

Graph graph_of(const Tree& tree, const Objective& objective);

}  // namespace splitsecond
