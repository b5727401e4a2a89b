// Body of the loops that know what a leaf loses, as templates of the loss. Included by body.hpp, once per instruction
// set, with `stump_row_of_two` defined there (portable_stumps.hpp, or avx512.cpp).
#pragma once

#include <cstring>
#include <limits>
#include <type_traits>

#include "kernels/kernels.hpp"

namespace splitsecond {
namespace {

constexpr std::size_t kFeatureBlock = kSideBySide;  // features at a time, so that sums stay close by

// Calls visit(begin, n) for blocks of features from `first` on.
template <class Visit>
SPLITSECOND_INLINE void for_blocks(std::size_t first, std::size_t n_features, const Visit& visit) {
    for (std::size_t begin = first; begin < n_features; begin += kFeatureBlock)
        visit(begin, smaller(kFeatureBlock, n_features - begin));
}

inline Count sum_of(const Count* total, std::size_t n_classes) {
    Count all = 0;
    for (std::size_t c = 0; c < n_classes; ++c) all += total[c];
    return all;
}

// Calls visit with the loss, in the form that is fastest for these weights.
template <class LossType, class Visit>
SPLITSECOND_INLINE void with_loss_for(const Objective& objective, Count all, const Visit& visit) {
    const auto loss = objective.as<LossType>();
    if constexpr (requires { loss.for_weights_up_to(all, visit); })
        loss.for_weights_up_to(all, visit);
    else
        visit(loss);
}

// ---- both sides of each feature -------------------------------------------------------------------

// The weight of features begin .. begin + n - 1.
SPLITSECOND_INLINE void block_weights(const FeatureCounts& p, std::size_t begin, std::size_t n, Count* with) {
    const Count* first = p.single + begin;
    if (p.n_classes == 2) {
        for (std::size_t j = 0; j < n; ++j) with[j] = first[j] + first[p.step + j];
        return;
    }
    for (std::size_t j = 0; j < n; ++j) with[j] = 0;
    for (std::size_t c = 0; c < p.n_classes; ++c)
        for (std::size_t j = 0; j < n; ++j) with[j] += first[c * p.step + j];
}

// What the leaves on both sides of these features lose, given their weight: `evaluate` is one of the loss's functions,
// called as evaluate(weight, total, out).
template <class Evaluate, class Value>
SPLITSECOND_INLINE void on_both_sides(const FeatureCounts& p, std::size_t begin, const Count* with, Count all,
                                      const Evaluate& evaluate, Value* yes, Value* no) {
    const Count* single = p.single + begin;
    evaluate([=, &p](std::size_t c, std::size_t j) { return single[c * p.step + j]; },
             [=](std::size_t j) { return with[j]; }, yes);
    evaluate([=, &p](std::size_t c, std::size_t j) { return p.total[c] - single[c * p.step + j]; },
             [=](std::size_t j) { return all - with[j]; }, no);
}

// For two classes, calls visit(j, loss of the yes-side, loss of the no-side) in one loop.
template <class LossType, class Visit>
SPLITSECOND_INLINE void for_sides_of_two(const LossType& loss, const FeatureCounts& p, std::size_t begin,
                                         std::size_t n, const Visit& visit) {
    const Count* single0 = p.single + begin;
    const Count* single1 = single0 + p.step;
    const Count total0 = p.total[0], total1 = p.total[1];
    for (std::size_t j = 0; j < n; ++j)
        visit(j, loss.of_two(single0[j], single1[j]), loss.of_two(total0 - single0[j], total1 - single1[j]));
}

template <class LossType>
SPLITSECOND_INLINE void block_losses(const LossType& loss, const FeatureCounts& p, std::size_t begin,
                                     std::size_t n, Count all, const Count* with,
                                     typename LossType::Value* yes, typename LossType::Value* no) {
    if constexpr (kHasOfTwo<LossType>) {
        if (p.n_classes == 2) {
            for_sides_of_two(loss, p, begin, n, [&](std::size_t j, auto in_yes, auto in_no) {
                yes[j] = in_yes;
                no[j] = in_no;
            });
            return;
        }
    }
    const auto evaluate = [&](const auto& weight, const auto& total, typename LossType::Value* out) {
        loss.losses(p.n_classes, n, weight, total, out);
    };
    on_both_sides(p, begin, with, all, evaluate, yes, no);
}

// Which of these features have enough rows on both sides, given their weight.
struct EnoughRows {
    const FeatureCounts& counts;
    Count all;  // weight
    Count all_rows;

    explicit EnoughRows(const FeatureCounts& p)
        : counts(p),
          all(sum_of(p.total, p.n_classes)),
          all_rows(p.counts_rows ? p.total[p.n_classes] : all) {}

