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
#include "losses/parameters.hpp"
#include "types.hpp"

namespace splitsecond {

// The heaviest class, the first among equals.
template <class WeightOf>
SPLITSECOND_INLINE std::uint32_t majority_class(std::size_t n_classes, const WeightOf& weight_of) {
    std::uint32_t heaviest = 0;
    for (std::uint32_t c = 1; c < n_classes; ++c)
        if (weight_of(c) > weight_of(heaviest)) heaviest = c;
    return heaviest;
}

struct ZeroOne {
    static constexpr std::string_view name = "zero_one";
    static constexpr Criterion criterion = Criterion::entropy;  // what greedy chooses by (docs/algorithms.md)
    static constexpr bool is_exact =
        true;  // no rounding: what is unavoidable adds up, and labels tell losses
    static constexpr bool says_class = true;       // its labels are classes
    static constexpr bool has_unavoidable = true;  // loss, on rows with equal features
    using Value = Count;                           // losses of leaves on different rows add up within it

    SPLITSECOND_INLINE static ZeroOne of(const LossParameters&) { return {}; }
    SPLITSECOND_INLINE static std::size_t n_labels(std::size_t n_classes) { return n_classes; }
    SPLITSECOND_INLINE static Cost max_row_loss() { return 1; }  // of a row of weight 1

    // Losses of n leaves side by side: weight(c, j) is that of class c in leaf j, total(j) that of all classes.
    template <class Weight, class Total>
    SPLITSECOND_INLINE static void losses(std::size_t n_classes, std::size_t n, const Weight& weight,
                                          const Total& total, Value* out) {
        if (n_classes == 2) {
            for (std::size_t j = 0; j < n; ++j) out[j] = of_two(weight(0, j), weight(1, j));
            return;
        }
        for (std::size_t j = 0; j < n; ++j) out[j] = 0;
        for (std::size_t c = 0; c < n_classes; ++c)
            for (std::size_t j = 0; j < n; ++j) out[j] = larger(out[j], weight(c, j));
        for (std::size_t j = 0; j < n; ++j) out[j] = total(j) - out[j];
    }

    // The same for a leaf of two classes. Lane is Count, or a vector of them that has a `smaller` of its own.
    template <class Lane>
    SPLITSECOND_INLINE static Lane of_two(Lane a, Lane b) {
        return smaller(a, b);
    }

    template <class WeightOf>
    SPLITSECOND_INLINE static std::uint32_t prediction(std::size_t n_classes, const WeightOf& weight_of) {
        return majority_class(n_classes, weight_of);
    }

    // Among rows with equal features, those that no tree can get right lose all their weight; the others nothing.
    static bool is_unavoidable(std::size_t cls, std::size_t predicted) { return cls != predicted; }
    template <class Marked, class All>
    SPLITSECOND_INLINE static Cost unavoidable(std::size_t n_classes, const Marked& marked, const All&) {
        Cost sum = 0;
        for (std::size_t c = 0; c < n_classes; ++c) sum += marked(c);
        return sum;
    }
};

}  // namespace splitsecond
