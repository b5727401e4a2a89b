// The greedy completion T_g (Algorithm 4 of the paper): split on the feature of highest information gain, then
// prune bottom up.
//
//     greedy(D, 0) = leaf(D)
//     greedy(D, d) = min( leaf(D), greedy(D_f, d-1) + greedy(D_notf, d-1) )    f of minimum split entropy;
//                    with exact_last_split and d = 1: f of minimum loss
//
// d counts levels of splits; the paper's listing stops at d = 1.
// build() is this definition; value() evaluates it, with bounds that cut it short.
//
// Ties:      the first feature whose split entropy is within 1e-9 bits of the minimum; a leaf is preferred to
//            a split of equal cost.
// Cost:      at each inner node one count over the rows of the smaller child; the other is subtracted.
#pragma once

#include <cstddef>
#include <deque>
#include <vector>

#include "search/problem.hpp"
#include "search/tree.hpp"

namespace splitsecond {

struct Gains {  // scratch memory: criterion[j] is what greedy chooses by
    std::vector<double> criterion;
    Totals totals;
};

// The feature of `view` that is best by the loss's criterion, for 0-1 loss of highest information gain, on rows with
// these counts; -1: none divides them.
std::ptrdiff_t best_gain(const Problem& problem, const View& view, const Count* counts, Gains& gains);

class Greedy {  // scratch memory for one thread
public:
    explicit Greedy(const Problem& problem) : problem_(problem) {}

    // Value of the greedy tree if it is at most `budget`; otherwise some lower bound above the budget.
    // rows: null for all rows of the view; counts: class counts of those rows.
    Cost value(const View& view, const Word* rows, const Count* counts, std::size_t depth, Cost budget) {
        return value(view, rows, counts, depth, budget, 0);
    }

    // Appends the greedy tree to `tree`; returns its cost. When stopped, branches end early.
    Cost build(const View& view, const Word* rows, const Count* counts, std::size_t depth, Tree& tree) {
        return build(view, rows, counts, depth, 0, tree);
    }

    // What the counts of a node tell of its value. feature < 0: it is `lower` where that is at most the budget, and
    // above the budget otherwise. Else: greedy splits on that feature, and both sides together need at least `lower`.
    struct Look {
        Cost leaf;
        Cost lower;
        std::ptrdiff_t feature;
    };
    Look look(const View& view, const Count* counts, std::size_t depth, Cost budget);

    // The feature that greedy splits on; -1: none divides the rows, or at the last level none beats a leaf.
    std::ptrdiff_t choose(const View& view, const Count* counts, std::size_t depth);

    Cost min_stump_loss(const View& view, const Count* counts);  // after one split, the best

private:
    struct Level {  // the children of a node
        explicit Level(Limits& limits)
            : mask{Buffer<Word>(limits), Buffer<Word>(limits)},
              counts{Buffer<Count>(limits), Buffer<Count>(limits)},
              gathered(limits) {}
        const View* view = nullptr;  // what the masks and counts are of
        Buffer<Word> mask[2];        // yes, no
        Buffer<Count> counts[2];
        View gathered;
    };

    Cost value(const View& view, const Word* rows, const Count* counts, std::size_t depth, Cost budget,
               std::size_t level);
    Cost build(const View& view, const Word* rows, const Count* counts, std::size_t depth, std::size_t level,
               Tree& tree);
    Cost floor_without_split(const View& view, const Count* counts, std::size_t depth, Cost leaf,
                             Cost budget);
    bool stop(const View& view);
    Level& divide(const View& view, const Word* rows, const Count* counts, std::size_t depth,
                  std::size_t level, std::size_t f);

    const Problem& problem_;
    std::deque<Level> levels_;
    std::size_t nodes_ = 0;
    Gains gains_;
};

}  // namespace splitsecond
