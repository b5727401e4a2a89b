// 0-1 loss, the paper's: a leaf predicts its majority class (ties: the first), and loses the weight of all others.
//
// Exact:     losses are weights, and those are integers.
// Invariant: concave and homogeneous in the weights, so that a split never raises the loss.
// Cost:      one operation a class.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "losses/criterion.hpp"
#include "types.hpp"

namespace splitsecond {

struct ZeroOne {
    static constexpr std::string_view name = "zero_one";
    static constexpr Criterion criterion = Criterion::entropy;  // what greedy chooses by (docs/algorithms.md)
    using Value = Count;                      // losses of leaves on different rows add up within it
    static constexpr Count max_row_loss = 1;  // of a row of weight 1

    // The loss from the weights of the classes, one after the other: start, add each, finish.
    SPLITSECOND_INLINE static Value start() { return 0; }
    SPLITSECOND_INLINE static Value add(Value heaviest, Count weight) {
        return weight > heaviest ? weight : heaviest;
    }
    SPLITSECOND_INLINE static Value finish(Value heaviest, Count all) { return all - heaviest; }

    // The same for two classes. Lane is Count, or a vector of them that has a `smaller` of its own.
    template <class Lane>
    SPLITSECOND_INLINE static Lane of_two(Lane a, Lane b) {
        return smaller(a, b);
    }

    template <class WeightOf>
    SPLITSECOND_INLINE static std::uint32_t prediction(std::size_t n_classes, const WeightOf& weight_of) {
        std::uint32_t heaviest = 0;
        for (std::uint32_t c = 1; c < n_classes; ++c)
            if (weight_of(c) > weight_of(heaviest)) heaviest = c;
        return heaviest;
    }

    // Among rows with equal features, those that no tree can get right lose all their weight; the others nothing.
    SPLITSECOND_INLINE static bool is_unavoidable(std::size_t cls, std::size_t predicted) {
        return cls != predicted;
    }
};

}  // namespace splitsecond