    const Count* rows(std::size_t begin, const Count* with) const {
        return counts.counts_rows ? counts.single + counts.n_classes * counts.step + begin : with;
    }
    SPLITSECOND_INLINE bool operator()(Count rows) const {
        return rows >= counts.min_rows && all_rows - rows >= counts.min_rows;
    }
};

template <class LossType>
void leaf_losses(const Objective& objective, const FeatureCounts& p, Count* with, Cost* yes, Cost* no) {
    const Count all = sum_of(p.total, p.n_classes);
    with_loss_for<LossType>(objective, all, [&](const auto& loss) {
        for_blocks(0, p.n_features, [&](std::size_t begin, std::size_t n) {
            Count weight[kFeatureBlock];  // local, so that the compiler knows they overlap nothing
            typename LossType::Value in_yes[kFeatureBlock], in_no[kFeatureBlock];
            block_weights(p, begin, n, weight);
            block_losses(loss, p, begin, n, all, weight, in_yes, in_no);
            std::memcpy(with + begin, weight, n * sizeof(Count));
            for (std::size_t j = 0; j < n; ++j) yes[begin + j] = static_cast<Cost>(in_yes[j]);
            for (std::size_t j = 0; j < n; ++j) no[begin + j] = static_cast<Cost>(in_no[j]);
        });
    });
}

// Calls visit(begin, n, sums) with what two leaves lose for each feature of a block; without enough rows on both sides,
// as much as one leaf.
template <class LossType, class Visit>
SPLITSECOND_INLINE void for_stumps(const Objective& objective, const FeatureCounts& p, Cost leaf,
                                   const Visit& visit) {
    using Value = typename LossType::Value;
    const EnoughRows has_enough(p);
    with_loss_for<LossType>(objective, has_enough.all, [&](const auto& loss) {
        for_blocks(0, p.n_features, [&](std::size_t begin, std::size_t n) {
            Count weight[kFeatureBlock];
            Value in_yes[kFeatureBlock], in_no[kFeatureBlock];
            block_weights(p, begin, n, weight);
            block_losses(loss, p, begin, n, has_enough.all, weight, in_yes, in_no);
            for (std::size_t j = 0; j < n; ++j) in_yes[j] += in_no[j];
            if (p.min_rows > 1) {
                const Count* rows = has_enough.rows(begin, weight);
                for (std::size_t j = 0; j < n; ++j)
                    in_yes[j] = has_enough(rows[j]) ? in_yes[j] : static_cast<Value>(leaf);
            }
            visit(begin, n, in_yes);
        });
    });
}

// Of integers, compilers find minima in lanes; of doubles in an order of their own, each waiting for the one before.
template <class Value>
SPLITSECOND_INLINE Value minimum_of(const Value* values, std::size_t n) {
    Value minimum = values[0];
    std::size_t j = 0;
    if constexpr (std::is_floating_point_v<Value>) {
        constexpr std::size_t kLanes = 8;
        Value lanes[kLanes];
        for (Value& lane : lanes) lane = minimum;
        for (; j + kLanes <= n; j += kLanes)
            for (std::size_t lane = 0; lane < kLanes; ++lane)
                lanes[lane] = smaller(values[j + lane], lanes[lane]);
        for (Value lane : lanes) minimum = smaller(lane, minimum);
    }
    for (; j < n; ++j) minimum = smaller(minimum, values[j]);
    return minimum;
}

inline Cost leaf_of_all(const Objective& objective, const FeatureCounts& p) {
    return objective.leaf_loss(p.n_classes, [total = p.total](std::size_t c) { return total[c]; });
}

template <class LossType>
Cost best_stump(const Objective& objective, const FeatureCounts& p) {
    using Value = typename LossType::Value;
    Cost best = leaf_of_all(objective, p);
    if constexpr (kHasOfTwo<LossType>) {
        if (p.n_classes == 2 && p.min_rows <= 1) {
            auto minimum = static_cast<Value>(best);
            for_sides_of_two(objective.as<LossType>(), p, 0, p.n_features,
                             [&](std::size_t, Value yes, Value no) {
                                 minimum = smaller(minimum, static_cast<Value>(yes + no));
                             });
            return static_cast<Cost>(minimum);
        }
    }
    for_stumps<LossType>(objective, p, best, [&](std::size_t, std::size_t n, const Value* sums) {
        best = smaller(best, static_cast<Cost>(minimum_of(sums, n)));
    });
    return best;
}

template <class LossType>
LossKernels::Stump first_best_stump(const Objective& objective, const FeatureCounts& p) {
    using Value = typename LossType::Value;
    LossKernels::Stump best{leaf_of_all(objective, p), -1};
    const auto offer = [&](std::size_t begin, std::size_t n, const Value* sums) {
        const Value minimum = minimum_of(sums, n);
        if (static_cast<Cost>(minimum) >= best.loss) return;
        std::size_t first = 0;
        while (sums[first] != minimum) ++first;
        best = {static_cast<Cost>(minimum), static_cast<std::ptrdiff_t>(begin + first)};
    };
    if constexpr (kHasOfTwo<LossType>) {
        if (p.n_classes == 2 && p.min_rows <= 1) {
            for_blocks(0, p.n_features, [&](std::size_t begin, std::size_t n) {
                Value sums[kFeatureBlock];
                for_sides_of_two(
                    objective.as<LossType>(), p, begin, n,
                    [&](std::size_t j, Value yes, Value no) { sums[j] = static_cast<Value>(yes + no); });
                offer(begin, n, sums);
            });
            return best;
        }
    }
    for_stumps<LossType>(objective, p, best.loss, offer);
    return best;
}

// ---- the best single split below each child -------------------------------------------------------

// What two features make of a node's rows: those that have both, only one of them (i or j), or neither; of each, one
// number for every j of a block.
template <class Number>
struct QuarterBlock {
    Number both[kFeatureBlock], only_i[kFeatureBlock], only_j[kFeatureBlock], neither[kFeatureBlock];
};

// Rows in each quarter. with[j] is the weight of feature j, with_both[j] that of i and begin + j.
SPLITSECOND_INLINE void count_quarters(const PairCounts& p, std::size_t i, std::size_t begin, std::size_t n,
                                       const Count* with, const Count* with_both, Count all,
                                       QuarterBlock<Count>& rows) {
    const FeatureCounts& f = p.features;
    const std::size_t channel = f.n_classes;  // of rows, if they are counted
    const Count* single = f.counts_rows ? f.single + channel * f.step : with;
    const Count* pair = f.counts_rows ? p.pair + channel * p.class_step + i * p.row_step + begin : with_both;
    const Count all_rows = f.counts_rows ? f.total[channel] : all;
    for (std::size_t j = 0; j < n; ++j) {
        rows.both[j] = pair[j];
        rows.only_i[j] = single[i] - pair[j];
        rows.only_j[j] = single[begin + j] - pair[j];
        rows.neither[j] = all_rows - single[i] - rows.only_j[j];
    }
}

// What two leaves lose together for every j of a block: split by j below i's children, and by i below j's.
template <class Value>
struct SplitBlock {
    Value yes_i[kFeatureBlock], no_i[kFeatureBlock], yes_j[kFeatureBlock], no_j[kFeatureBlock];
};

// The sum over all channels of the rows that have i and j of a block.
SPLITSECOND_INLINE void count_both(const PairCounts& p, std::size_t i, std::size_t begin, std::size_t n,
                                   Count* with_both) {
    for (std::size_t j = 0; j < n; ++j) with_both[j] = 0;
    for (std::size_t c = 0; c < p.features.n_classes; ++c) {
        const Count* pair = p.pair + c * p.class_step + i * p.row_step + begin;
        for (std::size_t j = 0; j < n; ++j) with_both[j] += pair[j];
    }
}

// Losses of quarters from their counts.
template <class LossType>
class QuarterLosses {
public:
    using Value = typename LossType::Value;

