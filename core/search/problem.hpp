// What is to be solved, and how: shared by the greedy completion and the search; and what class counts say of a node.
//
// Invariant: constant while a solve lasts, but for the limits. Everything here that takes counts reads no rows.
// Cost:      a few operations a class and column.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "data/packed_rows.hpp"
#include "kernels/kernels.hpp"
#include "runtime/limits.hpp"
#include "search/bounds.hpp"

namespace splitsecond {

enum class LevelUse { where_faster, never, always };

// None of these changes the answer, only the speed; tests run every combination.
struct SpeedOptions {
    const Kernels* kernels = nullptr;          // null: the fastest
    bool equivalent_points = true;             // sound for every value
    bool similar_support = true;               // sound for the optimal value alone
    bool minimum_support = true;               // sound for the optimal value alone
    bool cache = true;                         // look up subproblems solved before
    bool subtract_siblings = true;             // pair counts of the larger child by subtraction
    LevelUse levels = LevelUse::where_faster;  // completions of many candidates together (level_search.hpp)
};

struct Statistics {
    std::uint64_t subproblems = 0;    // entered by the recursion
    std::uint64_t completions = 0;    // greedy trees evaluated
    std::uint64_t pair_matrices = 0;  // counted or subtracted
    std::uint64_t cache_hits = 0;
    std::uint64_t cache_entries = 0;

    Statistics& operator+=(const Statistics& other) {
        subproblems += other.subproblems;
        completions += other.completions;
        pair_matrices += other.pair_matrices;
        cache_hits += other.cache_hits;
        cache_entries += other.cache_entries;
        return *this;
    }
};

struct Problem {
    Objective objective;
    SpeedOptions speed;
    Limits& limits;
    bool exact_last_split = false;  // greedy chooses its last split by loss instead of entropy
    Count min_leaf_rows = 1;
    Cost max_row_cost =
        kInfinite;  // that a row of weight 1 can add to the cost of a tree; kInfinite: unknown

    const Kernels& kernels() const { return *speed.kernels; }
    const LossKernels& loss_kernels() const { return speed.kernels->of(objective); }
    Cost cost(Cost loss, Cost leaves) const { return objective.price.of(loss, leaves); }

    // Sound for the optimal value alone: sending a child's rows to its sibling's tree adds at most the largest loss of
    // each and saves at least one leaf, so that such a split is strictly worse than no split here.
    bool below_minimum_support(Cost weight) const {
        return speed.minimum_support && max_row_cost < kInfinite &&
               max_row_cost * weight < objective.price.leaf;
    }
    // Sound for the optimal value alone: Candidates::raise_similar.
    bool uses_similar_support() const {
        return speed.similar_support && max_row_cost < kInfinite && min_leaf_rows <= 1;
    }
};

// The counts of a view's features and of all its rows, for the kernels.
struct Totals {
    std::vector<Count> of_channel;

    FeatureCounts counts_of(const Problem& problem, const View& view, const Count* counts);
};

// Helpers over the counts of a view, counts[c * stride + j].

// Loss of a leaf on all rows.
inline Cost leaf_loss(const Problem& problem, const View& view, const Count* counts) {
    return problem.objective.leaf_loss(
        view.n_classes, [counts, &view](std::size_t c) { return counts[c * view.stride + view.ones()]; });
}

inline Cost leaf_cost(const Problem& problem, const View& view, const Count* counts) {
    return problem.cost(leaf_loss(problem, view, counts), 1);
}

// Losses of leaves on the rows that have (yes) or lack (no) feature j.
struct SideLosses {
    Cost yes;
    Cost no;
};
SideLosses side_losses(const Problem& problem, const View& view, const Count* counts, std::size_t j);

// The feature of the view whose split is cheapest, the first among equals, and its cost; -1: none beats a leaf.
std::ptrdiff_t best_split(const Problem& problem, const View& view, const Count* counts, Cost& cost);

// Weight of all classes in column j.
inline Cost weight_at(const View& view, const Count* counts, std::size_t j) {
    Cost sum = 0;
    for (std::size_t c = 0; c < view.n_classes; ++c) sum += counts[c * view.stride + j];
    return sum;
}

// Rows, of whatever weight, that have column j.
inline Cost rows_at(const View& view, const Count* counts, std::size_t j) {
    return view.counts_rows ? counts[view.n_classes * view.stride + j] : weight_at(view, counts, j);
}

// Which features of a view divide its rows, with enough of them on both sides.
class Admissible {
public:
    Admissible(const Problem& problem, const View& view, const Count* counts)
        : view_(view),
          counts_(counts),
          min_rows_(std::max<Cost>(problem.min_leaf_rows, 1)),
          all_(rows_at(view, counts, view.ones())) {}

    bool operator()(std::size_t j) const { return is_enough(rows_at(view_, counts_, j)); }
    // The same where the weight of feature j is known.
    bool operator()(std::size_t j, Cost weight) const {
        return is_enough(view_.counts_rows ? rows_at(view_, counts_, j) : weight);
    }

private:
    bool is_enough(Cost rows) const { return rows >= min_rows_ && all_ - rows >= min_rows_; }

    const View& view_;
    const Count* counts_;
    const Cost min_rows_;
    const Cost all_;
};

// Minimum loss of any tree on these rows (equivalent points).
inline Cost unavoidable_loss(const Problem& problem, const View& view, const Count* counts) {
    return problem.objective.unavoidable(
        view.n_classes,
        [counts, &view](std::size_t c) { return counts[c * view.stride + view.unavoidable()]; },
        [counts, &view](std::size_t c) { return counts[c * view.stride + view.ones()]; });
}

// Minimum cost of any tree with a split on these rows; infinite where there are too few for two leaves.
inline Cost split_floor(const Problem& problem, const View& view, const Count* counts) {
    if (problem.min_leaf_rows > 1 && rows_at(view, counts, view.ones()) < 2 * Cost{problem.min_leaf_rows})
        return kInfinite;
    return split_floor(problem.objective.price, unavoidable_loss(problem, view, counts));
}

}  // namespace splitsecond
