// Body of the loops that know what a leaf loses, as templates of the loss. Included by body.hpp, once per instruction
// set, with `stump_row_of_two` defined there (portable_stumps.hpp, or avx512.cpp).
#pragma once

#include <cstring>

#include "kernels/kernels.hpp"
#include "kernels/quarters.hpp"

namespace splitsecond {
namespace {

constexpr std::size_t kFeatureBlock = 64;  // features at a time, so that sums stay in registers or close by

// Calls visit(begin, n) for blocks of features.
template <class Visit>
SPLITSECOND_INLINE void for_blocks(std::size_t n_features, const Visit& visit) {
    for (std::size_t begin = 0; begin < n_features; begin += kFeatureBlock)
        visit(begin, smaller(kFeatureBlock, n_features - begin));
}

// Losses of the leaves on both sides of features begin .. begin + n - 1.
template <class LossType>
SPLITSECOND_INLINE void block_losses(LossType loss, const FeatureCounts& p, std::size_t begin, std::size_t n,
                                     Count* with, typename LossType::Value* yes,
                                     typename LossType::Value* no) {
    if (p.n_classes == 2) {
        const Count* single0 = p.single + begin;
        const Count* single1 = single0 + p.step;
        const Count total0 = p.total[0], total1 = p.total[1];
        for (std::size_t j = 0; j < n; ++j) {
            with[j] = single0[j] + single1[j];
            yes[j] = loss.of_two(single0[j], single1[j]);
            no[j] = loss.of_two(total0 - single0[j], total1 - single1[j]);
        }
        return;
    }
    Count all = 0;
    for (std::size_t c = 0; c < p.n_classes; ++c) all += p.total[c];
    for (std::size_t j = 0; j < n; ++j) {
        with[j] = 0;
        yes[j] = no[j] = loss.start();
    }
    for (std::size_t c = 0; c < p.n_classes; ++c) {
        const Count* count = p.single + c * p.step + begin;
        const Count total = p.total[c];
        for (std::size_t j = 0; j < n; ++j) {
            with[j] += count[j];
            yes[j] = loss.add(yes[j], count[j]);
            no[j] = loss.add(no[j], total - count[j]);
        }
    }
    for (std::size_t j = 0; j < n; ++j) {
        yes[j] = loss.finish(yes[j], with[j]);
        no[j] = loss.finish(no[j], all - with[j]);
    }
}

template <class LossType>
void leaf_losses(const Objective& objective, const FeatureCounts& p, Count* with, Cost* yes, Cost* no) {
    const auto loss = objective.as<LossType>();
    for_blocks(p.n_features, [&](std::size_t begin, std::size_t n) {
        Count weight[kFeatureBlock];  // local, so that the compiler knows they overlap nothing
        typename LossType::Value in_yes[kFeatureBlock], in_no[kFeatureBlock];
        block_losses(loss, p, begin, n, weight, in_yes, in_no);
        std::memcpy(with + begin, weight, n * sizeof(Count));
        for (std::size_t j = 0; j < n; ++j) yes[begin + j] = static_cast<Cost>(in_yes[j]);
        for (std::size_t j = 0; j < n; ++j) no[begin + j] = static_cast<Cost>(in_no[j]);
    });
}

template <class LossType>
Cost best_stump(const Objective& objective, const FeatureCounts& p) {
    const auto loss = objective.as<LossType>();
    // Two leaves never lose more than one.
    Cost best = objective.leaf_loss(p.n_classes, [&](std::size_t c) { return p.total[c]; });
    for_blocks(p.n_features, [&](std::size_t begin, std::size_t n) {
        Count weight[kFeatureBlock];
        typename LossType::Value in_yes[kFeatureBlock], in_no[kFeatureBlock];
        block_losses(loss, p, begin, n, weight, in_yes, in_no);
        auto minimum = static_cast<typename LossType::Value>(in_yes[0] + in_no[0]);
        for (std::size_t j = 1; j < n; ++j)
            minimum = smaller(minimum, static_cast<typename LossType::Value>(in_yes[j] + in_no[j]));
        best = smaller(best, static_cast<Cost>(minimum));
    });
    return best;
}

// ---- the best single split below each child -------------------------------------------------------

// For the children of feature i and, by symmetry, of every later feature: yes[j] and no[j] only fall. Scratch memory:
// four values and a count for each feature. Weights on the four quarters that two features make follow from those of
// either, of both and of all; with[j] is the weight of feature j.
template <class LossType>
void stump_row(LossType loss, const PairCounts& p, std::size_t i, const Count* with, Count* with_both,
               typename LossType::Value* scratch, typename LossType::Value* yes,
               typename LossType::Value* no) {
    using Value = typename LossType::Value;
    const std::size_t k = p.features.n_features;
    Value* both = scratch;
    Value* only_i = both + k;
    Value* only_j = only_i + k;
    Value* neither = only_j + k;
    for (std::size_t j = 0; j < 4 * k; ++j) scratch[j] = loss.start();
    for (std::size_t j = 0; j < k; ++j) with_both[j] = 0;
    Count all = 0;
    for (std::size_t c = 0; c < p.features.n_classes; ++c) {
        const Count* pair = p.pair + c * p.class_step + i * p.row_step;
        const Count* single = p.features.single + c * p.features.step;
        const Count in_yes = single[i], in_no = p.features.total[c] - in_yes;
        all += p.features.total[c];
        for (std::size_t j = i + 1; j < k; ++j) {
            const Count a = pair[j], b = single[j] - a;
            with_both[j] += a;
            both[j] = loss.add(both[j], a);
            only_i[j] = loss.add(only_i[j], in_yes - a);
            only_j[j] = loss.add(only_j[j], b);
            neither[j] = loss.add(neither[j], in_no - b);
        }
    }
    Value best_yes = yes[i], best_no = no[i];
    for (std::size_t j = i + 1; j < k; ++j) {
        const Count in_both = with_both[j];
        const Quarters<Value> losses{loss.finish(both[j], in_both), loss.finish(only_i[j], with[i] - in_both),
                                     loss.finish(only_j[j], with[j] - in_both),
                                     loss.finish(neither[j], all - with[i] - with[j] + in_both)};
        losses.lower(best_yes, best_no, yes[j], no[j]);
    }
    yes[i] = best_yes;
    no[i] = best_no;
}

template <class LossType>
void best_stumps(const Objective& objective, const PairCounts& p, const Count* with, Cost* yes, Cost* no) {
    using Value = typename LossType::Value;
    static_assert(6 * sizeof(Value) + sizeof(Count) <= kStumpScratch);
    const auto loss = objective.as<LossType>();
    const std::size_t k = p.features.n_features;
    Value* best_yes = static_cast<Value*>(p.scratch);
    Value* best_no = best_yes + k;
    Value* values = best_no + k;
    Count* with_both = reinterpret_cast<Count*>(values + 4 * k);
    for (std::size_t j = 0; j < k; ++j) best_yes[j] = static_cast<Value>(yes[j]);
    for (std::size_t j = 0; j < k; ++j) best_no[j] = static_cast<Value>(no[j]);
    for (std::size_t i = 0; i < k; ++i) {
        if constexpr (sizeof(Value) == sizeof(Count)) {  // losses fill the lanes that counts fill
            if (p.features.n_classes == 2) {
                stump_row_of_two(loss, p, i, best_yes, best_no);
                continue;
            }
        }
        stump_row(loss, p, i, with, with_both, values, best_yes, best_no);
    }
    for (std::size_t j = 0; j < k; ++j) yes[j] = static_cast<Cost>(best_yes[j]);
    for (std::size_t j = 0; j < k; ++j) no[j] = static_cast<Cost>(best_no[j]);
}

// ---- entropy --------------------------------------------------------------------------------------

inline double as_double(Word bits) {
    double x;
    std::memcpy(&x, &bits, sizeof x);
    return x;
}

inline Word as_bits(double x) {
    Word bits;
    std::memcpy(&bits, &x, sizeof bits);
    return bits;
}

constexpr Word kInfinityBits = 0x7FF0000000000000u;

// x * log2(x) for integers x >= 0, to about 1 ulp, without branches so that loops over it vectorize.
// x = m * 2^e with sqrt(1/2) <= m < sqrt(2); log2(m) = 2/ln(2) * atanh((m-1)/(m+1)) as a series.
inline double x_log2_x(Count count) {
    const double x = static_cast<double>(count);
    const Word bits = as_bits(count < 1 ? 1.0 : x);
    const Word exponent = (bits - 0x3FE6A09E667F3BCDu) >> 52;
    const double m = as_double(bits - (exponent << 52));
    const double e = as_double(0x4338000000000000u + exponent) - 6755399441055744.0;
    const double s = (m - 1.0) / (m + 1.0);
    const double z = s * s;
    double series = 1.0 / 21.0;
    series = series * z + 1.0 / 19.0;
    series = series * z + 1.0 / 17.0;
    series = series * z + 1.0 / 15.0;
    series = series * z + 1.0 / 13.0;
    series = series * z + 1.0 / 11.0;
    series = series * z + 1.0 / 9.0;
    series = series * z + 1.0 / 7.0;
    series = series * z + 1.0 / 5.0;
    series = series * z + 1.0 / 3.0;
    series = series * z + 1.0;
    return x * (e + s * series * 2.8853900817779268147);
}

struct FromTable {
    const double* table;
    double operator()(Count x) const { return table[x]; }
};

struct Computed {
    double operator()(Count x) const { return x_log2_x(x); }
};

template <class XLogX>
inline double split_entropies_with(const XLogX& h, const FeatureCounts& counts, double* entropy) {
    const auto [single, step, total, n_classes, n_features] = counts;
    constexpr std::size_t kBlock = 64;
    Count all = 0;
    double minimum = as_double(kInfinityBits);
    for (std::size_t c = 0; c < n_classes; ++c) all += total[c];
    for (std::size_t begin = 0; begin < n_features; begin += kBlock) {
        const std::size_t n = n_features - begin < kBlock ? n_features - begin : kBlock;
        Count inside[kBlock] = {};
        double spent[kBlock] = {};
        for (std::size_t c = 0; c < n_classes; ++c) {
            const Count* count = single + c * step + begin;
            for (std::size_t j = 0; j < n; ++j) {
                inside[j] += count[j];
                spent[j] += h(count[j]) + h(total[c] - count[j]);
            }
        }
        for (std::size_t j = 0; j < n; ++j) {
            const double value = h(inside[j]) + h(all - inside[j]) - spent[j];
            const double split = inside[j] > 0 && inside[j] < all ? value : as_double(kInfinityBits);
            entropy[begin + j] = split;
            minimum = split < minimum ? split : minimum;
        }
    }
    return minimum;
}

inline double split_entropies(const FeatureCounts& counts, double* entropy) {
    std::int64_t all = 0;
    for (std::size_t c = 0; c < counts.n_classes; ++c) all += counts.total[c];
    if (all < kEntropyTableSize) return split_entropies_with(FromTable{entropy_table()}, counts, entropy);
    return split_entropies_with(Computed{}, counts, entropy);
}

template <class LossType>
double split_criteria(const Objective&, const FeatureCounts& counts, double* criterion) {
    static_assert(LossType::criterion == Criterion::entropy, "a criterion needs its loop here");
    return split_entropies(counts, criterion);
}

template <class LossType>
constexpr LossKernels kLossKernels = {leaf_losses<LossType>, best_stump<LossType>, best_stumps<LossType>,
                                      split_criteria<LossType>};

}  // namespace
}  // namespace splitsecond
