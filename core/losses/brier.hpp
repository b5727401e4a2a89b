// Brier score: a leaf says the shares of its classes, and loses N - sum W_c^2 / N, the squared distance of each row's
// class from them.
//
// Invariant: concave and homogeneous in the weights before rounding. Summed as W_c (N - W_c), so that a pure leaf
//            loses nothing at all.
// Cost:      a division a leaf.
#pragma once

#include <cmath>
#include <cstddef>
#include <string_view>

#include "losses/rounded.hpp"

namespace splitsecond {

struct Brier : Rounded<Brier> {
    static constexpr std::string_view name = "brier";
    static constexpr double per_error = 1;  // sum W_c^2 <= N max W_c

    double scale;
    Rounding rounding;

    SPLITSECOND_INLINE Brier(double units, Rounding rounds) : scale(units), rounding(rounds) {}
    SPLITSECOND_INLINE static Brier of(const LossParameters& given) {
        return {given.scale, Rounding::of(given)};
    }
    static double noise(double weight) { return 8 * kUlp * weight; }

    // The loss rises fastest with a row of another class in a pure leaf, by 2; and rounding may add a unit.
    Cost max_row_loss() const { return static_cast<Cost>(std::ceil(2 * scale)) + 1; }

    template <class Weight, class Total>
    SPLITSECOND_INLINE void real(std::size_t n_classes, std::size_t n, const Weight& weight,
                                 const Total& total, double* out) const {
        for (std::size_t j = 0; j < n; ++j) out[j] = 0;
        for (std::size_t c = 0; c < n_classes; ++c)
            for (std::size_t j = 0; j < n; ++j) {
                const Count in_class = weight(c, j);
                out[j] += static_cast<double>(in_class) * static_cast<double>(total(j) - in_class);
            }
        for (std::size_t j = 0; j < n; ++j)
            out[j] = out[j] / static_cast<double>(larger(total(j), Count{1})) * scale;
    }
};

}  // namespace splitsecond
