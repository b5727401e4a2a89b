#include "sets/reliance.hpp"

#include <algorithm>
#include <bit>
#include <set>
#include <utility>

namespace splitsecond {
namespace {

std::int64_t total(const std::vector<std::int64_t>& sums) {
    std::int64_t sum = 0;
    for (const std::int64_t part : sums) sum += part;
    return sum;
}

}  // namespace

Reliance::Reliance(std::vector<const std::uint64_t*> columns, std::vector<std::size_t> variable_of,
                   std::size_t n_rows, const std::int32_t* classes, std::size_t n_classes,
                   const std::int32_t* weights)
    : columns_(std::move(columns)),
      variable_of_(std::move(variable_of)),
      n_words_((n_rows + 63) / 64),
      n_classes_(n_classes) {
    for (const std::size_t variable : variable_of_) n_variables_ = std::max(n_variables_, variable + 1);
    std::map<std::pair<std::size_t, int>, std::size_t> places;
    for (std::size_t i = 0; i < n_rows; ++i) {
        const auto weight = static_cast<std::uint32_t>(weights == nullptr ? 1 : weights[i]);
        weight_ += weight;
        const auto cls = static_cast<std::size_t>(classes[i]);
        for (std::uint32_t left = weight; left != 0; left &= left - 1) {
            const int bit = std::countr_zero(left);
            const auto [place, is_new] = places.try_emplace({cls, bit}, planes_.size());
            if (is_new)
                planes_.push_back({cls, std::int64_t{1} << bit, std::vector<std::uint64_t>(n_words_, 0)});
            planes_[place->second].rows[i / 64] |= std::uint64_t{1} << i % 64;
        }
    }
}

const std::vector<std::int64_t>& Reliance::weights_of(const Answers& answers) {
    const auto [place, is_new] = known_.try_emplace(answers);
    std::vector<std::int64_t>& sums = place->second;
    if (!is_new) return sums;
    sums.assign(n_classes_, 0);
    std::vector<std::uint64_t> rows(n_words_, ~std::uint64_t{0});
    for (const std::int32_t answer : answers) {
        const std::uint64_t* column = columns_[static_cast<std::size_t>(answer / 2)];
        const std::uint64_t flip = answer % 2 == 0 ? 0 : ~std::uint64_t{0};
        for (std::size_t w = 0; w < n_words_; ++w) rows[w] &= column[w] ^ flip;
    }
    for (const Plane& plane : planes_) {
        std::int64_t count = 0;
        for (std::size_t w = 0; w < n_words_; ++w) count += std::popcount(rows[w] & plane.rows[w]);
        sums[plane.cls] += plane.value * count;
    }
    return sums;
}

template <class Number, class LossOf>
Number Reliance::expected(const TreeShape& tree, std::vector<Number>& permuted, const LossOf& loss) {
    std::set<std::size_t> used;
    for (const std::int32_t feature : tree.feature)
        if (feature >= 0) used.insert(variable_of_[static_cast<std::size_t>(feature)]);
    permuted.assign(n_variables_, -1);
    for (const std::size_t variable : used) permuted[variable] = 0;

    Number losses = 0;
    std::vector<std::pair<std::size_t, Answers>> waiting{{0, {}}};
    while (!waiting.empty()) {
        auto [node, answers] = std::move(waiting.back());
        waiting.pop_back();
        if (tree.feature[node] >= 0) {
            for (const int no : {1, 0}) {
                Answers below = answers;
                below.push_back(2 * tree.feature[node] + no);
                std::sort(below.begin(), below.end());
                below.erase(std::unique(below.begin(), below.end()), below.end());
                const std::int32_t child = no == 1 ? tree.right[node] : tree.left[node];
                waiting.emplace_back(static_cast<std::size_t>(child), std::move(below));
            }
            continue;
        }
        losses += loss(node, weights_of(answers));
        for (const std::size_t variable : used) {
            Answers own, others;
            for (const std::int32_t answer : answers)
                (variable_of_[static_cast<std::size_t>(answer / 2)] == variable ? own : others)
                    .push_back(answer);
            permuted[variable] +=
                static_cast<Number>(total(weights_of(own))) * loss(node, weights_of(others));
        }
    }
    return losses;
}

std::int64_t Reliance::of(const TreeShape& tree, const std::vector<std::uint32_t>& labels,
                          std::vector<std::int64_t>& permuted) {
    return expected(tree, permuted, [&](std::size_t node, const std::vector<std::int64_t>& sums) {
        return total(sums) - sums[labels[node]];
    });
}

double Reliance::of(const TreeShape& tree, const std::vector<const double*>& row_losses,
                    std::vector<double>& permuted) {
    return expected(tree, permuted, [&](std::size_t node, const std::vector<std::int64_t>& sums) {
        double lost = 0;
        for (std::size_t c = 0; c < sums.size(); ++c)
            lost += row_losses[node][c] * static_cast<double>(sums[c]);
        return lost;
    });
}

}  // namespace splitsecond
