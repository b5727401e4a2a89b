// Losses that are real numbers, rounded once to whole units, so that sums, comparisons and ties are of integers.
//
// Rounding:  to the nearest unit. Sums of leaves are off by half a unit for each leaf, and by what doubles are off by
//            before that (Measure::noise): bounds allow for it. A split of no gain may so save a unit, 2^-40 of the
//            root's loss: with lambda = 0 it may stay.
// Invariant: losses stay below 2^51 units (LossParameters::scale), where adding a constant rounds them.
#pragma once

#include <cstddef>
#include <cstdint>

#include "losses/criterion.hpp"
#include "losses/x_log_x.hpp"
#include "losses/zero_one.hpp"
#include "types.hpp"

namespace splitsecond {

inline constexpr double kUlp = 0x1p-53;         // what one operation on doubles may be off by, of its result
inline constexpr std::size_t kSideBySide = 64;  // leaves whose losses are found at once, at most

inline constexpr double kRounds = 6755399441055744.0;  // 1.5 * 2^52: its last bit is worth 1

SPLITSECOND_INLINE Cost to_units(double loss) {
    return static_cast<Cost>(as_bits(loss + kRounds) - as_bits(kRounds));
}
// The sum of two losses, each rounded by adding kRounds.
SPLITSECOND_INLINE Cost sum_in_units(double a, double b) {
    return static_cast<Cost>(as_bits(a - kRounds + b) - as_bits(kRounds));
}

// How far the losses of a tree in units may be from the real ones: so much for each leaf.
struct Rounding {
    double of_leaf;
    double max_leaves;

    SPLITSECOND_INLINE static Rounding of(const LossParameters& given) {
        return {given.leaf_rounding, given.max_leaves};
    }
};

// What Brier score and log-loss share: a leaf says the shares of its classes, and predicts the majority class.
// Measure::real gives the losses before they are rounded.
template <class Measure>
struct Rounded {
    static constexpr Criterion criterion = Criterion::loss;
    static constexpr bool is_exact = false;
    static constexpr bool says_class = true;  // its labels are classes
    static constexpr bool has_unavoidable = true;
    using Value = Cost;

    static std::size_t n_labels(std::size_t n_classes) { return n_classes; }

    template <class Weight, class Total>
    SPLITSECOND_INLINE void losses(std::size_t n_classes, std::size_t n, const Weight& weight,
                                   const Total& total, Value* out) const {
        double real[kSideBySide];
        static_cast<const Measure&>(*this).real(n_classes, n, weight, total, real);
        for (std::size_t j = 0; j < n; ++j) out[j] = to_units(real[j]);
    }

    template <class WeightOf>
    static std::uint32_t prediction(std::size_t n_classes, const WeightOf& weight_of) {
        return majority_class(n_classes, weight_of);
    }

    // A group of rows with equal features loses at least so much as a multiple of what it would by 0-1 loss
    // (Measure::per_error); only leaves that hold such rows are rounded.
    static bool is_unavoidable(std::size_t cls, std::size_t predicted) { return cls != predicted; }
    template <class Marked, class All>
    Cost unavoidable(std::size_t n_classes, const Marked& marked, const All& all) const {
        const auto& own = static_cast<const Measure&>(*this);
        const auto errors = static_cast<double>(ZeroOne::unavoidable(n_classes, marked, all));
        const double loss = errors * Measure::per_error * own.scale;
        const double rounding = smaller(errors, own.rounding.max_leaves) * own.rounding.of_leaf + 1;
        return loss > rounding ? static_cast<Cost>(loss - rounding) : 0;
    }
};

}  // namespace splitsecond
