#include "search/greedy.hpp"

#include <algorithm>
#include <numeric>

namespace splitsecond {
namespace {

constexpr double kTieBits = 1e-9;

// Gathering pays only when more counts than this would follow if none were cut short (docs/decisions.md).
constexpr double kCompressCost = 25;

}  // namespace

void Gains::read(const View& view, const Count* counts) {
    totals.resize(view.n_classes);
    for (std::size_t c = 0; c < view.n_classes; ++c) totals[c] = counts[c * view.stride + view.ones()];
}

std::ptrdiff_t best_gain(const Problem& problem, const View& view, const Count* counts, Gains& gains) {
    gains.read(view, counts);
    gains.entropy.resize(view.n_features);
    const double least = problem.kernels().split_entropies(
        counts, view.stride, gains.totals.data(), view.n_classes, view.n_features, gains.entropy.data());
    if (least == std::numeric_limits<double>::infinity()) return -1;
    const double weight = std::accumulate(gains.totals.begin(), gains.totals.end(), 0.0);
    std::ptrdiff_t first = 0;
    while (gains.entropy[static_cast<std::size_t>(first)] > least + kTieBits * weight) ++first;
    return first;
}

Cost Greedy::complete(const View& view, const Word* rows, const Count* counts, std::size_t depth, Cost budget,
                      std::size_t level, Tree* tree) {
    const Price& price = problem_.price;
    const Cost leaf = price.of(node_errors(view, counts), 1);
    const std::size_t node = tree == nullptr ? 0 : tree->add_leaf(counts + view.ones(), view.stride);
    if (depth == 0 || leaf <= split_floor(problem_, view, counts)) return leaf;
    if (depth == 1 &&
        tree == nullptr) {  // what the best split makes of it is far cheaper to tell than which one
        const Cost least = price.of(least_errors(view, counts), 2);
        if (least >= leaf) return leaf;
        if (problem_.exact_last_split || least > budget) return least;
    }
    if (depth >= 2) {  // a leaf, the best single split, or three leaves: nothing costs less
        const Cost three = price.of(weight_at(view, counts, view.unavoidable()), 3);
        if (leaf <= three || std::min(leaf, three) > budget) {
            const Cost least = std::min({leaf, three, price.of(least_errors(view, counts), 2)});
            if (least == leaf || least > budget) return least;
        }
    }
    const bool by_errors = depth == 1 && problem_.exact_last_split;
    const std::ptrdiff_t best =
        by_errors ? best_split(problem_, view, counts) : best_gain(problem_, view, counts, gains_);
    if (best < 0) return leaf;
    const std::size_t f = static_cast<std::size_t>(best);

    if (depth == 1 && tree == nullptr) {
        const LeafErrors errors = leaf_errors(view, counts, f);
        return std::min(leaf, price.of(errors.yes + errors.no, 2));
    }
    const Cost limit = tree == nullptr ? std::min(budget, leaf - 1) : kInfinite;
    if (tree == nullptr) {  // each child is a leaf or costs two
        const LeafErrors errors = leaf_errors(view, counts, f);
        const Cost two = split_floor(price, 0);
        const Cost least = std::min(price.of(errors.yes, 1), two) + std::min(price.of(errors.no, 1), two);
        if (least > limit) return std::min(least, leaf);
    }
    // Small nodes take a microsecond: not each of them needs to read the clock.
    constexpr std::size_t kSmallNode = 4096, kNodesPerLook = 16;
    if ((view.n_words() > kSmallNode || ++nodes_ % kNodesPerLook == 0) && problem_.limits.stop()) return leaf;
    if (problem_.limits.stopped()) return leaf;

    // Gather the rows when the counts below, 2^(depth-1) - 1 of them, would waste more on absent rows.
    if (levels_.size() <= level) levels_.emplace_back(problem_.limits);
    Level& own = levels_[level];
    const View* source = &view;
    const double counts_below =
        depth > 40 ? 1e12 : static_cast<double>((std::uint64_t{1} << (depth - 1)) - 1);
    if (rows != nullptr && counts_below > kCompressCost) {
        const std::size_t present = problem_.kernels().count_bits(rows, view.n_words());
        const double words = static_cast<double>(view.n_words());
        if (counts_below * (words - static_cast<double>(present) / 64) > kCompressCost * words) {
            gather_rows(problem_.kernels(), view, rows, own.view);
            source = &own.view;
            rows = nullptr;
        }
    }

    const std::size_t n_words = source->n_words();
    const std::size_t n_counts = source->n_classes * source->stride;
    own.yes.resize(n_counts);
    own.no.resize(n_counts);
    own.mask[0].resize(n_words);
    own.mask[1].resize(n_words);
    split_rows(problem_.kernels(), *source, rows, f, own.mask[0].data(), own.mask[1].data(), own.yes.data());
    for (std::size_t i = 0; i < n_counts; ++i) own.no[i] = counts[i] - own.yes[i];

    // A split must beat the leaf and fit the budget; what a child needs at least is known already. The child
    // with more errors first: the sooner the sum is too large, the better. (A tree is built yes before no.)
    const Count* child_counts[2] = {own.yes.data(), own.no.data()};
    Cost child_leaf[2], floor[2];
    for (int side = 0; side < 2; ++side) {
        child_leaf[side] = price.of(node_errors(*source, child_counts[side]), 1);
        floor[side] = std::min(child_leaf[side], split_floor(problem_, *source, child_counts[side]));
    }
    const int first = tree == nullptr && child_leaf[1] > child_leaf[0] ? 1 : 0;
    const auto child = [&](int side, Cost child_budget) {
        return complete(*source, own.mask[side].data(), child_counts[side], depth - 1, child_budget,
                        level + 1, tree);
    };
    Cost sum = child(first, limit - floor[1 - first]) + floor[1 - first];
    if (sum <= limit) {
        const std::size_t right = tree == nullptr ? 0 : tree->size();
        sum -= floor[1 - first];
        sum += child(1 - first, limit - sum);
        if (tree != nullptr) {
            tree->feature[node] = static_cast<std::int32_t>(view.features[f]);
            tree->left[node] = static_cast<std::int32_t>(node + 1);
            tree->right[node] = static_cast<std::int32_t>(right);
        }
    }
    if (sum >= leaf) {
        if (tree != nullptr) tree->make_leaf(node);
        return leaf;
    }
    return sum;
}

Cost Greedy::least_errors(const View& view, const Count* counts) {
    gains_.read(view, counts);
    return weight_at(view, counts, view.ones()) -
           problem_.kernels().best_stump(counts, view.stride, gains_.totals.data(), view.n_classes,
                                         view.n_features);
}

}  // namespace splitsecond
