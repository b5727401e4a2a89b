#include "search/session.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>
#include <vector>

#include "data/equal_rows.hpp"
#include "search/row_order.hpp"

namespace splitsecond {
namespace {

constexpr std::size_t kMaxDepth = 65535;  // of the cache's keys

// What the options say, for rows of so much weight.
Problem problem_of(const SearchOptions& options, Cost weight, Limits& limits) {
    Problem problem{options.objective, options.speed, limits};
    // Losses that greedy chooses by are what it does anyway.
    problem.exact_last_split = options.exact_last_split && !options.objective.is_own_criterion();
    problem.min_leaf_rows = options.min_leaf_rows;
    problem.max_row_cost = options.objective.max_row_cost(weight);
    LossParameters& parameters = problem.objective.parameters;
    parameters.leaf_rounding = options.objective.leaf_rounding(weight);
    parameters.max_leaves = std::ldexp(1.0, static_cast<int>(std::min<std::size_t>(options.max_depth, 64)));
    return problem;
}

Cost weight_of(const View& view) {
    Cost sum = 0;
    for (const Run& run : view.runs) {
        if (run.channel == view.n_classes) continue;
        Cost rows = 0;
        for (std::size_t w = run.begin; w < run.end; ++w) rows += std::popcount(view.column(w, view.ones()));
        sum += run.weight * rows;
    }
    return sum;
}

Node root_of(const Problem& problem, View view, const CounterSource& open_counter) {
    Node root(problem.limits);
    root.own = std::move(view);
    if (open_counter) root.counter = open_counter(root.own);
    count_root(problem, root);
    return root;
}

}  // namespace

Session::Session(View view, const SearchOptions& options, bool shares_subproblems, Limits& limits,
                 Completion completion)
    : problem(problem_of(options, weight_of(view), limits)),
      root(root_of(problem, std::move(view), options.open_counter)),
      depth(std::min({options.max_depth, root.own.n_features, kMaxDepth})),
      workers(options.n_threads, limits),
      search(problem, workers, shares_subproblems, completion),
      algorithms(problem, search),
      greedy(algorithms.greedy(root, depth)) {}

void Session::order_rows() { cluster_rows(problem, greedy, root.own); }

void Session::find_unavoidable() {
    if (!problem.speed.equivalent_points || !problem.objective.has_unavoidable()) return;
    mark_unavoidable(problem.kernels(), problem.objective, root.own, problem.limits);
    count_root(problem, root);
}

Tree single_leaf(const Target& target, std::size_t n_rows) {
    std::vector<Count> counts(target.n_classes, 0);
    for (std::size_t i = 0; i < n_rows; ++i)
        target.for_channels_of(i, [&](std::size_t channel, Count weight) { counts[channel] += weight; });
    Tree tree(target.n_classes);
    tree.add_leaf(counts.data(), 1);
    return tree;
}

}  // namespace splitsecond
