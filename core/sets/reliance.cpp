#include "sets/reliance.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <set>
#include <utility>

namespace splitsecond {

// ---- rows by their answers -------------------------------------------------------------------------

template <class Rows>
Answered<Rows>::Answered(std::vector<const std::uint64_t*> columns, std::vector<std::size_t> variable_of,
                         Rows rows)
    : columns_(std::move(columns)), variable_of_(std::move(variable_of)), rows_(std::move(rows)) {
    for (const std::size_t variable : variable_of_) n_variables_ = std::max(n_variables_, variable + 1);
}

template <class Rows>
const typename Rows::Sums& Answered<Rows>::sums_of(const Answers& answers) {
    const auto [place, is_new] = known_.try_emplace(answers);
    if (!is_new) return place->second;
    std::vector<std::uint64_t> rows(rows_.n_words(), ~std::uint64_t{0});
    for (const std::int32_t answer : answers) {
        const std::uint64_t* column = columns_[static_cast<std::size_t>(answer / 2)];
        const std::uint64_t flip = answer % 2 == 0 ? 0 : ~std::uint64_t{0};
        for (std::size_t w = 0; w < rows.size(); ++w) rows[w] &= column[w] ^ flip;
    }
    return place->second = rows_.of(rows);
}

template <class Rows>
template <class Number, class AtLeaf, class Together>
Number Answered<Rows>::expected(const TreeShape& tree, std::vector<Number>& permuted, const AtLeaf& at_leaf,
                                const Together& together) {
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
        const typename Rows::Sums& inside = sums_of(answers);
        const auto loss = at_leaf(node, inside);
        losses += loss(inside);
        for (const std::size_t variable : used) {
            Answers own, others;
            for (const std::int32_t answer : answers)
                (variable_of_[static_cast<std::size_t>(answer / 2)] == variable ? own : others)
                    .push_back(answer);
            permuted[variable] += static_cast<Number>(Rows::weight(sums_of(own))) * loss(sums_of(others));
        }
    }
    for (const std::size_t variable : used)
        permuted[variable] = together(permuted[variable], static_cast<Number>(rows_.all()));
    return together(losses, Number{1});
}

// ---- classes ---------------------------------------------------------------------------------------

ClassRows::ClassRows(std::size_t n_rows, const std::int32_t* classes, std::size_t n_classes,
                     const std::int32_t* weights)
    : n_words_((n_rows + 63) / 64), n_classes_(n_classes) {
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

ClassRows::Sums ClassRows::of(const std::vector<std::uint64_t>& rows) const {
    Sums sums(n_classes_, 0);
    for (const Plane& plane : planes_) {
        std::int64_t count = 0;
        for (std::size_t w = 0; w < n_words_; ++w) count += std::popcount(rows[w] & plane.rows[w]);
        sums[plane.cls] += plane.value * count;
    }
    return sums;
}

std::int64_t ClassRows::weight(const Sums& sums) {
    std::int64_t sum = 0;
    for (const std::int64_t part : sums) sum += part;
    return sum;
}

Reliance::Reliance(std::vector<const std::uint64_t*> columns, std::vector<std::size_t> variable_of,
                   std::size_t n_rows, const std::int32_t* classes, std::size_t n_classes,
                   const std::int32_t* weights)
    : rows_(std::move(columns), std::move(variable_of), {n_rows, classes, n_classes, weights}) {}

std::int64_t Reliance::of(const TreeShape& tree, const std::vector<std::uint32_t>& labels,
                          std::vector<std::int64_t>& permuted) {
    const auto at_leaf = [&](std::size_t node, const ClassRows::Sums&) {
        return [label = labels[node]](const ClassRows::Sums& sums) {
            return ClassRows::weight(sums) - sums[label];
        };
    };
    return rows_.expected(tree, permuted, at_leaf, [](std::int64_t losses, std::int64_t) { return losses; });
}

double Reliance::of(const TreeShape& tree, const std::vector<const double*>& row_losses,
                    std::vector<double>& permuted) {
    const auto at_leaf = [&](std::size_t node, const ClassRows::Sums&) {
        return [lost_by = row_losses[node]](const ClassRows::Sums& sums) {
            double lost = 0;
            for (std::size_t c = 0; c < sums.size(); ++c) lost += lost_by[c] * static_cast<double>(sums[c]);
            return lost;
        };
    };
    return rows_.expected(tree, permuted, at_leaf, [](double losses, double) { return losses; });
}

// ---- numbers ---------------------------------------------------------------------------------------

NumberRows::NumberRows(std::size_t n_rows, const double* weights, const double* sums)
    : present_((n_rows + 63) / 64, 0) {
    rows_.reserve(n_rows);
    for (std::size_t i = 0; i < n_rows; ++i) {
        rows_.push_back({weights[i], sums[i]});
        weight_ += weights[i];
        if (weights[i] > 0) present_[i / 64] |= std::uint64_t{1} << i % 64;
    }
}

NumberRows::Sums NumberRows::of(const std::vector<std::uint64_t>& rows) const {
    Sums found;
    for (std::size_t w = 0; w < present_.size(); ++w) {
        for (std::uint64_t left = rows[w] & present_[w]; left != 0; left &= left - 1) {
            const Sums& row = rows_[64 * w + static_cast<std::size_t>(std::countr_zero(left))];
            found.weight += row.weight;
            found.sum += row.sum;
        }
    }
    return found;
}

NumberReliance::NumberReliance(std::vector<const std::uint64_t*> columns,
                               std::vector<std::size_t> variable_of, std::size_t n_rows,
                               const double* weights, const double* sums, const NumberLoss& loss)
    : rows_(std::move(columns), std::move(variable_of), {n_rows, weights, sums}), loss_(loss) {}

double NumberReliance::mean(const NumberRows::Sums& sums) const {
    if (loss_.is_rate && sums.sum <= 0) return loss_.rare_events / (sums.weight + loss_.rare_weight);
    return sums.weight > 0 ? sums.sum / sums.weight : 0;
}

double NumberReliance::of(const TreeShape& tree, const double* values, std::vector<double>& permuted) {
    const auto at_leaf = [&](std::size_t node, const NumberRows::Sums& inside) {
        const double value = values == nullptr ? mean(inside) : values[node];
        const double of_weight = loss_.is_rate ? 2 * value : value * value;
        const double of_sum = loss_.is_rate ? -2 * (1 + std::log(value)) : -2 * value;
        return [of_weight, of_sum](const NumberRows::Sums& sums) {
            // Where there are no events, the logarithm may be infinite.
            return of_weight * sums.weight + (sums.sum == 0 ? 0 : of_sum * sums.sum);
        };
    };
    // Every row is in one leaf, permuted or not: Q is the same for all.
    return rows_.expected(tree, permuted, at_leaf, [&](double losses, double times) {
        const double lost = losses + times * loss_.own;
        return lost > times * loss_.rounding ? lost : 0.0;
    });
}

}  // namespace splitsecond
