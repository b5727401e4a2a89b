// The two children of a large node, made on all threads.
//
// What:      what OpenSplit::open and take make of a split on one thread: counts, rows and literals of both children.
//            Only for nodes that are divided one at a time, above a search: a loop that shares threads runs serial code.
// Answer:    the same for any number of threads.
#pragma once

#include <cstddef>

#include "runtime/workers.hpp"
#include "search/open_split.hpp"

namespace splitsecond {

// Divides a node, whose rows are its own, on the feature f of its view. Throws LimitReached when stopped.
void divide(const Problem& problem, const Node& node, std::size_t f, Workers& workers, Node& yes, Node& no);

}  // namespace splitsecond
