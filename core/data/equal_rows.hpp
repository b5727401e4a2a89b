// Equivalent points: rows with equal features that no tree can tell apart.
//
// What:      in each group of rows with equal features, a tree predicts one class for all; what the best choice loses
//            there, every tree loses. Rows that lose are marked in the view's last column, so that the counts of any
//            subset say what is unavoidable on it.
// Cost:      a pass over the rows, and a table of all of them while it lasts.
#pragma once

#include "data/packed_rows.hpp"
#include "losses/objective.hpp"

namespace splitsecond {

// Leaves the column empty when there is no room for the work or time is up: the bound is then weaker.
void mark_unavoidable(const Kernels& kernels, const Objective& objective, View& view, Limits& limits);

}  // namespace splitsecond
