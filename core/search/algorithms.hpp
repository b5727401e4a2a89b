// The algorithms of the paper, each a short composition over V (recursion.hpp).
//
//     greedy          Algorithm 4: the tree behind V(D, d, 0)
//     lickety_split   Algorithm 3: the first split of V(D, d, 1), then the same on both children with d-1;
//                     with more lookahead k, the first split of V(D, d, k)
//     split           Algorithm 2: the prefix that attains V(D, d, lookahead); the optimal tree at each of its leaves
//     optimal         GOSDT's problem: the tree behind V(D, d, d)
//
// The paper renormalises lambda for each subproblem. Costs here are in units of the whole table, so that nothing is
// rescaled.
//
// Invariant: optimal <= split <= V(D, d, lookahead) <= greedy <= leaf, and optimal <= lickety_split <= V(D, d, k).
// Cost:      docs/architecture.md, "Cost".
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "search/recursion.hpp"
#include "search/tree.hpp"

namespace splitsecond {

// Trees of a stopped search are valid but unfinished.
class Algorithms {
public:
    Algorithms(const Problem& problem, Search& search) : problem_(problem), search_(search) {}

    Tree greedy(const Node& node, std::size_t depth) {
        try {
            return search_.greedy_tree(node, depth);
        } catch (const LimitReached&) {
            return single_leaf(node);
        }
    }

    // consume: the node's rows may be given up once its children have theirs.
    Tree lickety_split(Node& node, std::size_t depth, std::size_t lookahead, bool consume) {
        return split_on(
            node, search_.value(node, depth, lookahead).feature,
            [&](Node& child) { return lickety_split(child, depth - 1, lookahead, true); }, consume);
    }

    Tree split(Node& node, std::size_t depth, std::size_t lookahead, bool postprocess) {
        if (lookahead > 0) search_.value(node, depth, lookahead);
        return prefix(node, depth, std::min(lookahead, depth),
                      [&](Node& leaf, std::size_t depth_left, std::size_t lookahead_left) {
                          Tree completed = lookahead_left == 0 ? greedy(leaf, depth_left) : single_leaf(leaf);
                          return postprocess ? optimal(leaf, depth_left, std::move(completed)) : completed;
                      });
    }

    // The optimal tree; or the incumbent, a tree known already whose cost is the budget, where the search was stopped
    // before it found a better one.
    Tree optimal(Node& node, std::size_t depth, Tree incumbent, Bounds* proved = nullptr) {
        const Bounds found = search_.value(node, depth, depth, incumbent.cost(problem_.objective));
        if (proved != nullptr) *proved = found;
        Tree tree = prefix(node, depth, depth,
                           [&](Node& leaf, std::size_t, std::size_t) { return single_leaf(leaf); });
        return tree.cost(problem_.objective) <= incumbent.cost(problem_.objective) ? tree : incumbent;
    }

private:
    // The prefix that attains V(D, depth, lookahead), each of its ends made into a tree by `finish`.
    template <class Finish>
    Tree prefix(Node& node, std::size_t depth, std::size_t lookahead, const Finish& finish) {
        const std::int32_t feature = lookahead == 0 ? -1 : search_.known_split(node, depth, lookahead);
        if (feature < 0) return finish(node, depth, lookahead);
        return split_on(node, feature,
                        [&](Node& child) { return prefix(child, depth - 1, lookahead - 1, finish); });
    }

    // A split on a feature of the problem with what `grow_child` makes of both sides; a leaf when feature < 0
    // or, as can happen in a search that was stopped, when the split does not pay.
    template <class GrowChild>
    Tree split_on(Node& node, std::int32_t feature, const GrowChild& grow_child, bool consume = false) {
        Tree tree = single_leaf(node);
        if (feature < 0) return tree;
        try {
            Node yes(problem_.limits), no(problem_.limits);
            search_.divide(node, feature, yes, no);
            if (consume && node.counter == nullptr) node.own.data.free();
            if (consume) node.counter.reset();
            const Tree left = grow_child(yes);
            yes.own.data.free();
            const Tree right = grow_child(no);
            const Objective& objective = problem_.objective;
            if (left.cost(objective) + right.cost(objective) < tree.cost(objective)) {
                tree.feature[0] = feature;
                tree.left[0] = tree.append(left);
                tree.right[0] = tree.append(right);
            }
        } catch (const LimitReached&) {
        }
        return tree;
    }

    Tree single_leaf(const Node& node) const {
        Tree tree(node.view().n_classes);
        tree.add_leaf(node.counts.data() + node.view().ones(), node.view().stride);
        return tree;
    }

    const Problem& problem_;
    Search& search_;
};

}  // namespace splitsecond
