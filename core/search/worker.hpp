// What one thread of a search works with: scratch memory for each level, and its share of the statistics.
//
// Invariant: used by one thread at a time; a level's memory is used again for the next node there.
// Cost:      made as levels are reached; a level holds the children of one split (open_split.hpp).
#pragma once

#include <cstddef>
#include <deque>

#include "search/recursion.hpp"

namespace splitsecond {

struct Search::Worker {
    struct Level {
        Level(const Problem& problem, Statistics& statistics) : split(problem, statistics) {}
        OpenSplit split;
        Candidates::Scratch scratch;
    };

    explicit Worker(const Problem& problem_) : problem(problem_), greedy(problem_) {}

    Level& level(std::size_t i) {
        while (levels.size() <= i) levels.emplace_back(problem, statistics);
        return levels[i];
    }

    const Problem& problem;
    Greedy greedy;
    Statistics statistics;
    std::deque<Level> levels;
};

}  // namespace splitsecond
