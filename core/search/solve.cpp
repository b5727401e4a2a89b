#include "search/solve.hpp"

#include <algorithm>
#include <utility>

namespace splitsecond {
namespace {

// Whether the unavoidable loss saves more than the pass over the rows that finds it.
bool uses_unavoidable(const Options& options, std::size_t depth) {
    constexpr std::size_t kShallow = 3;  // levels that LicketySPLIT searches faster than the rows are passed
    switch (options.algorithm) {
        case Algorithm::greedy: return false;
        case Algorithm::lickety_split: return options.lookahead > 1 && depth > kShallow;
        case Algorithm::split: return options.postprocess;
        case Algorithm::optimal: break;
    }
    return true;
}

// Searches that count all rows only a few times are done before equal rows are found.
PackOptions pack_options(const Options& options) {
    PackOptions pack = options.pack_options();
    if (options.algorithm == Algorithm::greedy && pack.merging == Merging::when_it_pays)
        pack.merging = Merging::never;
    return pack;
}

// Sets tree, lower bound and statistics of the solution.
void solve_packed(View view, const Options& options, Limits& limits, Solution& solution) {
    const Algorithm algorithm = options.algorithm;
    const bool looks_ahead = algorithm == Algorithm::split || algorithm == Algorithm::lickety_split;
    Session session(std::move(view), options, looks_ahead && options.lookahead > 1, limits,
                    algorithm == Algorithm::lickety_split ? options.completion : Completion::greedy);
    Node& root = session.root;
    const std::size_t depth = session.depth;
    solution.tree = session.greedy;
    if (algorithm != Algorithm::greedy && root.counter == nullptr) session.order_rows();
    if (uses_unavoidable(options, depth)) session.find_unavoidable();
    const Count* counts = root.counts.data();
    const Cost leaf = leaf_cost(session.problem, root.own, counts);
    solution.lower_bound = depth == 0 ? leaf : std::min(leaf, split_floor(session.problem, root.own, counts));
    switch (algorithm) {
        case Algorithm::greedy: break;
        case Algorithm::lickety_split:
            solution.tree = session.algorithms.lickety_split(
                root, depth, std::max<std::size_t>(options.lookahead, 1), true);
            break;
        case Algorithm::split:
            solution.tree = session.algorithms.split(root, depth, options.lookahead, options.postprocess);
            break;
        case Algorithm::optimal: {
            Bounds proved;
            Tree incumbent = session.algorithms.lickety_split(root, depth, 1, false);
            solution.tree = session.algorithms.optimal(root, depth, std::move(incumbent), &proved);
            solution.lower_bound = std::max(solution.lower_bound, proved.lower);
            break;
        }
    }
    // A search that was stopped may have less to show than the tree it started from.
    if (session.cost(session.greedy) < session.cost(solution.tree)) solution.tree = session.greedy;
    solution.statistics = session.search.statistics();
}

}  // namespace

Solution solve(const Table& table, const Target& target, Options options, Limits& limits) {
    if (options.speed.kernels == nullptr) options.speed.kernels = &find_kernels("auto");
    check(table, target);
    Solution solution;
    solution.lower_bound = split_floor(options.objective.price, 0);
    try {
        View view(limits);
        solution.not_binary =
            pack(*options.speed.kernels, table, target, limits, view, pack_options(options));
        if (solution.not_binary) return solution;
        solution.packed = !limits.stopped();
        if (solution.packed) solve_packed(std::move(view), options, limits, solution);
    } catch (const LimitReached&) {
    }
    if (solution.tree.size() == 0) solution.tree = single_leaf(target, table.n_rows);
    solution.loss = solution.tree.loss(options.objective);
    solution.leaves = solution.tree.leaves();
    solution.lower_bound = std::min(solution.lower_bound, solution.tree.cost(options.objective));
    solution.status = limits.reason();
    solution.peak_bytes = limits.peak_bytes();
    solution.seconds = limits.seconds();
    return solution;
}

}  // namespace splitsecond
