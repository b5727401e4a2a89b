// The algorithms by brute force, straight from their definitions: what "correct" means here.
//
// What:      plain vectors of integers and recursion. Of the core it uses the units of cost alone.
// Shared:    rows with equal features are merged into points first, and answers are remembered by the
//            whole list of points; everything else is the definition.
// Cost:      exponential in the number of columns: for up to about eight, or for shallow trees.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "search/bounds.hpp"
#include "support/data.hpp"

namespace splitsecond {

class Oracle {
public:
    using Rows = std::vector<std::size_t>;  // points

    struct Answer {
        Cost cost;
        int feature;  // of the first split; -1: a leaf
    };
    struct Grown {
        Cost cost;
        std::string shape;  // as shape_of() has it
    };

    Oracle(const Data& data, Price price)
        : n_columns_(data.n_columns), n_classes_(data.n_classes), price_(price) {
        std::map<std::vector<bool>, std::vector<Cost>> merged;
        for (std::size_t i = 0; i < data.n_rows; ++i) {
            if (data.weight(i) == 0) continue;
            std::vector<bool> features;
            for (std::size_t j = 0; j < n_columns_; ++j) features.push_back(data.at(i, j));
            std::vector<Cost>& weights = merged[features];
            weights.resize(n_classes_, 0);
            weights[data.class_of(i)] += data.weight(i);
        }
        for (const auto& [features, weights] : merged) {
            all_.push_back(points_.size());
            points_.push_back({features, weights});
        }
    }

    const Rows& all() const { return all_; }

    Cost leaf(const Rows& rows) const {
        const std::vector<Cost> totals = class_totals(rows);
        Cost sum = 0;
        for (const Cost total : totals) sum += total;
        return price_.of(sum - *std::max_element(totals.begin(), totals.end()), 1);
    }

    // V(D, d, k), with the feature that the tie rule prescribes.
    Answer value(const Rows& rows, std::size_t d, std::size_t k) {
        Answer best{leaf(rows), -1};
        if (d == 0) return best;
        const auto key = std::make_tuple(rows, d, k);
        const auto known = known_.find(key);
        if (known != known_.end()) return known->second;
        if (k == 0) {
            const int feature = highest_gain(rows);
            if (feature >= 0) offer(cost_of_split(rows, feature, d, 0), feature, best);
        } else {
            for (std::size_t f = 0; f < n_columns_; ++f) {
                const int feature = static_cast<int>(f);
                if (divides(rows, feature)) offer(cost_of_split(rows, feature, d, k - 1), feature, best);
            }
        }
        known_.emplace(key, best);
        return best;
    }

    Cost optimal(const Rows& rows, std::size_t d) { return value(rows, d, d).cost; }

    // The tree behind V(D, d, k): greedy for k = 0, optimal for k = d.
    Grown tree(const Rows& rows, std::size_t d, std::size_t k) {
        const int feature = value(rows, d, k).feature;
        if (feature < 0) return {leaf(rows), ". "};
        const std::size_t below = k == 0 ? 0 : k - 1;
        return join(feature, tree(part(rows, feature, true), d - 1, below),
                    tree(part(rows, feature, false), d - 1, below));
    }

    Grown lickety(const Rows& rows, std::size_t d, std::size_t k) {
        const int feature = value(rows, d, k).feature;
        if (feature < 0) return {leaf(rows), ". "};
        return join(feature, lickety(part(rows, feature, true), d - 1, k),
                    lickety(part(rows, feature, false), d - 1, k));
    }

