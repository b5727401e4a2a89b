// Log-loss: a leaf says the shares of its classes, and loses - sum W_c ln(W_c / N).
//
// Invariant: concave and homogeneous in the weights before rounding; a pure leaf loses nothing at all.
//            A single row can add any amount, so that bounds which need a maximum are off.
// Cost:      x*log2(x) once a class and leaf; loops over small weights read it from a table.
#pragma once

#include <cmath>
#include <cstddef>
#include <string_view>

#include "losses/rounded.hpp"
#include "losses/x_log_x.hpp"

namespace splitsecond {

template <class XLogX>
struct LogLossBy : Rounded<LogLossBy<XLogX>> {
    static constexpr std::string_view name = "log_loss";
    static constexpr double per_error = 1.386294;  // an entropy of H bits means at most H / 2 errors a row

    double scale;
    Rounding rounding;
    XLogX x_log_x;

    SPLITSECOND_INLINE LogLossBy(double units, Rounding rounds, XLogX by)
        : scale(units), rounding(rounds), x_log_x(by) {}
    SPLITSECOND_INLINE static LogLossBy of(const LossParameters& given) {
        return {given.scale, Rounding::of(given), XLogX{entropy_table()}};
    }
    // Differences of sums of x*log2(x), which may be much larger than the loss.
    static double noise(double weight) { return 8 * kUlp * weight * (1 + std::log2(weight)); }
    // The same for loops over weights of which none is above `all`.
    template <class Visit>
    SPLITSECOND_INLINE void for_weights_up_to(Count all, const Visit& visit) const {
        if (all < kEntropyTableSize)
            visit(LogLossBy<FromTable>(scale, rounding, {x_log_x.table}));
        else
            visit(LogLossBy<Computed>(scale, rounding, {}));
    }

    static Cost max_row_loss() { return kInfinite; }

    template <class Weight, class Total>
    SPLITSECOND_INLINE void real(std::size_t n_classes, std::size_t n, const Weight& weight,
                                 const Total& total, double* out) const {
        constexpr double kLn2 = 0.693147180559945309417;
        const double units = scale * kLn2;
        for (std::size_t j = 0; j < n; ++j) out[j] = 0;
        for (std::size_t c = 0; c < n_classes; ++c)
            for (std::size_t j = 0; j < n; ++j) out[j] += x_log_x(weight(c, j));
        for (std::size_t j = 0; j < n; ++j) out[j] = (x_log_x(total(j)) - out[j]) * units;
    }
};

using LogLoss = LogLossBy<FromTableOrComputed>;

}  // namespace splitsecond
