// What every solve begins with: the packed rows as the root node, threads, the search, and the greedy tree.
//
// Invariant: members are made in the order in which they need each other; the greedy tree is there before anything that
//            a limit may stop.
// Cost:      one greedy tree; order_rows and find_unavoidable are a pass over the rows each.
#pragma once

#include <cstddef>
#include <optional>

#include "data/packing.hpp"
#include "search/algorithms.hpp"
#include "search/problem.hpp"
#include "search/tree.hpp"

namespace splitsecond {

struct SearchOptions {
    // What changes the answer.
    Objective objective;
    std::size_t max_depth = 5;
    bool exact_last_split = false;  // greedy chooses its last split by loss instead of entropy
    Count min_leaf_rows = 1;        // rows of any weight

    // What changes only the speed.
    std::size_t n_threads = 1;
    SpeedOptions speed;
    CounterSource open_counter;  // null: the core counts rows itself (Options::can_count_elsewhere)

    PackOptions pack_options() const {
        PackOptions pack;
        pack.count_rows = min_leaf_rows > 1;  // otherwise weights tell that there are some
        pack.merging = speed.merging;
        pack.n_threads = n_threads;
        return pack;
    }
};

// What every solve ends with.
struct Outcome {
    std::optional<Cell> not_binary;  // set: the table has a value that is neither 0 nor 1; the rest is empty
    bool packed = false;             // the whole table was read; if not, it was not checked either
    Status status = Status::complete;
    Statistics statistics;
    std::size_t peak_bytes = 0;
    double seconds = 0;
};

class Session {
public:
    // The greedy tree first: whatever happens from here on, there is something to return. shares_subproblems: as
    // Search has it.
    Session(View view, const SearchOptions& options, bool shares_subproblems, Limits& limits,
            Completion completion = Completion::greedy);

    // Orders the rows by the greedy tree, so that counting skips more of them (row_order.hpp).
    void order_rows();
    // Finds the loss that no tree can avoid (equivalent points), for the bounds of exact searches; nothing where the
    // objective has none.
    void find_unavoidable();

    Cost cost(const Tree& tree) const { return tree.cost(problem.objective); }

    const Problem problem;
    Node root;
    const std::size_t depth;  // no path needs more splits than there are features
    Workers workers;
    Search search;
    Algorithms algorithms;
    const Tree greedy;

private:
    Tree start(const CounterSource& open_counter);  // what comes before all else: counts and the greedy tree
};

// A leaf, straight from the target: the answer when not even the rows fit the limits.
Tree single_leaf(const Target& target, std::size_t n_rows);

}  // namespace splitsecond
