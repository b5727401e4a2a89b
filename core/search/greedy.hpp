// The greedy completion T_g: split on the feature of highest information gain, then prune bottom up.
//
//     greedy(D, 0) = leaf(D)
//     greedy(D, d) = min( leaf(D), greedy(D_f, d-1) + greedy(D_notf, d-1) )    f of least split entropy;
//                    with exact_last_split and d = 1: f of least errors
//
// What:      evaluates the value, and builds the tree on request.
// Ties:      the first feature whose split entropy is within 1e-9 bits of the least; a leaf is preferred to
//            a split of equal cost.
// Cost:      at each inner node one count over the rows of the smaller child; the other is subtracted.
#pragma once

#include <cstddef>
#include <deque>
#include <vector>

#include "search/problem.hpp"
#include "search/tree.hpp"

namespace splitsecond {

struct Gains {  // scratch memory: entropy[j] is that of the split on j, times the rows' weight
    std::vector<double> entropy;
    std::vector<Count> totals;  // of each class

    void read(const View& view, const Count* counts);  // sets totals
};

// The feature of `view` with the highest information gain on rows with these counts; -1: none divides them.
std::ptrdiff_t best_gain(const Problem& problem, const View& view, const Count* counts, Gains& gains);

class Greedy {  // scratch memory for one thread
public:
    explicit Greedy(const Problem& problem) : problem_(problem) {}

    // Value of the greedy tree if it is at most `budget`; otherwise some lower bound above the budget.
    // rows: null for all rows of the view; counts: class counts of those rows.
    Cost value(const View& view, const Word* rows, const Count* counts, std::size_t depth, Cost budget) {
        return complete(view, rows, counts, depth, budget, 0, nullptr);
    }

    // Appends the greedy tree to `tree`; returns its cost. When stopped, branches end early.
    Cost build(const View& view, const Word* rows, const Count* counts, std::size_t depth, Tree& tree) {
        return complete(view, rows, counts, depth, kInfinite, 0, &tree);
    }

    Cost least_errors(const View& view, const Count* counts);  // after one split, the best

private:
    struct Level {
        explicit Level(Limits& limits)
            : mask{Buffer<Word>(limits), Buffer<Word>(limits)}, yes(limits), no(limits), view(limits) {}
        Buffer<Word> mask[2];
        Buffer<Count> yes;
        Buffer<Count> no;
        View view;
    };

    Cost complete(const View& view, const Word* rows, const Count* counts, std::size_t depth, Cost budget,
                  std::size_t level, Tree* tree);

    const Problem& problem_;
    std::deque<Level> levels_;
    std::size_t nodes_ = 0;
    Gains gains_;
};

}  // namespace splitsecond
