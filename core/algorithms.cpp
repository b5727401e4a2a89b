#include "algorithms.hpp"

#include <algorithm>
#include <limits>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "cluster.hpp"
#include "greedy.hpp"
#include "search.hpp"
#include "workers.hpp"

namespace splitsecond {
namespace {

// Grows trees from the values that Search finds. Trees of a stopped search are valid but unfinished.
class Grower {
public:
    Grower(const Problem& problem, Search& search) : problem_(problem), search_(search) {}

    Tree greedy(const Node& node, std::size_t depth) {
        return grow(node, [&](Tree& tree) {
            search_.greedy().build(node.view, nullptr, node.counts.data(), depth, tree);
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
        Tree tree(node.view.n_classes);
        try {
            build(tree);
        } catch (const LimitReached&) {
            tree = lone_leaf(node);
        }
        return tree;
    }

    Tree lone_leaf(const Node& node) const {
        Tree tree(node.view.n_classes);
        tree.add_leaf(node.counts.data() + node.view.ones(), node.view.stride);
        return tree;
    }

    // The first split that the search found for V(D, depth, lookahead); -1: a leaf.
    std::int32_t known_split(const Node& node, std::size_t depth, std::size_t lookahead) const {
        const Count* counts = node.counts.data();
        const Cost leaf = problem_.price.of(node_errors(node.view, counts), 1);
        if (depth == 0 || leaf <= split_floor(problem_, node.view, counts)) return -1;
        if (depth == 1) return solve_one_level(problem_, node.view, counts).feature;
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
            if (consume) node.view.data.free();
            const Tree left = grow_child(yes);
            yes.view.data.free();
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

void check(const Table& table, const Target& target) {
    std::int64_t total = 0;
    for (std::size_t i = 0; i < table.n_rows; ++i) {
        if (target.class_of(i) >= target.n_classes)
            throw std::invalid_argument("the class of row " + std::to_string(i) + " is not below " +
                                        std::to_string(target.n_classes) + ".");
        const Count weight = target.weight_of(i);
        if (weight < 0) throw std::invalid_argument("weight of row " + std::to_string(i) + " is negative.");
        total += weight;
    }
    if (total <= 0) throw std::invalid_argument("the weights of all rows are zero.");
    if (total > std::numeric_limits<Count>::max())
        throw std::invalid_argument("the weights add up to " + std::to_string(total) +
                                    "; at most 2^31 - 1 is possible.");
}

// A leaf, straight from the target: the answer when not even the rows fit the limits.
Tree leaf_of(const Target& target, std::size_t n_rows) {
    std::vector<Count> counts(target.n_classes, 0);
    for (std::size_t i = 0; i < n_rows; ++i) counts[target.class_of(i)] += target.weight_of(i);
    Tree tree(target.n_classes);
    tree.add_leaf(counts.data(), 1);
    return tree;
}

void count_root(const Kernels& kernels, Node& root) {
    Buffer<Word> all(root.counts.limits()), none(root.counts.limits());
    all.resize(root.view.n_words());
    none.resize(root.view.n_words());
    split_rows(kernels, root.view, nullptr, root.view.ones(), all.data(), none.data(), root.counts.data());
}

// Sets tree, lower bound and statistics of the solution.
void solve_packed(View& view, const Options& options, Limits& limits, Solution& solution) {
    Node root(limits);
    root.view = std::move(view);
    root.counts.resize(root.view.n_classes * root.view.stride);
    count_root(*options.speed.kernels, root);
    std::uint32_t n_literals = 0;
    for (const std::uint32_t feature : root.view.features) n_literals = std::max(n_literals, 2 * feature + 2);
    root.literals.assign((n_literals + 63) / 64, 0);

    const Problem problem{options.price, options.speed, limits, options.exact_last_split};
    const std::size_t depth = std::min({options.max_depth, root.view.n_features, std::size_t{65535}});
    Workers workers(options.n_threads, limits);
    Search search(problem, workers, options.algorithm == Algorithm::split && options.lookahead > 1);
    Grower grower(problem, search);

    // The greedy tree first: whatever happens from here on, there is something to return.
    const Tree greedy = grower.greedy(root, depth);
    solution.tree = greedy;
    const bool exact_part = options.algorithm == Algorithm::optimal ||
                            (options.algorithm == Algorithm::split && options.postprocess);
    if (options.algorithm != Algorithm::greedy) cluster_rows(problem, greedy, root.view);
    if (exact_part && options.speed.equivalent_points) {
        mark_unavoidable(*options.speed.kernels, root.view, limits);
        count_root(*options.speed.kernels, root);
    }
    const Cost leaf = options.price.of(node_errors(root.view, root.counts.data()), 1);
    solution.lower_bound =
        depth == 0 ? leaf : std::min(leaf, split_floor(problem, root.view, root.counts.data()));
    switch (options.algorithm) {
        case Algorithm::greedy: break;
        case Algorithm::lickety: solution.tree = grower.lickety(root, depth, true); break;
        case Algorithm::split:
            solution.tree = grower.split(root, depth, options.lookahead, options.postprocess);
            break;
        case Algorithm::optimal: {
            Bounds proved;
            solution.tree = grower.optimal(root, depth, grower.lickety(root, depth, false), &proved);
            solution.lower_bound = std::max(solution.lower_bound, proved.lower);
            break;
        }
    }
    // A search that was stopped may have less to show than the tree it started from.
    if (greedy.cost(options.price) < solution.tree.cost(options.price)) solution.tree = greedy;
    solution.statistics = search.statistics();
}

}  // namespace

Solution solve(const Table& table, const Target& target, Options options, Limits& limits) {
    if (options.speed.kernels == nullptr) options.speed.kernels = &find_kernels("auto");
    check(table, target);
    Solution solution;
    solution.lower_bound = split_floor(options.price, 0);
    try {
        View view(limits);
        solution.not_binary = pack(*options.speed.kernels, table, target, limits, view);
        if (solution.not_binary) return solution;
        solution.packed = !limits.stopped();
        if (solution.packed) solve_packed(view, options, limits, solution);
    } catch (const LimitReached&) {
    }
    if (solution.tree.size() == 0) solution.tree = leaf_of(target, table.n_rows);
    const Cost cost = solution.tree.cost(options.price);
    solution.lower_bound = std::min(solution.lower_bound, cost);
    solution.errors = solution.tree.errors();
    solution.leaves = solution.tree.leaves();
    solution.status = limits.reason();
    solution.peak_bytes = limits.peak_bytes();
    solution.seconds = limits.seconds();
    return solution;
}

}  // namespace splitsecond
