// Nodes, and the two children of a split while it is being looked at.
//
// What:      a Node is a subproblem with its rows at hand. An OpenSplit holds both children of one split of a node:
//            their counts at once, everything else (which rows, the literals that name them, gathered rows, pair
//            counts, a Node of their own) once it is asked for, so that a child that bounds refuse costs no more
//            than its counts.
// Memory:    scratch memory that is used again for the next split; one OpenSplit for each thread and level.
// Stopped:   what gathers rows throws LimitReached; what counts pairs returns false or null.
#pragma once

#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

#include "search/cache.hpp"
#include "search/level_counter.hpp"
#include "search/pairs.hpp"
#include "search/problem.hpp"

namespace splitsecond {

// Its rows are those gathered in `own`, or the subset `rows` of `*wider`; or they are elsewhere, and `own` has their
// columns alone.
struct Node {
    View own;
    std::unique_ptr<RemoteCounter> counter;  // of rows that are elsewhere
    const View* wider = nullptr;
    const Word* rows = nullptr;  // null: all of the view
    Buffer<Count> counts;
    std::vector<Word> literals;
    PairMatrix pairs;
    bool has_pairs = false;

    explicit Node(Limits& limits) : Node(View(limits)) {}
    explicit Node(View rows_) : own(std::move(rows_)), counts(own.data.limits()), pairs(own.data.limits()) {}

    const View& view() const { return wider == nullptr ? own : *wider; }
    Subproblem key(std::size_t depth, std::size_t lookahead) const { return {literals, depth, lookahead}; }
    // False when stopped.
    bool count_pairs(const Problem& problem, Statistics& statistics);
};

// Sets the counts and literals of a node that holds all rows of the problem, by a counter if one is given that is not
// stopped. Throws LimitReached where rows are elsewhere and their counter is stopped.
void count_root(const Problem& problem, Node& root, LevelCounter* counter = nullptr);

class OpenSplit {
public:
    OpenSplit(const Problem& problem, Statistics& statistics);

    // Counts both children of the split of `node` on the feature f of its view. Everything below is about these.
    void open(const Node& node, std::size_t f);
    // The same for a feature of the problem.
    void open_on(const Node& node, std::int32_t feature);

    const Node& parent() const { return *parent_; }
    const View& view() const { return parent_->view(); }  // whose columns the children's counts are of
    const Count* counts(int side) const { return child_[side].counts.data(); }
    Cost weight(int side) const { return weight_at(view(), counts(side), view().ones()); }
    Cost leaf_cost(int side) const { return splitsecond::leaf_cost(problem_, view(), counts(side)); }
    Cost split_floor(int side) const { return splitsecond::split_floor(problem_, view(), counts(side)); }

    const Word* rows(int side);  // of the parent's view
    const std::vector<Word>& literals(int side);
    Subproblem key(int side, std::size_t depth, std::size_t lookahead) {
        return {literals(side), depth, lookahead};
    }

    // Pair counts in the parent's columns, to solve two levels by; null when stopped. What cancels there is not counted.
    const PairMatrix* pairs(int side);
    // The child as a node of its own, to be searched next; null when stopped. wide: its rows may stay among its
    // parent's, where that saves gathering them.
    Node* enter(int side, bool with_pairs, bool wide);
    // The child as a node that stays.
    void take(int side, Node& out);

private:
    struct Child {
        explicit Child(Limits& limits) : counts(limits), mask(limits), gathered(limits), pairs(limits) {}

        Buffer<Count> counts;
        std::vector<Word> literals;
        Buffer<Word> mask;
        View gathered;     // its rows, or those that pairs are counted of, and
        PairMatrix pairs;  // their pair counts, both in the parent's columns
        bool has_literals = false;
        bool has_mask = false;
        bool has_pairs = false;
    };

    bool count_pairs(int side);
    bool subtract_wide(int side, Node& node);
    bool subtract(int side, const std::vector<std::uint32_t>& columns, Node& node);

    const Problem& problem_;
    Statistics& statistics_;
    const Node* parent_ = nullptr;
    std::size_t feature_ = 0;  // of the parent's view
    Child child_[2];           // yes, no
    Node node_;                // the child that was entered
};

}  // namespace splitsecond
