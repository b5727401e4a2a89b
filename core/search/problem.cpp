#include "search/problem.hpp"

#include <algorithm>

namespace splitsecond {

LeafErrors leaf_errors(const View& view, const Count* counts, std::size_t j) {
    Cost yes = 0, no = 0, most_yes = 0, most_no = 0;
    for (std::size_t c = 0; c < view.n_classes; ++c) {
        const Count* of_class = counts + c * view.stride;
        const Cost with = of_class[j], without = of_class[view.ones()] - with;
        yes += with;
        no += without;
        most_yes = std::max(most_yes, with);
        most_no = std::max(most_no, without);
    }
    return {yes - most_yes, no - most_no};
}

std::ptrdiff_t best_split(const Problem& problem, const View& view, const Count* counts) {
    Cost best = problem.price.of(node_errors(view, counts), 1);
    std::ptrdiff_t feature = -1;
    for (std::size_t f = 0; f < view.n_features; ++f) {
        const LeafErrors leaf = leaf_errors(view, counts, f);
        const Cost cost = problem.price.of(leaf.yes + leaf.no, 2);
        if (cost < best) {
            best = cost;
            feature = static_cast<std::ptrdiff_t>(f);
        }
    }
    return feature;
}

}  // namespace splitsecond
