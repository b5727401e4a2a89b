// Orders rows so that subsets are made of few words.
//
// What:      within each run, rows that end in the same branch of a tree become neighbours. Counting skips
//            words without a row, and the greedy completions of most subsets begin with the same few
//            features as the greedy tree of all rows: many words they would look at are then empty.
// Cost:      a gather of all rows; docs/decisions.md has what it saves.
#pragma once

#include "runtime/workers.hpp"
#include "search/problem.hpp"
#include "search/tree.hpp"

namespace splitsecond {

// Reorders the rows of `view` by the top levels of `tree`, whose features are the problem's.
void cluster_rows(const Problem& problem, const Tree& tree, Workers& workers, View& view);

}  // namespace splitsecond
