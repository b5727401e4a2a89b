// Poisson deviance: a leaf says the rate S / N (N is the exposure), and loses 2 S ln(M N / S), M the maximum rate of any
// row: the deviance, but for what does not depend on the tree.
//
// Offset:    the sum of 2 s ln(M n / s) of the single rows, rounded down, which is subtracted.
// Cost:      two divisions and a logarithm a leaf.
#pragma once

#include <cstddef>
#include <string_view>

#include "losses/sums.hpp"

namespace splitsecond {

struct Poisson : OfNumbers<Poisson> {
    static constexpr std::string_view name = "poisson";

    using OfNumbers::OfNumbers;
    SPLITSECOND_INLINE static Poisson of(const LossParameters& given) { return {given.scale, given.sums}; }

    template <class Weight, class Total>
    SPLITSECOND_INLINE void real(std::size_t n_channels, std::size_t n, const Weight& weight, const Total&,
                                 double* out) const {
        double sum[kSideBySide];
        add_limbs(kFirstLimb, n_channels, n, weight, sum);
        for (std::size_t j = 0; j < n; ++j) {
            const double exposure = static_cast<double>(larger(weight(0, j), Count{1})) * sums.max_rate;
            const double offset = static_cast<double>(weight(kOffsetChannel, j)) * sums.offset;
            // log2(x) = x_log2_x(x) / x; a leaf without events loses nothing. Of the quotient, as the logarithms of
            // both are far larger than their difference.
            constexpr double kTwoLn2 = 1.386294361119890618834;
            const double above = larger(exposure / larger(sum[j], 1.0), 1.0);
            out[j] = (kTwoLn2 * (sum[j] / above * x_log2_x(above)) - offset) * scale;
        }
    }
};

}  // namespace splitsecond
