#include "search/candidates.hpp"

#include <algorithm>

namespace splitsecond {

Candidates::Candidates(const Problem& problem, const Node& node, bool optimal, Scratch& scratch) {
    const View& view = node.view();
    const Count* counts = node.counts.data();
    best.upper = leaf_cost(problem, view, counts);
    for (std::vector<Cost>& bounds : lower) bounds.resize(view.n_features);
    std::vector<Cost> estimate;
    if (node.has_pairs) {
        scratch.scan.run(problem, view, counts, node.pairs);
        bound_by_pairs(problem, node, scratch.scan, estimate);
    } else {
        best_gain(problem, view, counts, scratch.gains);
        scratch.scan.run_leaves(problem, view, counts);
        bound_by_leaves(problem, scratch.scan);
    }
    const Cost all = weight_at(view, counts, view.ones());
    const Admissible admissible(problem, view, counts);
    for (std::size_t f = 0; f < view.n_features; ++f) {
        if (!admissible(f)) continue;
        const Cost weight = weight_at(view, counts, f);
        if (optimal && problem.below_minimum_support(std::min(weight, all - weight))) continue;
        order.push_back(f);
    }
    const std::vector<double>& criterion = scratch.gains.criterion;
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
        return node.has_pairs ? estimate[a] < estimate[b] : criterion[a] < criterion[b];
    });
}

// A child is a leaf, the best single split, or has three leaves.
void Candidates::bound_by_pairs(const Problem& problem, const Node& node, const StumpScan& scan,
                                std::vector<Cost>& estimate) {
    const View& view = node.view();
    const Count* counts = node.counts.data();
    const bool adds_up = problem.objective.is_exact();
    const Cost all_unavoidable = unavoidable_loss(problem, view, counts);
    estimate.resize(view.n_features);
    for (std::size_t f = 0; f < view.n_features; ++f) {
        const auto in_yes = [&](std::size_t column) {
            return [&node, f, column](std::size_t c) { return node.pairs.row(c, f)[column]; };
        };
        const auto in_no = [&](std::size_t column) {
            return [&node, &view, counts, f, column](std::size_t c) {
                return counts[c * view.stride + column] - node.pairs.row(c, f)[column];
            };
        };
        const auto unavoidable = [&](const auto& on_side) {
            return problem.objective.unavoidable(view.n_classes, on_side(view.unavoidable()),
                                                 on_side(view.ones()));
        };
        const Cost yes = std::min(problem.cost(scan.leaf_yes[f], 1), problem.cost(scan.yes[f], 2));
        const Cost no = std::min(problem.cost(scan.leaf_no[f], 1), problem.cost(scan.no[f], 2));
        const Cost in_yes_rows = unavoidable(in_yes);
        const Cost in_no_rows = adds_up ? all_unavoidable - in_yes_rows : unavoidable(in_no);
        lower[0][f] = std::min(yes, problem.cost(in_yes_rows, 3));
        lower[1][f] = std::min(no, problem.cost(in_no_rows, 3));
        estimate[f] = yes + no;
    }
}

void Candidates::bound_by_leaves(const Problem& problem, const StumpScan& scan) {
    const Cost two = split_floor(problem.objective.price, 0);
    for (std::size_t f = 0; f < scan.with.size(); ++f) {
        lower[0][f] = std::min(problem.cost(scan.leaf_yes[f], 1), two);
        lower[1][f] = std::min(problem.cost(scan.leaf_no[f], 1), two);
    }
}

// Sound for the optimal value alone: a tree for the rows A loses on the rows B at most so much more as the rows that
// are in B but not in A may lose, so that V(A) >= V(B) - the maximum cost of the rows of B \ A. Their weights
// follow from the counts of f's yes-child.
void Candidates::raise_similar(const Problem& problem, const Node& node, std::size_t f,
                               const Count* yes_counts) {
    const View& view = node.view();
    const Neighbours known{node.counts.data(),
                           yes_counts,
                           view.stride,
                           view.n_classes,
                           view.n_features,
                           weight_at(view, node.counts.data(), view.ones()),
                           weight_at(view, yes_counts, view.ones()),
                           lower[0][f],
                           lower[1][f],
                           problem.max_row_cost};
    problem.kernels().raise_bounds(known, lower[0].data(), lower[1].data());
}

Bounds Candidates::prove() {
    best.lower = best.upper;
    for (const std::size_t f : order) best.lower = std::min(best.lower, lower[0][f] + lower[1][f]);
    return best;
}

Cost three_leaf_bound(const Problem& problem, Greedy& greedy, const View& view, const Count* counts) {
    return std::min({leaf_cost(problem, view, counts), problem.cost(greedy.min_stump_loss(view, counts), 2),
                     problem.cost(unavoidable_loss(problem, view, counts), 3)});
}

}  // namespace splitsecond
