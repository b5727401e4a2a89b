// THE recursion: V(D, d, k), the best objective with d levels left of which k are searched exhaustively.
//
//     V(D, d, k) = leaf(D)                                                    if d = 0
//                = greedy(D, d)                                               if k = 0
//                = min( leaf(D), min over f of V(D_f, d-1, k-1) + V(D_notf, d-1, k-1) )
//
// value() is the definition, with what is known of the subproblem; search() is the minimum over f.
// Everything else here only makes them fast: bounds (cost.hpp), the cache (cache.hpp), and, for the optimal
// value (k = d), pair counts that solve the last two levels at once (pairs.hpp).
//
// Answer:    value() returns V exactly when V <= budget and nothing stopped it; otherwise a true lower bound
//            (above the budget) and the cost of some tree. Costs are integers, so a budget is inclusive.
// Ties:      the lowest feature among equals, a leaf before any: candidates compare as (cost, feature), so
//            that neither the order of evaluation nor the number of threads changes the result.
#pragma once

#include <cstddef>
#include <deque>
#include <memory>
#include <mutex>
#include <vector>

#include "cache.hpp"
#include "greedy.hpp"
#include "pairs.hpp"
#include "problem.hpp"
#include "workers.hpp"

namespace splitsecond {

// A subproblem with its rows at hand.
struct Node {
    View view;
    Buffer<Count> counts;
    std::vector<Word> literals;
    PairMatrix pairs;
    bool has_pairs = false;

    explicit Node(Limits& limits) : view(limits), counts(limits), pairs(limits) {}
};

// A subproblem of which only the counts are known, in the columns of its parent's view.
struct Child {
    Buffer<Count> counts;
    std::vector<Word> literals;
    Buffer<Word> mask;
    bool has_mask = false;

    explicit Child(Limits& limits) : counts(limits), mask(limits) {}
};

class Search {
public:
    // remember_completions: keep greedy values too; worth it when nodes are reached by several paths.
    Search(const Problem& problem, Workers& workers, bool remember_completions);
    ~Search();

    // lookahead >= 1.
    Bounds value(Node& node, std::size_t depth, std::size_t lookahead, Cost budget = kInfinite);

    // The split of `node` on a feature of the problem, as two nodes.
    void split(const Node& node, std::int32_t feature, Node& yes, Node& no);

    const Cache& cache() const { return cache_; }
    Greedy& greedy();
    Statistics statistics() const;

private:
    struct Level;   // scratch memory of one recursion level
    struct Worker;  // scratch memory of one thread
    struct Choice;  // the candidates at one node, and the best of them so far

    Bounds value(Worker& worker, std::size_t level, const Node& parent, Child& child, bool yes,
                 std::size_t depth, std::size_t lookahead, Cost budget);
    Bounds look_up(Worker& worker, const Subproblem& key, const Bounds& known);
    Bounds search(Worker& worker, std::size_t level, const Node& node, std::size_t depth,
                  std::size_t lookahead, Cost budget);
    void try_feature(Worker& worker, std::size_t level, const Node& node, std::size_t f, std::size_t depth,
                     std::size_t lookahead, Cost budget, Choice& choice);
    void rank(Worker& worker, std::size_t level, const Node& node, bool optimal, Choice& choice);
    void open(Worker& worker, std::size_t level, const Node& node, std::size_t f, bool with_literals);
    Bounds last_two_levels(Worker& worker, std::size_t level, const Node& parent, bool yes);
    void similar_support(const Node& node, std::size_t f, const Count* yes_counts, Choice& choice) const;
    const Word* mask_of(const Node& parent, Child& child, std::size_t f, bool yes) const;

    const Problem& problem_;
    Workers& threads_;
    Cache cache_;
    const bool remember_completions_;
    std::vector<std::unique_ptr<Worker>> workers_;
};

}  // namespace splitsecond
