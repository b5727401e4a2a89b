// Squared error: a leaf says the mean of its rows. It loses what its rows lose by a mean that is the same for all leaves,
// the centre c, less what its own gains on that: sum w (y - c)^2 - (S - c N)^2 / N.
//
// Offset:    sum w (y - c)^2, rounded up; rows with equal features may count by their common mean, as no tree can tell
//            them apart.
// Exact:     S - c N, as long as S and c N stay below 2^53: the gain of a leaf is the same however it was counted. And
//            the offset, where one of it is a whole number of units: then it cancels where leaves of the same rows are
//            compared, whatever it is said to be on their parts.
// Cost:      a division a leaf.
#pragma once

#include <cstddef>
#include <string_view>

#include "losses/sums.hpp"

namespace splitsecond {

struct SquaredError : OfNumbers<SquaredError> {
    static constexpr std::string_view name = "squared_error";

    double whole_offset;  // units of one of the offset, and
    double rest_offset;   // the part of one that is left

    SPLITSECOND_INLINE SquaredError(double units, const SumParameters& given) : OfNumbers(units, given) {
        constexpr double kNoise = 1e-9;  // of what was meant as a whole number
        const double each = scale * sums.offset;
        whole_offset = static_cast<double>(static_cast<Cost>(each + 0.5));
        rest_offset = each - whole_offset;
        if (rest_offset <= kNoise * each && rest_offset >= -kNoise * each) rest_offset = 0;
    }
    SPLITSECOND_INLINE static SquaredError of(const LossParameters& given) {
        return {given.scale, given.sums};
    }
    SPLITSECOND_INLINE bool offset_cancels() const { return rest_offset == 0; }

    // S - c N of n leaves side by side.
    template <class Weight>
    SPLITSECOND_INLINE void add_centred(std::size_t n_channels, std::size_t n, const Weight& weight,
                                        double* out) const {
        const auto lowest = [&](std::size_t j) {
            return static_cast<double>(weight(kFirstLimb, j)) -
                   sums.centre * static_cast<double>(weight(0, j));
        };
        if (n_channels == kFirstLimb + 1) {
            for (std::size_t j = 0; j < n; ++j) out[j] = lowest(j);
            return;
        }
        add_limbs(kFirstLimb + 1, n_channels, n, weight, out);
        for (std::size_t j = 0; j < n; ++j) out[j] = out[j] * sums.limb + lowest(j);
    }
    // In units, before rounding.
    SPLITSECOND_INLINE double gain(double weight, double centred) const {
        return centred * centred / larger(weight, 1.0) * scale;
    }

    // Without the offset, which is the same for all splits of a leaf.
    template <class Weight, class Total>
    SPLITSECOND_INLINE void real(std::size_t n_channels, std::size_t n, const Weight& weight, const Total&,
                                 double* out) const {
        add_centred(n_channels, n, weight, out);
        for (std::size_t j = 0; j < n; ++j) out[j] = -gain(static_cast<double>(weight(0, j)), out[j]);
    }

    template <class Weight, class Total>
    SPLITSECOND_INLINE void losses(std::size_t n_channels, std::size_t n, const Weight& weight,
                                   const Total& total, Value* out) const {
        double rest[kSideBySide];
        real(n_channels, n, weight, total, rest);
        for (std::size_t j = 0; j < n; ++j) {
            const auto offset = static_cast<double>(weight(kOffsetChannel, j));
            out[j] = to_units(whole_offset * offset) + to_units(rest_offset * offset + rest[j]);
        }
    }
};

}  // namespace splitsecond
