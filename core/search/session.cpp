#include "search/session.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "data/equal_rows.hpp"
#include "search/row_order.hpp"

namespace splitsecond {
namespace {

constexpr std::size_t kMaxDepth = 65535;  // of the cache's keys

Node root_of(const Problem& problem, View view) {
    Node root(problem.limits);
    root.own = std::move(view);
    count_root(problem, root);
    return root;
}

}  // namespace

Session::Session(View view, const SearchOptions& options, bool shares_subproblems, Limits& limits)
    : problem{options.objective, options.speed, limits, options.exact_last_split},
      root(root_of(problem, std::move(view))),
      depth(std::min({options.max_depth, root.own.n_features, kMaxDepth})),
      workers(options.n_threads, limits),
      search(problem, workers, shares_subproblems),
      algorithms(problem, search),
      greedy(algorithms.greedy(root, depth)) {}

void Session::order_rows() { cluster_rows(problem, greedy, root.own); }

void Session::find_unavoidable() {
    if (!problem.speed.equivalent_points) return;
    mark_unavoidable(problem.kernels(), problem.objective, root.own, problem.limits);
    count_root(problem, root);
}

Tree single_leaf(const Target& target, std::size_t n_rows) {
    std::vector<Count> counts(target.n_classes, 0);
    for (std::size_t i = 0; i < n_rows; ++i) counts[target.class_of(i)] += target.weight_of(i);
    Tree tree(target.n_classes);
    tree.add_leaf(counts.data(), 1);
    return tree;
}

}  // namespace splitsecond
