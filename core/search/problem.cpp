#include "search/problem.hpp"

namespace splitsecond {

FeatureCounts Totals::counts_of(const Problem& problem, const View& view, const Count* counts) {
    of_channel.resize(view.n_channels());
    for (std::size_t c = 0; c < of_channel.size(); ++c) of_channel[c] = counts[c * view.stride + view.ones()];
    return {counts,          view.stride,           of_channel.data(), view.n_classes,
            view.n_features, problem.min_leaf_rows, view.counts_rows};
}

SideLosses side_losses(const Problem& problem, const View& view, const Count* counts, std::size_t j) {
    const auto with = [counts, &view, j](std::size_t c) { return counts[c * view.stride + j]; };
    const auto without = [counts, &view, j](std::size_t c) {
        return counts[c * view.stride + view.ones()] - counts[c * view.stride + j];
    };
    return {problem.objective.leaf_loss(view.n_classes, with),
            problem.objective.leaf_loss(view.n_classes, without)};
}

std::ptrdiff_t best_split(const Problem& problem, const View& view, const Count* counts) {
    Cost best = leaf_cost(problem, view, counts);
    std::ptrdiff_t feature = -1;
    const Admissible admissible(problem, view, counts);
    for (std::size_t f = 0; f < view.n_features; ++f) {
        if (problem.min_leaf_rows > 1 && !admissible(f)) continue;
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
