// One tree: from the user's table to the tree of an algorithm (algorithms.hpp), within limits.
//
// Invariant: there is always a tree; when stopped, it is the best found, and lower_bound is still true.
//
// Example:
//     Options options;
//     options.algorithm = Algorithm::lickety_split;
//     options.max_depth = 5;
//     options.objective.price = {100, 617};             // lambda*W = 6.17 errors a leaf
//     Limits limits;
//     const Solution solution = solve(table, target, options, limits);
#pragma once

#include <cstddef>

#include "data/packing.hpp"
#include "search/session.hpp"
#include "search/tree.hpp"

namespace splitsecond {

enum class Algorithm { greedy, lickety_split, split, optimal };

struct Options : SearchOptions {
    Algorithm algorithm = Algorithm::lickety_split;
    std::size_t lookahead = 1;                   // split and lickety_split
    bool postprocess = true;                     // split alone
    Completion completion = Completion::greedy;  // lickety_split alone

    // Whether the search needs no more than open_counter gives.
    bool can_count_elsewhere() const {
        return algorithm == Algorithm::greedy ||
               (algorithm == Algorithm::lickety_split && lookahead <= 1 && completion == Completion::greedy);
    }
};

struct Solution : Outcome {
    Tree tree;
    Cost loss = 0;
    Cost leaves = 0;
    Cost lower_bound = 0;  // of every tree of depth at most max_depth, in the units of the objective
};

// Throws as check() does (packing.hpp); never for data it dislikes.
Solution solve(const Table& table, const Target& target, Options options, Limits& limits);

}  // namespace splitsecond
