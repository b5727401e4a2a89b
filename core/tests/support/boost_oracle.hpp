// The slow and plain oracle of one boosted tree: rows one by one, in double precision.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "support/boost_cases.hpp"

namespace splitsecond {

class TreeOracle {
public:
    using Rows = std::vector<std::size_t>;

    TreeOracle(const Case& problem, std::size_t max_depth)
        : problem_(problem), max_depth_(max_depth), total_(problem.total_weight()) {
        for (std::uint32_t c = 0; c < problem.columns.size(); ++c) {
            const CaseColumn& column = problem.columns[c];
            const std::uint32_t end = column.ordered ? column.n_values - 1 : column.n_values;
            for (std::uint32_t bin = column.first; bin < end; ++bin) all_.push_back({c, bin, 0});
            if (column.ask_if_missing) all_.push_back({c, column.n_bins - 1, 0});
        }
    }

    // Grows a tree that fits what each row misses; `weights` are what the rows count. False where the best question
    // is not clearly the best: another may do as well for the product.
    bool grow(const std::vector<double>& missed, const std::vector<double>& weights,
              std::vector<Rows>& leaves) {
        Rows everyone;
        for (std::size_t row = 0; row < problem_.n_rows(); ++row) everyone.push_back(row);
        leaves = {everyone};
        for (std::size_t level = 0; level < max_depth_; ++level) {
            std::vector<Rows> children;
            for (const Rows& rows : leaves) {
                const Question* best = nullptr;
                if (!choose(rows, missed, weights, best)) return false;
                Rows yes, no;
                for (const std::size_t row : rows)
                    (best == nullptr || problem_.answer(best->column, best->bin, row) ? yes : no)
                        .push_back(row);
                children.push_back(std::move(yes));
                children.push_back(std::move(no));
            }
            leaves = std::move(children);
        }
        return true;
    }

    std::vector<Question> questions;
    bool learned = false;

private:
    // Friedman's improvement: what two means explain better than one.
    double gain(const Rows& rows, const std::vector<double>& missed, const std::vector<double>& weights,
                const Question& question) const {
        double sum[2] = {0, 0}, weight[2] = {0, 0};
        for (const std::size_t row : rows) {
            const int side = problem_.answer(question.column, question.bin, row) ? 1 : 0;
            sum[side] += weights[row] * missed[row];
            weight[side] += weights[row];
        }
        if (weight[0] <= 0 || weight[1] <= 0) return 0;
        const double difference = sum[0] / weight[0] - sum[1] / weight[1];
        return weight[0] * weight[1] / (weight[0] + weight[1]) * difference * difference;
    }

    bool same_halves(const Rows& rows, const Question& a, const Question& b) const {
        int equal = -1;
        for (const std::size_t row : rows) {
            if (problem_.weight(row) <= 0) continue;
            const int now =
                problem_.answer(a.column, a.bin, row) == problem_.answer(b.column, b.bin, row) ? 1 : 0;
            if (equal >= 0 && now != equal) return false;
            equal = now;
        }
        return true;
    }

    bool choose(const Rows& rows, const std::vector<double>& missed, const std::vector<double>& weights,
                const Question*& best) {
        std::vector<double> gains;
        for (const Question& question : all_) gains.push_back(gain(rows, missed, weights, question));
        const double most = gains.empty() ? 0 : *std::max_element(gains.begin(), gains.end());
        if (most <= 1e-13 * total_) return true;  // nothing to ask
        if (most <= 1e-5 * total_) return false;  // the product's chances have 24 bits
        double chosen = 0;
        for (std::size_t i = 0; i < all_.size(); ++i) {
            if (gains[i] < most * (1 - 1e-4)) continue;
            if (best == nullptr)
                best = &all_[i], chosen = gains[i];
            else if (!same_halves(rows, *best, all_[i]))
                return false;
        }
        learned = true;
        for (Question& known : questions)
            if (known.column == best->column && known.bin == best->bin) {
                known.gain += chosen;
                return true;
            }
        questions.push_back({best->column, best->bin, chosen});
        return true;
    }

    const Case& problem_;
    const std::size_t max_depth_;
    const double total_;
    std::vector<Question> all_;
};

}  // namespace splitsecond
