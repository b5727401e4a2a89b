// THE recursion: V(D, d, k), the best objective with d levels left of which k are searched exhaustively.
//
//     V(D, d, k) = leaf(D)                                                    if d = 0
//                = greedy(D, d)                                               if k = 0
//                = min( leaf(D), min over f of V(D_f, d-1, k-1) + V(D_notf, d-1, k-1) )
//
// value() is V of a node, child_value() V of a child, and minimise() the minimum over f. Leaves (d = 0) and the last
// level need no search: known_bounds() (known.cpp). Together with the case k = 0 these are the paper's get_bounds
// (Algorithm 1).
// With completions by LicketySPLIT (Completion::lickety), a child of a split that is being judged is worth what the
// LicketySPLIT tree with one level of lookahead less costs there: W(D, d, 0) = greedy(D, d), W(D, d, k) = the cost of
// the tree that LicketySPLIT with lookahead k and these completions makes. It is never above V.
// Everything else here only makes them fast: bounds (bounds.hpp), the cache (cache.hpp), and, for the optimal
// value (k = d), pair counts that solve the last two levels at once (pairs.hpp).
//
// Answer:    value() returns V exactly when V <= budget and nothing stopped it; otherwise a true lower bound
//            (above the budget) and the cost of some tree. Costs are integers, so a budget is inclusive.
// Ties:      the lowest feature among equals, a leaf before any: candidates compare as (cost, feature), so
//            that neither the order of evaluation nor the number of threads changes the result.
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <vector>

#include "runtime/workers.hpp"
#include "search/cache.hpp"
#include "search/candidates.hpp"
#include "search/greedy.hpp"
#include "search/level_search.hpp"
#include "search/open_split.hpp"
#include "search/problem.hpp"

namespace splitsecond {

// What the trees below the lookahead are.
enum class Completion { greedy, lickety };

class Search {
public:
    // shares_subproblems: nodes are reached by several paths, so that greedy values are kept too, and pair counts
    // of nodes above completions pay.
    Search(const Problem& problem, Workers& workers, bool shares_subproblems, Completion completion);
    ~Search();

    // V of a node; lookahead >= 1.
    Bounds value(Node& node, std::size_t depth, std::size_t lookahead, Cost budget = kInfinite);

    // V of both children of an open split, with `depth` levels left below it, for whoever looks at all splits of a
    // node and not at the best alone; each thread calls as a worker of its own. True when together they are within
    // the budget, and then exact. The split's node must have its pairs counted if its children's last levels are
    // searched exhaustively.
    bool values(std::size_t worker, OpenSplit& split, std::size_t depth, std::size_t lookahead, Cost budget,
                Cost (&values)[2]);

    // The first split that a search found for V(D, depth, lookahead); -1: a leaf.
    std::int32_t known_split(const Node& node, std::size_t depth, std::size_t lookahead) const;

    // splitsecond::count_root, on all threads where that pays.
    void count_root(Node& root);

    // The children of a node's split on a feature of the problem, on all threads where that pays. Throws LimitReached.
    void divide(const Node& node, std::int32_t feature, Node& yes, Node& no);

    // The greedy tree of a node. Throws LimitReached where there is no room.
    Tree greedy_tree(const Node& node, std::size_t depth);

    // Scratch memory and statistics of one thread.
    Greedy& greedy(std::size_t worker = 0);
    OpenSplit& split(std::size_t worker = 0);
    Candidates::Scratch& scratch(std::size_t worker = 0);
    bool count_pairs(std::size_t worker, Node& node);  // false when stopped
    Statistics statistics() const;

private:
    struct Worker;  // scratch memory of one thread

    Bounds child_value(Worker& worker, std::size_t level, OpenSplit& split, int side, std::size_t depth,
                       std::size_t lookahead, Cost budget, const Bounds& known);
    Bounds minimise(Worker& worker, std::size_t level, const Node& node, std::size_t depth,
                    std::size_t lookahead, Cost budget);
    Bounds follow(Worker& worker, std::size_t level, const Node& node, std::size_t depth,
                  std::size_t lookahead, const Bounds& first);

    // Bounds that need no search (known.cpp).
    Bounds known_bounds(Worker& worker, OpenSplit& split, int side, std::size_t depth, std::size_t lookahead);
    Bounds look_up(Worker& worker, const Subproblem& key, const Bounds& otherwise);

    // Parts of minimise().
    void try_feature(Worker& worker, std::size_t level, const Node& node, std::size_t f, std::size_t depth,
                     std::size_t lookahead, Cost budget, Candidates& candidates);
    Cost solve_children(Worker& worker, std::size_t level, OpenSplit& split, std::size_t depth,
                        std::size_t lookahead, Cost budget, int first, Cost (&lower)[2]);

    // How many levels are searched for V(D, depth, lookahead): the last one too where greedy splits it by loss, since
    // that is the best split there. V is the same, and pair counts solve the last two levels without completions.
    std::size_t levels_searched(std::size_t depth, std::size_t lookahead) const {
        const bool last_too = problem_.exact_last_split && shares_subproblems_ && lookahead + 1 == depth;
        return last_too ? depth : std::min(lookahead, depth);
    }
    bool is_worth_sharing(const Node& node) const;  // a pass over its rows
    bool remembers(std::size_t lookahead) const { return lookahead >= 1 || shares_subproblems_; }
    // The optimal value needs pair counts. With several levels of lookahead they pay too: they count the
    // children of all features at once, and bound them.
    bool needs_pairs(std::size_t depth, std::size_t lookahead) const {
        return depth > 1 && (lookahead == depth || shares_subproblems_);
    }

    const Problem& problem_;
    Workers& threads_;
    Cache cache_;
    const bool shares_subproblems_;
    const Completion completion_;
    std::vector<std::unique_ptr<Worker>> workers_;
    LevelSearch levels_;
};

}  // namespace splitsecond
