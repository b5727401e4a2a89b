// What losses of numbers share. A leaf says one number, its mean, and needs two sums of its rows: their weight N, and
// S = sum of weight * y in whole ones of a grid, at least 0.
//
// Channels:  0: N. 1: an offset (below). 2 and on: S, in limbs of so many ones (SumParameters::limb) that none overflows.
// Offset:    a part of the loss that does not depend on the tree. It makes the loss of a leaf, before rounding, just so
//            much as its rows need more than if each were a leaf of its own: at least 0, which the bounds count on. It
//            may be coarse: what it is off by is the same for all trees, and the caller knows how much.
// Invariant: concave and homogeneous in the channels before rounding.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>

#include "losses/rounded.hpp"

namespace splitsecond {

inline constexpr std::size_t kOffsetChannel = 1;
inline constexpr std::size_t kFirstLimb = 2;

// Measure::real gives the losses before they are rounded.
template <class Measure>
struct OfNumbers {
    static constexpr bool is_of_numbers = true;
    static constexpr Criterion criterion = Criterion::loss;
    static constexpr bool is_exact = false;
    static constexpr bool says_class = false;
    static constexpr bool has_unavoidable = false;
    using Value = Cost;

    double scale;
    SumParameters sums;

    SPLITSECOND_INLINE OfNumbers(double units, const SumParameters& given) : scale(units), sums(given) {}

    // All leaves have the same label: what they say is their mean.
    static std::size_t n_labels(std::size_t) { return 1; }
    template <class WeightOf>
    static std::uint32_t prediction(std::size_t, const WeightOf&) {
        return 0;
    }

    double noise(double) const { return 16 * kUlp * sums.magnitude; }
    static Cost max_row_loss() { return kInfinite; }

    template <class Weight, class Total>
    SPLITSECOND_INLINE void losses(std::size_t n_channels, std::size_t n, const Weight& weight,
                                   const Total& total, Value* out) const {
        double real[kSideBySide];
        static_cast<const Measure&>(*this).real(n_channels, n, weight, total, real);
        for (std::size_t j = 0; j < n; ++j) out[j] = to_units(larger(real[j], 0.0));
    }

    // S of n leaves side by side, in ones of limb `first`.
    template <class Weight>
    SPLITSECOND_INLINE void add_limbs(std::size_t first, std::size_t n_channels, std::size_t n,
                                      const Weight& weight, double* out) const {
        const std::size_t last = n_channels - 1;
        for (std::size_t j = 0; j < n; ++j) out[j] = static_cast<double>(weight(last, j));
        for (std::size_t c = last; c-- > first;)
            for (std::size_t j = 0; j < n; ++j)
                out[j] = out[j] * sums.limb + static_cast<double>(weight(c, j));
    }

    // Rows with equal features are told apart by the offset, if at all.
    static bool is_unavoidable(std::size_t, std::size_t) { return false; }
    template <class Marked, class All>
    static Cost unavoidable(std::size_t, const Marked&, const All&) {
        return 0;
    }
};

}  // namespace splitsecond
