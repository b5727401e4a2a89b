// What the trees of a set ask first, second, third: how many trees ask which questions on a path from the root, and
// the best of these.
//
// What:      a *step* says what trees ask at one place, the root or a side of another step: a question, or nothing (a
//            leaf). Its number counts all trees of the set that contain the path from the root to it; none is listed.
//            Steps with the same parent and side divide the trees of the parent.
// Kept:      at each place the most frequent questions; what the others add up to is one step, which nothing follows.
// Cost:      for every place, about that of counting its node once more.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "runtime/limits.hpp"
#include "sets/graph.hpp"

namespace splitsecond {

struct PathStep {
    static constexpr std::int32_t kLeaf = -1;    // as the feature: no question
    static constexpr std::int32_t kOthers = -2;  // questions that are not listed
    static constexpr std::int32_t kNone = -1;    // as the parent: a step at the root

    std::int32_t feature;
    std::int32_t parent;     // a step
    bool is_no;              // on which side of the parent's question
    std::int64_t questions;  // how many this step stands for
    Cost cost;               // of the best of its trees
    Cost leaves;
    bool is_followed = false;  // whether the steps below it are known
};

struct PathCounts {
    std::vector<PathStep> steps;  // level by level; those of a place together, the most frequent first
    std::vector<Digit> numbers;   // graph.digits() for each step
};

// `max_kept[k]` questions are listed at each place of level k, as many levels as there are numbers. Where a limit ends the
// work, the steps found so far are whole: places are left out, not trees.
PathCounts count_paths(const Graph& graph, const std::vector<std::size_t>& max_kept, Limits& limits);

}  // namespace splitsecond
