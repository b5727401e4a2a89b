#include "search/greedy.hpp"

#include <algorithm>
#include <limits>

namespace splitsecond {
namespace {

// Gathering pays only when more counts than this would follow if none were cut short (docs/decisions.md).
constexpr double kCompressCost = 25;

}  // namespace

std::ptrdiff_t best_gain(const Problem& problem, const View& view, const Count* counts, Gains& gains) {
    const FeatureCounts singles = gains.totals.counts_of(problem, view, counts);
    gains.criterion.resize(view.n_features);
    const auto [minimum, tie] =
        problem.loss_kernels().split_criteria(problem.objective, singles, gains.criterion.data());
    if (minimum == std::numeric_limits<double>::infinity()) return -1;
    std::ptrdiff_t first = 0;
    while (gains.criterion[static_cast<std::size_t>(first)] > minimum + tie) ++first;
    return first;
}

Cost Greedy::min_stump_loss(const View& view, const Count* counts) {
    return problem_.loss_kernels().best_stump(problem_.objective,
                                              gains_.totals.counts_of(problem_, view, counts));
}

// ---- the definition -------------------------------------------------------------------------------

std::ptrdiff_t Greedy::choose(const View& view, const Count* counts, std::size_t depth) {
    Cost cost;
    const bool by_loss = depth == 1 && problem_.exact_last_split;
    return by_loss ? best_split(problem_, view, counts, cost) : best_gain(problem_, view, counts, gains_);
}

Cost Greedy::build(const View& view, const Word* rows, const Count* counts, std::size_t depth,
                   std::size_t level, Tree& tree) {
    const Cost leaf = leaf_cost(problem_, view, counts);
    const std::size_t node = tree.add_leaf(counts + view.ones(), view.stride);
    if (depth == 0 || leaf <= split_floor(problem_, view, counts)) return leaf;
    const std::ptrdiff_t best = choose(view, counts, depth);
    if (best < 0 || stop(view)) return leaf;
    const Level& child = divide(view, rows, counts, depth, level, static_cast<std::size_t>(best));
    Cost sum = 0;
    std::int32_t place[2];
    for (int side = 0; side < 2; ++side) {
        place[side] = static_cast<std::int32_t>(tree.size());
        sum += build(*child.view, child.mask[side].data(), child.counts[side].data(), depth - 1, level + 1,
                     tree);
    }
    if (sum >= leaf) {
        tree.make_leaf(node);
        return leaf;
    }
    tree.feature[node] = static_cast<std::int32_t>(view.features[static_cast<std::size_t>(best)]);
    tree.left[node] = place[0];
    tree.right[node] = place[1];
    return sum;
}

// ---- its value, within a budget -------------------------------------------------------------------

Greedy::Look Greedy::look(const View& view, const Count* counts, std::size_t depth, Cost budget) {
    const Cost leaf = leaf_cost(problem_, view, counts);
    if (depth == 0 || leaf <= split_floor(problem_, view, counts)) return {leaf, leaf, -1};
    const Cost floor = floor_without_split(view, counts, depth, leaf, budget);
    if (floor >= leaf || floor > budget || (depth == 1 && problem_.exact_last_split))
        return {leaf, floor, -1};
    const std::ptrdiff_t best = choose(view, counts, depth);
    if (best < 0) return {leaf, leaf, -1};

    const SideLosses losses = side_losses(problem_, view, counts, static_cast<std::size_t>(best));
    if (depth == 1) return {leaf, std::min(leaf, problem_.cost(losses.yes + losses.no, 2)), -1};
    const Cost two = split_floor(problem_.objective.price, 0);  // each child is a leaf or costs two
    const Cost lower =
        std::min(problem_.cost(losses.yes, 1), two) + std::min(problem_.cost(losses.no, 1), two);
    // A split must beat the leaf and fit the budget.
    if (lower > std::min(budget, leaf - 1)) return {leaf, std::min(lower, leaf), -1};
    return {leaf, lower, best};
}

Cost Greedy::value(const View& view, const Word* rows, const Count* counts, std::size_t depth, Cost budget,
                   std::size_t level) {
    const auto [leaf, lower, best] = look(view, counts, depth, budget);
    if (best < 0) return lower;
    if (stop(view)) return leaf;

    // What a child needs at lower is known already. The child of larger loss first: the sooner the sum is too large,
    // the better.
    const Cost limit = std::min(budget, leaf - 1);
    const Level& child = divide(view, rows, counts, depth, level, static_cast<std::size_t>(best));
    Cost child_leaf[2], child_floor[2];
    for (int side = 0; side < 2; ++side) {
        const Count* child_counts = child.counts[side].data();
        child_leaf[side] = leaf_cost(problem_, *child.view, child_counts);
        child_floor[side] = std::min(child_leaf[side], split_floor(problem_, *child.view, child_counts));
    }
    const auto value_of = [&](int side, Cost child_budget) {
        return value(*child.view, child.mask[side].data(), child.counts[side].data(), depth - 1, child_budget,
                     level + 1);
    };
    const int first = child_leaf[1] > child_leaf[0] ? 1 : 0, second = 1 - first;
    const Cost known = value_of(first, limit - child_floor[second]);
    if (known + child_floor[second] > limit) return std::min(known + child_floor[second], leaf);
    return std::min(known + value_of(second, limit - known), leaf);
}

// A lower bound from counts alone: a leaf, the best single split, or three leaves. At least `leaf` when nothing beats
// a leaf. The cost of the best split is far cheaper to compute than its index.
Cost Greedy::floor_without_split(const View& view, const Count* counts, std::size_t depth, Cost leaf,
                                 Cost budget) {
    if (depth == 1) {
        if (problem_.objective.is_own_criterion()) return 0;  // choosing the split is no more work
        return std::min(leaf, problem_.cost(min_stump_loss(view, counts), 2));
    }
    const Cost three = problem_.cost(unavoidable_loss(problem_, view, counts), 3);
    if (leaf > three && three <= budget) return 0;  // a scan of the counts could not tell more
    return std::min({leaf, three, problem_.cost(min_stump_loss(view, counts), 2)});
}

// ---- children -------------------------------------------------------------------------------------

bool Greedy::stop(const View& view) {
    // Small nodes take a microsecond: not each of them needs to read the clock.
    constexpr std::size_t kSmallNode = 4096, kNodesPerClockCheck = 16;
    if (view.n_words() > kSmallNode || ++nodes_ % kNodesPerClockCheck == 0) return problem_.limits.stop();
    return problem_.limits.stopped();
}

// Divides rows by feature f and counts both sides.
Greedy::Level& Greedy::divide(const View& view, const Word* rows, const Count* counts, std::size_t depth,
                              std::size_t level, std::size_t f) {
    if (levels_.size() <= level) levels_.emplace_back(problem_.limits);
    Level& own = levels_[level];
    own.view = &view;
    // Gather the rows when the counts below, 2^(depth-1) - 1 of them, would waste more on absent rows.
    const double counts_below =
        depth > 40 ? 1e12 : static_cast<double>((std::uint64_t{1} << (depth - 1)) - 1);
    if (rows != nullptr && counts_below > kCompressCost) {
        const std::size_t present = problem_.kernels().count_bits(rows, view.n_words());
        const double words = static_cast<double>(view.n_words());
        if (counts_below * (words - static_cast<double>(present) / 64) > kCompressCost * words) {
            gather_rows(problem_.kernels(), view, rows, own.gathered);
            own.view = &own.gathered;
            rows = nullptr;
        }
    }
    const std::size_t n_counts = view.n_counts();
    for (int side = 0; side < 2; ++side) {
        own.counts[side].resize(n_counts);
        own.mask[side].resize(own.view->n_words());
    }
    split_rows(problem_.kernels(), *own.view, rows, f, own.mask[0].data(), own.mask[1].data(),
               own.counts[0].data());
    Count* no = own.counts[1].data();
    for (std::size_t i = 0; i < n_counts; ++i) no[i] = counts[i] - own.counts[0][i];
    return own;
}

}  // namespace splitsecond
