// The algorithms of the paper, each a short composition over V (search.hpp).
//
//     greedy    the tree behind V(D, d, 0)
//     lickety   the first split of V(D, d, 1), then the same on both children with d-1
//     split     the prefix that attains V(D, d, lookahead); then the optimal tree at each of its leaves
//     optimal   the tree behind V(D, d, d)
//
// Example:
//     Options options;
//     options.algorithm = Algorithm::lickety;
//     options.max_depth = 5;
//     options.price = {100, 617};                       // lambda*W = 6.17 errors a leaf
//     Limits limits;
//     const Solution solution = solve(table, target, options, limits);
#pragma once

#include <cstddef>
#include <optional>

#include "data/packing.hpp"
#include "search/problem.hpp"
#include "search/tree.hpp"

namespace splitsecond {

enum class Algorithm { greedy, lickety, split, optimal };

struct Options {
    // What changes the answer.
    Algorithm algorithm = Algorithm::lickety;
    std::size_t max_depth = 5;
    std::size_t lookahead = 1;      // split alone
    bool postprocess = true;        // split alone
    bool exact_last_split = false;  // greedy chooses its last split by errors instead of entropy
    Price price;

    // What changes only the speed.
    std::size_t n_threads = 1;
    SpeedOptions speed;
};

struct Solution {
    std::optional<Cell> not_binary;  // set: the table has a value that is neither 0 nor 1; the rest is empty
    bool packed = false;             // the whole table was read; if not, it was not checked either
    Tree tree;
    Cost errors = 0;
    Cost leaves = 0;
    Cost lower_bound = 0;  // of every tree of depth at most max_depth, in the units of options.price
    Status status = Status::complete;
    Statistics statistics;
    std::size_t peak_bytes = 0;
    double seconds = 0;
};

// Throws std::invalid_argument for classes or weights out of range.
void check(const Table& table, const Target& target);

// A leaf, straight from the target: the answer when not even the rows fit the limits.
Tree lone_leaf(const Target& target, std::size_t n_rows);

// Throws as `check` does; never for data it dislikes.
Solution solve(const Table& table, const Target& target, Options options, Limits& limits);

}  // namespace splitsecond
