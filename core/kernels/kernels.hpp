// The inner loops, one set per instruction set.
//
// What:      the only code that knows about SIMD. Everything else calls through `Kernels`.
// Layout:    "word-major": data[w * stride + j] holds 64 rows (bit r = row 64*w + r) of column j,
//            so that neighbouring columns are neighbours in memory and fill the lanes of a vector:
//            no horizontal sums, and one pass counts many columns.
// Invariant: every path gives the same bits. Counts are integers; the only floating-point function,
//            x*log2(x), uses IEEE operations in a fixed order and is compiled without contraction.
// Cost:      see each function; `stride` is a multiple of 8 and unused bits and columns are zero.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "losses/objective.hpp"
#include "types.hpp"

namespace splitsecond {

inline constexpr std::size_t kLanes = 8;  // strides are multiples of this many columns

// Words whose rows all have the same class and weight.
struct Stretch {
    const Word* data;
    std::size_t n_words;
    Count weight;
};

// Class counts of the rows that have each feature, single[c * step + j], and of all rows.
struct FeatureCounts {
    const Count* single;
    std::size_t step;
    const Count* total;
    std::size_t n_classes;
    std::size_t n_features;
    // Both sides of a split must have so many rows. They are counted in channel n_classes, behind those of the
    // classes, if `counts_rows`; otherwise each row weighs 1.
    Count min_rows = 1;
    bool counts_rows = false;
};

// And of those that have two features i <= j: pair[c * class_step + i * row_step + j]. Rows likewise.
struct PairCounts {
    FeatureCounts features;
    const Count* pair;
    std::size_t class_step;
    std::size_t row_step;
    void* scratch;  // stump_scratch(n_features) bytes
};
inline constexpr std::size_t stump_scratch(std::size_t n_features) {
    return 2 * n_features * sizeof(Cost) + 2 * (n_features + kLanes) * sizeof(double);
}

// What is known of the children of a node's features, and of those of one feature f: the weight of all rows and
// of f's yes-child, a lower bound for either child, and the maximum cost of a row of weight 1.
struct Neighbours {
    const Count* single;      // class counts of the node, single[c * step + j]
    const Count* yes_single;  // and of f's yes-child
    std::size_t step;
    std::size_t n_classes;
    std::size_t n_features;
    std::int64_t all;
    std::int64_t with;
    std::int64_t yes;
    std::int64_t no;
    std::int64_t max_row_cost;
};

// The loops that know what a leaf loses: one set for each loss.
struct LossKernels {
    // The loss of a leaf on the rows that have a feature and on those that lack it, and the weight of the former.
    void (*leaf_losses)(const Objective& objective, const FeatureCounts& counts, Count* with, Cost* yes,
                        Cost* no);

    // The minimum loss of two leaves, over all features; at most that of one leaf.
    Cost (*best_stump)(const Objective& objective, const FeatureCounts& counts);

    // The same with the feature, the first among equals; -1: none has enough rows on both sides and loses less than
    // one leaf.
    struct Stump {
        Cost loss;
        std::ptrdiff_t feature;
    };
    Stump (*first_best_stump)(const Objective& objective, const FeatureCounts& counts);

    // For both children of every feature, the minimum loss of one further split. yes[j] and no[j] hold the loss of a
    // leaf at first, and only fall; with[j] is the weight of feature j.
    void (*best_stumps)(const Objective& objective, const PairCounts& counts, const Count* with, Cost* yes,
                        Cost* no);

    // What greedy chooses by: criterion[j] of the split on j, summed over both sides; infinite when a side has too few
    // rows. Entropies are in bits, times the weight; losses in units, before they are rounded.
    struct Criteria {
        double minimum;
        double tie;  // sums no further from the minimum are a tie
    };
    Criteria (*split_criteria)(const Objective& objective, const FeatureCounts& counts, double* criterion);
};

struct Kernels {
    const char* name;

    // out[j] gets byte j of each of at most 64 rows, row r in bit r; width <= 64. False if a byte is neither
    // 0 nor 1. (Little-endian processors only.)
    bool (*pack_bytes)(const std::uint8_t* const* rows, std::size_t n_rows, std::size_t width, Word* out);

    // In place: bit c of word r becomes bit r of word c, for 64 words.
    void (*transpose)(Word* block);

    // out[i * stride + j] += weight * popcount(column i & column j) of every stretch, for row_begin <= i < row_end
    // and all j >= i (some j < i are written too: only the upper triangle means anything). row_begin must be a
    // multiple of 8. n_words * rows * columns / 2 word operations; a weight that is a multiple of the next
    // stretch's costs nothing more.
    void (*pair_counts)(const Stretch* stretches, std::size_t n_stretches, std::size_t stride,
                        std::size_t row_begin, std::size_t row_end, Count* out);

    // Divides rows (all that column `ones` has, when null) by a feature into yes and no, and counts:
    // counts[j] += multiplier * popcount(yes & column j). n_words * stride word operations.
    void (*split_rows)(const Word* data, std::size_t stride, std::size_t n_words, const Word* rows,
                       std::size_t ones, std::size_t feature, Count multiplier, Word* yes, Word* no,
                       Count* counts);

    // Counts the rows that satisfy all literals of a path, 2 * column + 1 or 2 * column for those that lack it (-1:
    // no literal): counts[j] += multiplier * popcount(mask & column j); mask[w] gets these rows. n_words * stride word
    // operations, for words that have such rows.
    void (*count_path)(const Word* data, std::size_t stride, std::size_t n_words,
                       const std::int32_t* literals, std::size_t n_literals, std::size_t ones,
                       Count multiplier, Word* mask, Count* counts);

    // How many bits are set.
    std::size_t (*count_bits)(const Word* words, std::size_t n_words);

    // Packs the rows chosen by mask next to each other, for the chosen columns (all when null), behind the
    // first `offset` rows of the first output word. About ten times the cost of split_rows.
    void (*compress)(const Word* data, std::size_t stride, const Word* mask, std::size_t n_words,
                     const std::uint32_t* columns, std::size_t n_columns, Word* out, std::size_t out_stride,
                     int offset);

    // rest[i] = all[i] - part[i].
    void (*subtract)(const Count* all, const Count* part, std::size_t n, Count* rest);

    // Raises the lower bounds of every feature's children to what those of f tell: a set of rows costs at least
    // what another does, less the maximum cost of the rows of the other which it lacks.
    void (*raise_bounds)(const Neighbours& known, std::int64_t* lower_yes, std::int64_t* lower_no);

    // Of up to 64 columns, those that no row has and those that all rows have, column j in bit j.
    // single[c * step + j]; `all` is the weight of all rows.
    void (*constant_columns)(const Count* single, std::size_t step, std::size_t n_classes, Count all,
                             std::size_t width, Word& none_has, Word& all_have);

    const LossKernels* of_loss[Losses::size];

    const LossKernels& of(const Objective& objective) const {
        return *of_loss[static_cast<std::size_t>(objective.loss)];
    }
};

// Paths this processor can run, slowest first: "portable", "avx2", "avx512".
std::vector<const Kernels*> available_kernels();

// The named path, or the fastest for "auto". Throws std::invalid_argument for one that cannot run here.
const Kernels& find_kernels(const char* name);

}  // namespace splitsecond
