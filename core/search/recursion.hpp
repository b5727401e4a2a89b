// THE recursion: V(D, d, k), the best objective with d levels left of which k are searched exhaustively.
//
//     V(D, d, k) = leaf(D)                                                    if d = 0
//                = greedy(D, d)                                               if k = 0
//                = min( leaf(D), min over f of V(D_f, d-1, k-1) + V(D_notf, d-1, k-1) )
//
// known() and value() are the definition, search() is the minimum over f.
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

#include "search/cache.hpp"
#include "search/greedy.hpp"
#include "search/pairs.hpp"
#include "search/problem.hpp"
#include "runtime/workers.hpp"

namespace splitsecond {

// A subproblem with its rows at hand.
struct Node {
    View own;                     // its rows, gathered, unless they are
    const View* wider = nullptr;  // among those of its parent,
    const Word* rows = nullptr;   // as these bits say
    Buffer<Count> counts;
    std::vector<Word> literals;
    PairMatrix pairs;
    bool has_pairs = false;

    explicit Node(Limits& limits) : own(limits), counts(limits), pairs(limits) {}

    const View& view() const { return wider == nullptr ? own : *wider; }
};

// A subproblem of which only the counts are known, in the columns of its parent's view.
struct Child {
    Buffer<Count> counts;
    std::vector<Word> literals;
    Buffer<Word> mask;
    bool has_literals = false;
    bool has_mask = false;

    explicit Child(Limits& limits) : counts(limits), mask(limits) {}
};

// Sets the counts and literals of a node that holds all rows of the problem.
void count_root(const Problem& problem, Node& root);

class Search {
public:
    // remember_completions: keep greedy values too; worth it when nodes are reached by several paths.
    Search(const Problem& problem, Workers& workers, bool remember_completions);
    ~Search();

    // lookahead >= 1.
    Bounds value(Node& node, std::size_t depth, std::size_t lookahead, Cost budget = kInfinite);

    // The split of `node` on a feature of the problem, as two nodes.
    void split(const Node& node, std::int32_t feature, Node& yes, Node& no);

    // For whoever looks at all splits of a node and not at the best alone, each thread as a worker of its own:
    // V of both children of the split of `node` on the feature f of its view, with depth - 1 levels left. True
    // when together they are within the budget, and then exact. `node` must have its pairs counted if its
    // children's last levels are to be searched exhaustively.
    bool sides(std::size_t worker, const Node& node, std::size_t f, std::size_t depth, std::size_t lookahead,
               Cost budget, Cost (&values)[2]);
    std::vector<std::size_t> ranked(const Node& node);  // features that divide its rows, most promising first
    const Child& child(std::size_t worker, const Node& node, int side);  // of the last call of sides
    bool count_pairs(std::size_t worker, Node& node);                    // false when stopped
    void take(std::size_t worker, const Node& node, std::int32_t feature, bool yes, Node& out);

    const Cache& cache() const { return cache_; }
    Greedy& greedy(std::size_t worker = 0);
    Statistics statistics() const;

private:
    struct Level;   // scratch memory of one recursion level
    struct Worker;  // scratch memory of one thread
    struct Choice;  // the candidates at one node, and the best of them so far

    // V of an open child with depth levels left, given what is known of it.
    Bounds value(Worker& worker, std::size_t level, const Node& parent, bool yes, std::size_t depth,
                 std::size_t lookahead, Cost budget, const Bounds& known);
    // What is known of a child without searching it.
    Bounds known(Worker& worker, const Node& parent, Child& child, std::size_t depth, std::size_t lookahead);
    // The sum of V of both open children as far as they are within the budget, with their lower bounds raised.
    Cost values(Worker& worker, std::size_t level, const Node& node, std::size_t depth, std::size_t lookahead,
                Cost budget, int first, Cost (&lower)[2]);
    bool remembers(std::size_t lookahead) const { return lookahead >= 1 || remember_completions_; }
    Subproblem key_of(const Node& parent, Child& child, std::size_t depth, std::size_t lookahead) const {
        return {literals_of(parent, child), static_cast<std::uint16_t>(depth),
                static_cast<std::uint16_t>(lookahead)};
    }
    Bounds look_up(Worker& worker, const Subproblem& key, const Bounds& known);
    Bounds search(Worker& worker, std::size_t level, const Node& node, std::size_t depth,
                  std::size_t lookahead, Cost budget);
    void try_feature(Worker& worker, std::size_t level, const Node& node, std::size_t f, std::size_t depth,
                     std::size_t lookahead, Cost budget, Choice& choice);
    void rank(Worker& worker, std::size_t level, const Node& node, bool optimal, Choice& choice);
    void open(Worker& worker, std::size_t level, const Node& node, std::size_t f);
    // The optimal value needs pair counts. With several levels of lookahead they pay too: they count the
    // children of all features at once, and bound them.
    bool needs_pairs(std::size_t depth, std::size_t lookahead) const {
        return depth > 1 && (lookahead == depth || remember_completions_);
    }
    Cost three_leaf_bound(Worker& worker, const View& view, const Count* counts) const;
    bool enter(Worker& worker, std::size_t level, const Node& parent, bool yes, std::size_t depth,
               std::size_t lookahead);
    Bounds last_two_levels(Worker& worker, std::size_t level, const Node& parent, bool yes);
    void similar_support(const Node& node, std::size_t f, const Count* yes_counts, Choice& choice) const;
    void take_open(Worker& worker, const Node& node, bool yes, Node& out);
    static std::size_t place_of(const Node& node, std::int32_t feature);
    const std::vector<Word>& literals_of(const Node& parent, Child& child) const;
    const Word* mask_of(const Node& parent, Child& child, std::size_t f, bool yes) const;

    const Problem& problem_;
    Workers& threads_;
    Cache cache_;
    const bool remember_completions_;
    std::vector<std::unique_ptr<Worker>> workers_;
};

}  // namespace splitsecond
