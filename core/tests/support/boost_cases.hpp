// Problems for the tests of boosting, and ways to compare what is found.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "guess/boosting.hpp"
#include "support/check.hpp"
#include "support/data.hpp"

namespace splitsecond {

inline double real(Random& random) { return static_cast<double>(random.word() >> 11) * 0x1p-53; }

struct CaseColumn {
    std::vector<std::uint16_t> bins;
    std::uint32_t n_bins = 1;
    std::uint32_t n_values = 1;
    std::uint32_t first = 0;
    bool ordered = true;
    bool ask_if_missing = false;
};

struct Case {
    std::vector<CaseColumn> columns;
    std::vector<std::int32_t> classes;
    std::size_t n_classes = 2;
    std::vector<double> values;                   // in place of classes
    NumberLoss loss = NumberLoss::squared_error;  // of values
    std::vector<double> weights;                  // empty: all 1

    std::size_t n_rows() const { return values.empty() ? classes.size() : values.size(); }
    double weight(std::size_t row) const { return weights.empty() ? 1 : weights[row]; }
    double total_weight() const {
        double total = 0;
        for (std::size_t row = 0; row < n_rows(); ++row) total += weight(row);
        return total;
    }
    bool answer(std::uint32_t column, std::uint32_t question, std::size_t row) const {
        const CaseColumn& asked = columns[column];
        const std::uint32_t bin = asked.bins[row];
        return asked.ordered && question < asked.n_values ? bin <= question : bin == question;
    }
    std::vector<BinnedColumn> views() const {
        std::vector<BinnedColumn> out;
        for (const CaseColumn& column : columns)
            out.push_back({column.bins.data(), column.n_bins, column.n_values, column.first, column.ordered,
                           column.ask_if_missing});
        return out;
    }
};

inline std::vector<Question> boosted(const Case& problem, const BoostOptions& options, Limits& limits) {
    const double* weights = problem.weights.empty() ? nullptr : problem.weights.data();
    if (!problem.values.empty())
        return boost_numbers(problem.views(), problem.n_rows(), problem.values.data(), problem.loss, weights,
                             options, limits);
    return boost(problem.views(), problem.n_rows(), problem.classes.data(), problem.n_classes, weights,
                 options, limits);
}

inline std::vector<Question> boosted(const Case& problem, const BoostOptions& options) {
    Limits limits;
    std::vector<Question> out = boosted(problem, options, limits);
    CHECK(!limits.stopped());
    return out;
}

// ---- random problems ------------------------------------------------------------------------------

struct Wanted {
    std::size_t n_rows;
    std::size_t n_columns;
    std::size_t n_classes = 2;
    bool weighted = false;
};

inline CaseColumn random_column(Random& random, std::size_t n_rows) {
    CaseColumn column;
    column.ordered = random.chance(65);
    column.n_values = static_cast<std::uint32_t>(random.one_of<std::size_t>({2, 3, 5, 9, 40}));
    if (random.chance(25)) column.first = static_cast<std::uint32_t>(random.below(column.n_values - 1));
    column.ask_if_missing = random.chance(40);
    const std::uint32_t others = random.chance(30) ? 2 : 0;  // bins nobody may ask for
    column.n_bins = column.n_values + others + (column.ask_if_missing ? 1 : 0);
    const bool sparse = random.chance(40);
    const auto frequent = static_cast<std::uint16_t>(random.below(column.n_bins));
    for (std::size_t row = 0; row < n_rows; ++row)
        column.bins.push_back(
            sparse && random.chance(85) ? frequent : static_cast<std::uint16_t>(random.below(column.n_bins)));
    return column;
}

// Every bin of every column speaks for or against every class, and chance has its say.
inline Case make_problem(Random& random, const Wanted& wanted) {
    Case problem;
    problem.n_classes = wanted.n_classes;
    for (std::size_t c = 0; c < wanted.n_columns; ++c)
        problem.columns.push_back(random_column(random, wanted.n_rows));
    std::vector<std::vector<double>> effects;  // [column][bin, class]
    for (const CaseColumn& column : problem.columns) {
        effects.emplace_back();
        for (std::size_t i = 0; i < column.n_bins * wanted.n_classes; ++i)
            effects.back().push_back(2 * real(random) - 1);
    }
    for (std::size_t row = 0; row < wanted.n_rows; ++row) {
        std::size_t best = 0;
        double most = -1e9;
        for (std::size_t k = 0; k < wanted.n_classes; ++k) {
            double score = 2 * real(random);
            for (std::size_t c = 0; c < wanted.n_columns; ++c)
                score += effects[c][problem.columns[c].bins[row] * wanted.n_classes + k];
            if (score > most) most = score, best = k;
        }
        problem.classes.push_back(static_cast<std::int32_t>(best));
        if (wanted.weighted) problem.weights.push_back(random.chance(15) ? 0 : 3 * real(random));
    }
    return problem;
}

// Numbers with a mean of about 0 and a spread of about 1, or rates with a mean of about 1; the classes make them.
inline Case make_numbers(Random& random, const Wanted& wanted, NumberLoss loss) {
    Case problem = make_problem(random, wanted);
    problem.loss = loss;
    for (const std::int32_t k : problem.classes) {
        const double noise = real(random);
        problem.values.push_back(loss == NumberLoss::poisson ? std::floor(0.5 * (k + 1) + 2 * noise * noise)
                                                             : k - 1 + noise);
    }
    problem.classes.clear();
    return problem;
}

// ---- comparing --------------------------------------------------------------------------------------

inline void check_same(const std::vector<Question>& found, const std::vector<Question>& expected,
                       double tolerance) {
    CHECK_EQ(found.size(), expected.size());
    for (std::size_t i = 0; i < std::min(found.size(), expected.size()); ++i) {
        const check::Context context("question ", i);
        CHECK_EQ(found[i].column, expected[i].column);
        CHECK_EQ(found[i].bin, expected[i].bin);
        CHECK_LE(std::abs(found[i].gain - expected[i].gain), tolerance * std::abs(expected[i].gain));
    }
}

inline void check_identical(const std::vector<Question>& found, const std::vector<Question>& expected) {
    check_same(found, expected, 0);  // bit for bit, gains too
}

}  // namespace splitsecond
