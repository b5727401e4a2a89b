// From values to trees: the algorithms as compositions over V (search.hpp).
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "search/recursion.hpp"
#include "search/tree.hpp"

namespace splitsecond {

// Grows trees from the values that Search finds. Trees of a stopped search are valid but unfinished.
class Grower {
public:
    Grower(const Problem& problem, Search& search) : problem_(problem), search_(search) {}

    Tree greedy(const Node& node, std::size_t depth) {
        return grow(node, [&](Tree& tree) {
            search_.greedy().build(node.view(), nullptr, node.counts.data(), depth, tree);
        });
    }

    // consume: the node's rows may be given up once its children have theirs.
    Tree lickety(Node& node, std::size_t depth, bool consume) {
        return split_on(
            node, search_.value(node, depth, 1).feature,
            [&](Node& child) { return lickety(child, depth - 1, true); }, consume);
    }

    // The tree behind V(D, depth, lookahead), its leaves replaced by what `finish` makes of them.
    template <class Finish>
    Tree prefix(Node& node, std::size_t depth, std::size_t lookahead, const Finish& finish) {
        const std::int32_t feature = lookahead == 0 ? -1 : known_split(node, depth, lookahead);
        if (feature < 0) return finish(node, depth, lookahead);
        return split_on(node, feature,
                        [&](Node& child) { return prefix(child, depth - 1, lookahead - 1, finish); });
    }

    Tree split(Node& node, std::size_t depth, std::size_t lookahead, bool postprocess) {
        if (lookahead > 0) search_.value(node, depth, lookahead);
        return prefix(node, depth, std::min(lookahead, depth),
                      [&](Node& leaf, std::size_t depth_left, std::size_t lookahead_left) {
                          Tree completed = lookahead_left == 0 ? greedy(leaf, depth_left) : lone_leaf(leaf);
                          return postprocess ? optimal(leaf, depth_left, std::move(completed)) : completed;
                      });
    }

    // The optimal tree, or the incumbent where the search was stopped before it found a better one.
    Tree optimal(Node& node, std::size_t depth, Tree incumbent, Bounds* proved = nullptr) {
        const Bounds found = search_.value(node, depth, depth, incumbent.cost(problem_.price));
        if (proved != nullptr) *proved = found;
        Tree tree =
            prefix(node, depth, depth, [&](Node& leaf, std::size_t, std::size_t) { return lone_leaf(leaf); });
        return tree.cost(problem_.price) <= incumbent.cost(problem_.price) ? tree : incumbent;
    }

private:
    template <class Build>
    Tree grow(const Node& node, const Build& build) {
        Tree tree(node.view().n_classes);
        try {
            build(tree);
        } catch (const LimitReached&) {
            tree = lone_leaf(node);
        }
        return tree;
    }

    Tree lone_leaf(const Node& node) const {
        Tree tree(node.view().n_classes);
        tree.add_leaf(node.counts.data() + node.view().ones(), node.view().stride);
        return tree;
    }

    // The first split that the search found for V(D, depth, lookahead); -1: a leaf.
    std::int32_t known_split(const Node& node, std::size_t depth, std::size_t lookahead) const {
        const Count* counts = node.counts.data();
        const Cost leaf = problem_.price.of(node_errors(node.view(), counts), 1);
        if (depth == 0 || leaf <= split_floor(problem_, node.view(), counts)) return -1;
        if (depth == 1) return solve_one_level(problem_, node.view(), counts).feature;
        const auto found = search_.cache().find(
            {node.literals, static_cast<std::uint16_t>(depth), static_cast<std::uint16_t>(lookahead)});
        return found ? found->feature : -1;
    }

    // A split on a feature of the problem with what `grow_child` makes of both sides; a leaf when feature < 0
    // or, as can happen in a search that was stopped, when the split does not pay.
    template <class GrowChild>
    Tree split_on(Node& node, std::int32_t feature, const GrowChild& grow_child, bool consume = false) {
        Tree tree = lone_leaf(node);
        if (feature < 0) return tree;
        try {
            Node yes(problem_.limits), no(problem_.limits);
            search_.split(node, feature, yes, no);
            if (consume) node.own.data.free();
            const Tree left = grow_child(yes);
            yes.own.data.free();
            const Tree right = grow_child(no);
            if (left.cost(problem_.price) + right.cost(problem_.price) < tree.cost(problem_.price)) {
                tree.feature[0] = feature;
                tree.left[0] = tree.append(left);
                tree.right[0] = tree.append(right);
            }
        } catch (const LimitReached&) {
        }
        return tree;
    }

    const Problem& problem_;
    Search& search_;
};

}  // namespace splitsecond
