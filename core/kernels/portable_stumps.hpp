// The scan over pairs of features for two classes as a plain loop, for kernels that have nothing better.
// Included before body.hpp.
#pragma once

#include "kernels/kernels.hpp"

namespace splitsecond {
namespace {

// The losses of four leaves that two features i and j make.
template <class Value>
struct Quarters {
    Value both, only_i, only_j, neither;

    // Lowers what is known of the best split on j below i's children, and of the best on i below j's.
    SPLITSECOND_INLINE void lower(Value& yes_i, Value& no_i, Value& yes_j, Value& no_j) const {
        yes_i = smaller(yes_i, static_cast<Value>(both + only_i));
        no_i = smaller(no_i, static_cast<Value>(only_j + neither));
        yes_j = smaller(yes_j, static_cast<Value>(both + only_j));
        no_j = smaller(no_j, static_cast<Value>(only_i + neither));
    }
};

template <class LossType>
inline void stump_row_of_two(LossType loss, const PairCounts& p, std::size_t i, typename LossType::Value* yes,
                             typename LossType::Value* no) {
    using Value = typename LossType::Value;
    const Count* pair0 = p.pair + i * p.row_step;
    const Count* pair1 = pair0 + p.class_step;
    const Count* single0 = p.features.single;
    const Count* single1 = single0 + p.features.step;
    const Count yes0 = single0[i], yes1 = single1[i];
    const Count no0 = p.features.total[0] - yes0, no1 = p.features.total[1] - yes1;
    Value best_yes = yes[i], best_no = no[i];
    for (std::size_t j = i + 1; j < p.features.n_features; ++j) {
        const Count a0 = pair0[j], a1 = pair1[j];
        const Count b0 = single0[j] - a0, b1 = single1[j] - a1;
        const Quarters<Value> losses{loss.of_two(a0, a1), loss.of_two(yes0 - a0, yes1 - a1),
                                     loss.of_two(b0, b1), loss.of_two(no0 - b0, no1 - b1)};
        losses.lower(best_yes, best_no, yes[j], no[j]);
    }
    yes[i] = best_yes;
    no[i] = best_no;
}

}  // namespace
}  // namespace splitsecond