    QuarterLosses(const LossType& loss, const PairCounts& p, const Count* with, Count all)
        : loss_(loss), p_(p), with_(with), all_(all) {}

    SPLITSECOND_INLINE void operator()(std::size_t i, std::size_t begin, std::size_t n,
                                       SplitBlock<Value>& out) const {
        const FeatureCounts& f = p_.features;
        Count with_both[kFeatureBlock];
        count_both(p_, i, begin, n, with_both);
        const Count* pair = p_.pair + i * p_.row_step + begin;
        const Count* with_j = with_ + begin;
        const Count with_i = with_[i], all = all_;
        const auto both = [&](std::size_t c, std::size_t j) { return pair[c * p_.class_step + j]; };
        const auto in_i = [&](std::size_t c) { return f.single[c * f.step + i]; };
        const auto only_j = [&](std::size_t c, std::size_t j) {
            return f.single[c * f.step + begin + j] - both(c, j);
        };
        QuarterBlock<Value> loses;
        loss_.losses(f.n_classes, n, both, [&](std::size_t j) { return with_both[j]; }, loses.both);
        loss_.losses(
            f.n_classes, n, [&](std::size_t c, std::size_t j) { return in_i(c) - both(c, j); },
            [&](std::size_t j) { return with_i - with_both[j]; }, loses.only_i);
        loss_.losses(
            f.n_classes, n, only_j, [&](std::size_t j) { return with_j[j] - with_both[j]; }, loses.only_j);
        loss_.losses(
            f.n_classes, n, [&](std::size_t c, std::size_t j) { return f.total[c] - in_i(c) - only_j(c, j); },
            [&](std::size_t j) { return all - with_i - with_j[j] + with_both[j]; }, loses.neither);
        for (std::size_t j = 0; j < n; ++j) {
            out.yes_i[j] = loses.both[j] + loses.only_i[j];
            out.no_i[j] = loses.only_j[j] + loses.neither[j];
            out.yes_j[j] = loses.both[j] + loses.only_j[j];
            out.no_j[j] = loses.only_i[j] + loses.neither[j];
        }
    }

private:
    const LossType& loss_;
    const PairCounts& p_;
    const Count* with_;
    const Count all_;
};

// The same without the offset, for a loss that is a gain less an offset which cancels: two sums of each quarter, found
// once for every feature, are enough.
template <class LossType>
class QuarterGains {
public:
    // sums: of the rows that have each feature, with room for 2 * (n_features + kLanes).
    QuarterGains(const LossType& loss, const PairCounts& p, double* sums)
        : loss_(loss), p_(p), weight_(sums), centred_(sums + p.features.n_features + kLanes) {
        const FeatureCounts& f = p.features;
        for (std::size_t j = 0; j < kLanes; ++j) weight_[f.n_features + j] = centred_[f.n_features + j] = 0;
        for_blocks(0, f.n_features, [&](std::size_t begin, std::size_t n) {
            const Count* single = f.single + begin;
            const auto with = [&](std::size_t c, std::size_t j) { return single[c * f.step + j]; };
            loss_.add_centred(f.n_classes, n, with, centred_ + begin);
            for (std::size_t j = 0; j < n; ++j) weight_[begin + j] = static_cast<double>(single[j]);
        });
        loss_.add_centred(
            f.n_classes, 1, [&](std::size_t c, std::size_t) { return f.total[c]; }, &all_centred_);
        all_weight_ = static_cast<double>(f.total[0]);
    }

