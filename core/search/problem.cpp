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

std::ptrdiff_t best_split(const Problem& problem, const View& view, const Count* counts, Cost& cost) {
    Totals totals;
    const LossKernels::Stump best =
        problem.loss_kernels().first_best_stump(problem.objective, totals.counts_of(problem, view, counts));
    cost = leaf_cost(problem, view, counts);
    if (best.feature < 0 || problem.cost(best.loss, 2) >= cost) return -1;
    cost = problem.cost(best.loss, 2);
    return best.feature;
}

}  // namespace splitsecond
