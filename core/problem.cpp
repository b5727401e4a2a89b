#include "problem.hpp"

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

}  // namespace splitsecond