    SPLITSECOND_INLINE void operator()(std::size_t i, std::size_t begin, std::size_t n,
                                       SplitBlock<Cost>& out) const {
        const Count* pair = p_.pair + i * p_.row_step + begin;
        const double* weight_j = weight_ + begin;
        const double* centred_j = centred_ + begin;
        const double weight_i = weight_[i], centred_i = centred_[i];
        const double weight_no = all_weight_ - weight_i, centred_no = all_centred_ - centred_i;
        // Whole vectors, since rows are short: behind the last feature pairs hold some numbers, too.
        const std::size_t whole = (n + kLanes - 1) / kLanes * kLanes;
        double centred[kFeatureBlock];
        loss_.add_centred(
            p_.features.n_classes, whole,
            [&](std::size_t c, std::size_t j) { return pair[c * p_.class_step + j]; }, centred);
        for (std::size_t j = 0; j < whole; ++j) {
            const auto weight = static_cast<double>(pair[j]);
            const double only_weight = weight_j[j] - weight, only_centred = centred_j[j] - centred[j];
            const double both = kRounds - loss_.gain(weight, centred[j]);
            const double only_i = kRounds - loss_.gain(weight_i - weight, centred_i - centred[j]);
            const double only_j = kRounds - loss_.gain(only_weight, only_centred);
            const double neither = kRounds - loss_.gain(weight_no - only_weight, centred_no - only_centred);
            out.yes_i[j] = sum_in_units(both, only_i);
            out.no_i[j] = sum_in_units(neither, only_j);
            out.yes_j[j] = sum_in_units(both, only_j);
            out.no_j[j] = sum_in_units(neither, only_i);
        }
    }

private:
    const LossType& loss_;
    const PairCounts& p_;
    double* weight_;
    double* centred_;
    double all_weight_ = 0;
    double all_centred_ = 0;
};

// For the children of feature i and, by symmetry, of every later feature: yes[j] and no[j] only fall. with[j] is the
// weight of feature j.
template <class Quarters, class Value>
void stump_row(const Quarters& quarters, const PairCounts& p, std::size_t i, const Count* with, Count all,
               Value* yes, Value* no) {
    constexpr Value kNever = std::numeric_limits<Value>::max();
    const FeatureCounts& f = p.features;
    Value best_yes = yes[i], best_no = no[i];
    for_blocks(i + 1, f.n_features, [&](std::size_t begin, std::size_t n) {
        SplitBlock<Value> loses;
        quarters(i, begin, n, loses);
        if (f.min_rows > 1) {
            Count with_both[kFeatureBlock];
            count_both(p, i, begin, n, with_both);
            QuarterBlock<Count> rows;
            count_quarters(p, i, begin, n, with, with_both, all, rows);
            for (std::size_t j = 0; j < n; ++j) {
                const bool has_both = rows.both[j] >= f.min_rows, has_i = rows.only_i[j] >= f.min_rows;
                const bool has_j = rows.only_j[j] >= f.min_rows, has_neither = rows.neither[j] >= f.min_rows;
                loses.yes_i[j] = has_both && has_i ? loses.yes_i[j] : kNever;
                loses.no_i[j] = has_j && has_neither ? loses.no_i[j] : kNever;
                loses.yes_j[j] = has_both && has_j ? loses.yes_j[j] : kNever;
                loses.no_j[j] = has_i && has_neither ? loses.no_j[j] : kNever;
            }
        }
        for (std::size_t j = 0; j < n; ++j) best_yes = smaller(best_yes, loses.yes_i[j]);
        for (std::size_t j = 0; j < n; ++j) best_no = smaller(best_no, loses.no_i[j]);
        for (std::size_t j = 0; j < n; ++j) yes[begin + j] = smaller(yes[begin + j], loses.yes_j[j]);
        for (std::size_t j = 0; j < n; ++j) no[begin + j] = smaller(no[begin + j], loses.no_j[j]);
    });
    yes[i] = best_yes;
    no[i] = best_no;
}

// The same in gains, where the offset cancels: it is taken off before and added after.
template <class LossType>
void best_stumps_by_gain(const LossType& loss, const PairCounts& p, const Count* with, Count all, Cost* yes,
                         Cost* no) {
    const FeatureCounts& f = p.features;
    const std::size_t k = f.n_features;
    Cost* best_yes = static_cast<Cost*>(p.scratch);
    Cost* best_no = best_yes + k;
    const QuarterGains<LossType> quarters(loss, p, reinterpret_cast<double*>(best_no + k));
    const auto each = static_cast<Cost>(loss.whole_offset);
    const Count* offset = f.single + kOffsetChannel * f.step;
    const Count all_offset = f.total[kOffsetChannel];
    for (std::size_t j = 0; j < k; ++j) best_yes[j] = yes[j] - each * offset[j];
    for (std::size_t j = 0; j < k; ++j) best_no[j] = no[j] - each * (all_offset - offset[j]);
    for (std::size_t i = 0; i < k; ++i) stump_row(quarters, p, i, with, all, best_yes, best_no);
    for (std::size_t j = 0; j < k; ++j) yes[j] = best_yes[j] + each * offset[j];
    for (std::size_t j = 0; j < k; ++j) no[j] = best_no[j] + each * (all_offset - offset[j]);
}

template <class LossType>
void best_stumps(const Objective& objective, const PairCounts& p, const Count* with, Cost* yes, Cost* no) {
    using Value = typename LossType::Value;
    static_assert(sizeof(Value) <= sizeof(Cost));
    const std::size_t k = p.features.n_features;
    const Count all = sum_of(p.features.total, p.features.n_classes);
    if constexpr (requires(LossType loss) { loss.offset_cancels(); }) {
        const auto loss = objective.as<LossType>();
        if (loss.offset_cancels()) return best_stumps_by_gain(loss, p, with, all, yes, no);
    }
    Value* best_yes = static_cast<Value*>(p.scratch);
    Value* best_no = best_yes + k;
    for (std::size_t j = 0; j < k; ++j) best_yes[j] = static_cast<Value>(yes[j]);
    for (std::size_t j = 0; j < k; ++j) best_no[j] = static_cast<Value>(no[j]);
    with_loss_for<LossType>(objective, all, [&](const auto& loss) {
        const QuarterLosses quarters(loss, p, with, all);
        for (std::size_t i = 0; i < k; ++i) {
            if constexpr (sizeof(Value) == sizeof(Count)) {  // losses fill the lanes that counts fill
                if (p.features.n_classes == 2 && p.features.min_rows <= 1) {
                    stump_row_of_two(loss, p, i, best_yes, best_no);
                    continue;
                }
            }
            stump_row(quarters, p, i, with, all, best_yes, best_no);
        }
    });
    for (std::size_t j = 0; j < k; ++j) yes[j] = static_cast<Cost>(best_yes[j]);
    for (std::size_t j = 0; j < k; ++j) no[j] = static_cast<Cost>(best_no[j]);
}

}  // namespace
}  // namespace splitsecond
