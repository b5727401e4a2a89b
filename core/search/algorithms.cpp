#include "search/algorithms.hpp"

#include <algorithm>
#include <limits>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "search/row_order.hpp"
#include "search/greedy.hpp"
#include "search/grower.hpp"
#include "search/recursion.hpp"
#include "runtime/workers.hpp"

namespace splitsecond {
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

Tree lone_leaf(const Target& target, std::size_t n_rows) {
    std::vector<Count> counts(target.n_classes, 0);
    for (std::size_t i = 0; i < n_rows; ++i) counts[target.class_of(i)] += target.weight_of(i);
    Tree tree(target.n_classes);
    tree.add_leaf(counts.data(), 1);
    return tree;
}

namespace {

// Sets tree, lower bound and statistics of the solution.
void solve_packed(View& view, const Options& options, Limits& limits, Solution& solution) {
    const Problem problem{options.price, options.speed, limits, options.exact_last_split};
    Node root(limits);
    root.own = std::move(view);
    count_root(problem, root);
    const std::size_t depth = std::min({options.max_depth, root.own.n_features, std::size_t{65535}});
    Workers workers(options.n_threads, limits);
    Search search(problem, workers, options.algorithm == Algorithm::split && options.lookahead > 1);
    Grower grower(problem, search);

    // The greedy tree first: whatever happens from here on, there is something to return.
    const Tree greedy = grower.greedy(root, depth);
    solution.tree = greedy;
    const bool exact_part = options.algorithm == Algorithm::optimal ||
                            (options.algorithm == Algorithm::split && options.postprocess);
    if (options.algorithm != Algorithm::greedy) cluster_rows(problem, greedy, root.own);
    if (exact_part && options.speed.equivalent_points) {
        mark_unavoidable(*options.speed.kernels, root.own, limits);
        count_root(problem, root);
    }
    const Cost leaf = options.price.of(node_errors(root.own, root.counts.data()), 1);
    solution.lower_bound =
        depth == 0 ? leaf : std::min(leaf, split_floor(problem, root.own, root.counts.data()));
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
    if (solution.tree.size() == 0) solution.tree = lone_leaf(target, table.n_rows);
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
