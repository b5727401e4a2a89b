// One tree as a graph: a set of its own, for when there is no time or room for more.
#pragma once

#include "sets/graph.hpp"

namespace splitsecond {

Graph graph_of(const Tree& tree, const Objective& objective);

}  // namespace splitsecond
