// Greedy completions of many candidates together, level by level, from counts of all of them at once.
//
// What:      the first split of V(D, d, 1) (recursion.hpp): the greedy trees below the children of many splits grow at
//            the same time. On each level every open node chooses its split from its counts, by the same functions as
//            Greedy does; bounds drop nodes and candidates; the counter counts one child of each node that is left, and
//            the other follows by subtraction. One pass over the rows serves a level of all of them, where Greedy passes
//            over the rows once for each node.
// Answer:    what trying the candidates one by one gives: the least (cost, feature), a leaf before any.
// Memory:    the counts of the nodes of two levels, for as many candidates at a time as there is room for.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

#include "runtime/workers.hpp"
#include "search/candidates.hpp"
#include "search/greedy.hpp"
#include "search/level_counter.hpp"
#include "search/open_split.hpp"
#include "search/tree.hpp"

namespace splitsecond {

class LevelSearch {
public:
    LevelSearch(const Problem& problem, Workers& workers);

    // How many candidates to evaluate at a time; 0: one by one is faster. At least 1 where the rows are elsewhere.
    std::size_t batch_size(const Node& node, std::size_t depth) const;

    // Evaluates the splits of the node as far as needed to know the best, with greedy trees of `depth` - 1 levels
    // below them. depth >= 2. Throws LimitReached where there is no room.
    void try_all(const Node& node, std::size_t depth, Candidates& candidates, Statistics& statistics);

    // The greedy tree of a node, as Greedy::build makes it. Throws LimitReached when stopped.
    Tree build(const Node& node, std::size_t depth);

private:
    // The two children of a split of a candidate, or further down. Nodes 2i (yes) and 2i + 1 (no) are those of pair i.
    struct Pair {
        std::int32_t parent;  // a node; -1: the split is of the node that is searched
        std::size_t feature;  // of the view
        const Count* counts;  // of the parent
    };
    struct Grown {
        const Count* counts = nullptr;
        std::ptrdiff_t feature = -1;  // that greedy splits on; -1: none, or nothing matters below
        Cost leaf = 0;
        Cost lower = 0;   // proved
        Cost upper = 0;   // of a tree that there is
        Cost budget = 0;  // above it nothing matters
        bool settled() const { return lower == upper || lower > budget; }
    };

    void try_batch(const Node& node, LevelCounter& counter, std::size_t depth, std::size_t begin,
                   std::size_t end, Candidates& candidates);
    bool count_children(const View& view, LevelCounter& counter, std::size_t first, std::size_t level);
    void measure(const View& view, std::size_t first);
    void look(const View& view, std::size_t first, std::size_t depth);
    void fold();
    void spread_budgets(const View& view, const Candidates& candidates);
    std::size_t add_children(std::size_t first);
    std::int32_t literal_of(std::size_t node) const;
    void emit(const View& view, std::size_t pair, std::size_t place,
              const std::vector<std::int32_t>& pair_below, const std::vector<Count>& classes,
              Tree& tree) const;

    const Problem& problem_;
    Workers& workers_;
    std::deque<Greedy> greedy_;  // one for each thread
    std::vector<Pair> pairs_;    // of one batch, level by level
    std::vector<Grown> grown_;
    std::vector<std::int32_t> literals_;
    Buffer<Count> counts_[2];  // of the nodes of this level and of the last
};

}  // namespace splitsecond