    // The same with completions by LicketySPLIT: the children of a split are judged by the trees that this makes there
    // with one level of lookahead less.
    Grown lickety_by_lickety(const Rows& rows, std::size_t d, std::size_t k) {
        const Grown none{leaf(rows), ". "};
        if (d == 0) return none;
        if (k == 0) return tree(rows, d, 0);
        const auto key = std::make_tuple(rows, d, k);
        const auto known = known_lickety_.find(key);
        if (known != known_lickety_.end()) return known->second;
        k = std::min(k, d);
        Answer first{none.cost, -1};
        for (std::size_t f = 0; f < n_columns_; ++f) {
            const int feature = static_cast<int>(f);
            if (!divides(rows, feature)) continue;
            offer(lickety_by_lickety(part(rows, feature, true), d - 1, k - 1).cost +
                      lickety_by_lickety(part(rows, feature, false), d - 1, k - 1).cost,
                  feature, first);
        }
        Grown best = none;
        if (first.feature >= 0) {
            Grown split = join(first.feature, lickety_by_lickety(part(rows, first.feature, true), d - 1, k),
                               lickety_by_lickety(part(rows, first.feature, false), d - 1, k));
            if (split.cost < none.cost) best = std::move(split);
        }
        known_lickety_.emplace(key, best);
        return best;
    }

    // SPLIT with post-processing: the optimal tree at every leaf of the prefix behind V(D, d, k).
    Cost split(const Rows& rows, std::size_t d, std::size_t k) {
        const int feature = k == 0 ? -1 : value(rows, d, k).feature;
        if (feature < 0) return std::min(value(rows, d, 0).cost, optimal(rows, d));
        return split(part(rows, feature, true), d - 1, k - 1) +
               split(part(rows, feature, false), d - 1, k - 1);
    }

    Rows part(const Rows& rows, int feature, bool yes) const {
        Rows chosen;
        for (const std::size_t row : rows)
            if (points_[row].features[static_cast<std::size_t>(feature)] == yes) chosen.push_back(row);
        return chosen;
    }

private:
    struct Point {
        std::vector<bool> features;
        std::vector<Cost> weights;  // of each class
    };

    static void offer(Cost cost, int feature, Answer& best) {
        if (cost < best.cost) best = {cost, feature};
    }

    static Grown join(int feature, const Grown& yes, const Grown& no) {
        return {yes.cost + no.cost, std::to_string(feature) + " " + yes.shape + no.shape};
    }

    Cost cost_of_split(const Rows& rows, int feature, std::size_t d, std::size_t k) {
        return value(part(rows, feature, true), d - 1, k).cost +
               value(part(rows, feature, false), d - 1, k).cost;
    }

    bool divides(const Rows& rows, int feature) const {
        const std::size_t with = part(rows, feature, true).size();
        return with != 0 && with != rows.size();
    }

    std::vector<Cost> class_totals(const Rows& rows) const {
        std::vector<Cost> totals(n_classes_, 0);
        for (const std::size_t row : rows)
            for (std::size_t c = 0; c < n_classes_; ++c) totals[c] += points_[row].weights[c];
        return totals;
    }

    // Weight times entropy in bits.
    long double entropy(const Rows& rows) const {
        const std::vector<Cost> totals = class_totals(rows);
        long double sum = 0, bits = 0;
        for (const Cost total : totals) sum += static_cast<long double>(total);
        for (const Cost total : totals)
            if (total > 0) {
                const auto weight = static_cast<long double>(total);
                bits -= weight * std::log2(weight / sum);
            }
        return bits;
    }

    // The first feature whose split entropy is within 1e-9 bits of the least; -1: none divides.
    int highest_gain(const Rows& rows) const {
        long double weight = 0, least = HUGE_VALL;
        for (const Cost total : class_totals(rows)) weight += static_cast<long double>(total);
        std::vector<long double> entropies(n_columns_, HUGE_VALL);
        for (std::size_t f = 0; f < n_columns_; ++f) {
            const int feature = static_cast<int>(f);
            if (!divides(rows, feature)) continue;
            entropies[f] = entropy(part(rows, feature, true)) + entropy(part(rows, feature, false));
            least = std::min(least, entropies[f]);
        }
        if (least == HUGE_VALL) return -1;
        int first = 0;
        while (entropies[static_cast<std::size_t>(first)] > least + 1e-9L * weight) ++first;
        return first;
    }

    std::size_t n_columns_;
    std::size_t n_classes_;
    Price price_;
    std::vector<Point> points_;
    Rows all_;
    std::map<std::tuple<Rows, std::size_t, std::size_t>, Answer> known_;
    std::map<std::tuple<Rows, std::size_t, std::size_t>, Grown> known_lickety_;
};

}  // namespace splitsecond
