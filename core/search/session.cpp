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

}  // namespace

Session::Session(View view, const SearchOptions& options, bool shares_subproblems, Limits& limits,
                 Completion completion)
    : problem(problem_of(options, weight_of(view), limits)),
      root(std::move(view)),
      depth(std::min({options.max_depth, root.own.n_features, kMaxDepth})),
      workers(options.n_threads, limits),
      search(problem, workers, shares_subproblems, completion),
      algorithms(problem, search),
      greedy(start(options.open_counter)) {}

Tree Session::start(const CounterSource& open_counter) {
    if (open_counter) root.counter = open_counter(root.own);
    search.count_root(root);
    return algorithms.greedy(root, depth);
}

void Session::order_rows() { cluster_rows(problem, greedy, workers, root.own); }

void Session::find_unavoidable() {
    if (!problem.speed.equivalent_points || !problem.objective.has_unavoidable()) return;
    mark_unavoidable(problem.kernels(), problem.objective, root.own, problem.limits);
    search.count_root(root);
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
