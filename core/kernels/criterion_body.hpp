// Body of the loops that greedy chooses its splits by, as templates of the loss. Included like body.hpp.
#pragma once

#include "kernels/loss_body.hpp"
#include "losses/x_log_x.hpp"

namespace splitsecond {
namespace {

using Criteria = LossKernels::Criteria;
constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kTie = 1e-9;  // of the weight, or of the root's loss

// Sets the criteria of n features that have enough rows on both sides; returns their minimum. value(j) is what they
// are, inside[j] their weight.
template <class ValueOf>
SPLITSECOND_INLINE double keep_admissible(const EnoughRows& has_enough, std::size_t begin, std::size_t n,
                                          const Count* inside, const ValueOf& value, double* criterion) {
    double* kept = criterion + begin;
    if (has_enough.counts.min_rows <= 1) {
        const Count all = has_enough.all;
        for (std::size_t j = 0; j < n; ++j) kept[j] = inside[j] > 0 && inside[j] < all ? value(j) : kInfinity;
    } else {
        const Count* rows = has_enough.rows(begin, inside);
        for (std::size_t j = 0; j < n; ++j) kept[j] = has_enough(rows[j]) ? value(j) : kInfinity;
    }
    return minimum_of(kept, n);
}

template <class H>
inline double split_entropies_with(const H& h, const FeatureCounts& p, double* entropy) {
    const EnoughRows has_enough(p);
    const Count all = has_enough.all;
    double minimum = kInfinity;
    for_blocks(0, p.n_features, [&](std::size_t begin, std::size_t n) {
        Count inside[kFeatureBlock] = {};
        double spent[kFeatureBlock] = {};
        for (std::size_t c = 0; c < p.n_classes; ++c) {
            const Count* count = p.single + c * p.step + begin;
            const Count total = p.total[c];
            for (std::size_t j = 0; j < n; ++j) {
                inside[j] += count[j];
                spent[j] += h(count[j]) + h(total - count[j]);
            }
        }
        const auto value = [&](std::size_t j) { return h(inside[j]) + h(all - inside[j]) - spent[j]; };
        minimum = smaller(minimum, keep_admissible(has_enough, begin, n, inside, value, entropy));
    });
    return minimum;
}

inline Criteria split_entropies(const FeatureCounts& p, double* entropy) {
    const Count all = sum_of(p.total, p.n_classes);
    const double minimum = all < kEntropyTableSize
                               ? split_entropies_with(FromTable{entropy_table()}, p, entropy)
                               : split_entropies_with(Computed{}, p, entropy);
    return {minimum, kTie * static_cast<double>(all)};
}

// Entropies of weights times stakes, which are no small integers.
template <class LossType>
inline Criteria weighted_split_entropies(const LossType& loss, const FeatureCounts& p, double* entropy) {
    const EnoughRows has_enough(p);
    double minimum = kInfinity, all = 0;
    for (std::size_t c = 0; c < p.n_classes; ++c) all += loss.stake(c) * static_cast<double>(p.total[c]);
    for_blocks(0, p.n_features, [&](std::size_t begin, std::size_t n) {
        Count with[kFeatureBlock];
        double inside[kFeatureBlock] = {}, spent[kFeatureBlock] = {};
        block_weights(p, begin, n, with);
        for (std::size_t c = 0; c < p.n_classes; ++c) {
            const Count* count = p.single + c * p.step + begin;
            const double stake = loss.stake(c);
            for (std::size_t j = 0; j < n; ++j) {
                const double in = stake * static_cast<double>(count[j]);
                inside[j] += in;
                spent[j] += x_log2_x(in) + x_log2_x(stake * static_cast<double>(p.total[c] - count[j]));
            }
        }
        const auto value = [&](std::size_t j) {
            return x_log2_x(inside[j]) + x_log2_x(all - inside[j]) - spent[j];
        };
        minimum = smaller(minimum, keep_admissible(has_enough, begin, n, with, value, entropy));
    });
    return {minimum, kTie * all};
}

// What both sides of n features lose together, before it is rounded.
template <class LossType>
SPLITSECOND_INLINE void add_sides(const LossType& loss, const FeatureCounts& p, std::size_t begin,
                                  std::size_t n, const Count* with, Count all, double* out) {
    if constexpr (requires { loss.gain(1.0, 1.0); }) {  // two sums of one side give those of the other
        const Count* single = p.single + begin;
        double centred;
        loss.add_centred(p.n_classes, 1, [&](std::size_t c, std::size_t) { return p.total[c]; }, &centred);
        const auto weight = static_cast<double>(p.total[0]);
        loss.add_centred(
            p.n_classes, n, [&](std::size_t c, std::size_t j) { return single[c * p.step + j]; }, out);
        for (std::size_t j = 0; j < n; ++j) {
            const auto inside = static_cast<double>(single[j]);
            out[j] = -(loss.gain(inside, out[j]) + loss.gain(weight - inside, centred - out[j]));
        }
    } else {
        double yes[kFeatureBlock], no[kFeatureBlock];
        const auto evaluate = [&](const auto& weight, const auto& total, double* into) {
            loss.real(p.n_classes, n, weight, total, into);
        };
        on_both_sides(p, begin, with, all, evaluate, yes, no);
        for (std::size_t j = 0; j < n; ++j) out[j] = yes[j] + no[j];
    }
}

// Losses before they are rounded.
template <class LossType>
inline Criteria split_losses(const Objective& objective, const FeatureCounts& p, double* losses) {
    const EnoughRows has_enough(p);
    const Count all = sum_of(p.total, p.n_classes);
    double minimum = kInfinity;
    with_loss_for<LossType>(objective, all, [&](const auto& loss) {
        for_blocks(0, p.n_features, [&](std::size_t begin, std::size_t n) {
            Count with[kFeatureBlock];
            double sums[kFeatureBlock];
            block_weights(p, begin, n, with);
            add_sides(loss, p, begin, n, with, all, sums);
            const auto value = [&](std::size_t j) { return sums[j]; };
            minimum = smaller(minimum, keep_admissible(has_enough, begin, n, with, value, losses));
        });
    });
    return {minimum, kTie * static_cast<double>(objective.parameters.root_loss)};
}

template <class LossType>
Criteria split_criteria(const Objective& objective, const FeatureCounts& counts, double* criterion) {
    if constexpr (LossType::criterion == Criterion::entropy)
        return split_entropies(counts, criterion);
    else if constexpr (LossType::criterion == Criterion::weighted_entropy)
        return weighted_split_entropies(objective.as<LossType>(), counts, criterion);
    else
        return split_losses<LossType>(objective, counts, criterion);
}

template <class LossType>
constexpr LossKernels kLossKernels = {leaf_losses<LossType>, best_stump<LossType>, first_best_stump<LossType>,
                                      best_stumps<LossType>, split_criteria<LossType>};

}  // namespace
}  // namespace splitsecond
