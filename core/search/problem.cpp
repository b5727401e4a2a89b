#include "search/problem.hpp"

namespace splitsecond {

SideLosses side_losses(const Problem& problem, const View& view, const Count* counts, std::size_t j) {
    const auto with = [&](std::size_t c) { return counts[c * view.stride + j]; };
    const auto without = [&](std::size_t c) { return counts[c * view.stride + view.ones()] - with(c); };
    return {problem.objective.leaf_loss(view.n_classes, with),
            problem.objective.leaf_loss(view.n_classes, without)};
}

std::ptrdiff_t best_split(const Problem& problem, const View& view, const Count* counts) {
    Cost best = leaf_cost(problem, view, counts);
    std::ptrdiff_t feature = -1;
    for (std::size_t f = 0; f < view.n_features; ++f) {
        const SideLosses leaf = side_losses(problem, view, counts, f);
        const Cost cost = problem.cost(leaf.yes + leaf.no, 2);
        if (cost < best) {
            best = cost;
            feature = static_cast<std::ptrdiff_t>(f);
        }
    }
    return feature;
}

}  // namespace splitsecond
