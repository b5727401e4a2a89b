// Squared error: a leaf says the mean of its rows, and loses sum w y^2 - S^2 / N.
//
// Offset:    sum w y^2, rounded up; rows with equal features may count by their common mean, as no tree can tell them
//            apart.
// Cost:      a division a leaf.
#pragma once

#include <cstddef>
#include <string_view>

#include "losses/sums.hpp"

namespace splitsecond {

struct SquaredError : OfNumbers<SquaredError> {
    static constexpr std::string_view name = "squared_error";

    using OfNumbers::OfNumbers;
    SPLITSECOND_INLINE static SquaredError of(const LossParameters& given) {
        return {given.scale, given.sums};
    }

    template <class Weight, class Total>
    SPLITSECOND_INLINE void real(std::size_t n_channels, std::size_t n, const Weight& weight, const Total&,
                                 double* out) const {
        double sum[kSideBySide];
        add_limbs(n_channels, n, weight, sum);
        for (std::size_t j = 0; j < n; ++j) {
            const auto in_leaf = static_cast<double>(larger(weight(0, j), Count{1}));
            const double squares = static_cast<double>(weight(kOffsetChannel, j)) * sums.offset;
            out[j] = (squares - sum[j] * sum[j] / in_leaf) * scale;
        }
    }
};

}  // namespace splitsecond
