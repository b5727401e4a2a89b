// Boosting of squared error and of Poisson deviance asks what a slow and plain oracle asks.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "guess/boosting.hpp"
#include "support/boost_cases.hpp"
#include "support/boost_oracle.hpp"
#include "support/check.hpp"
#include "support/data.hpp"

namespace splitsecond {
namespace {

constexpr NumberLoss kLosses[] = {NumberLoss::squared_error, NumberLoss::poisson};

// ---- the oracle -----------------------------------------------------------------------------------

class Oracle {
public:
    Oracle(const Case& problem, std::size_t max_depth, double learning_rate)
        : problem_(problem), tree_(problem, max_depth), rate_(learning_rate) {
        double sum = 0;
        for (std::size_t row = 0; row < problem.n_rows(); ++row)
            sum += problem.weight(row) * problem.values[row];
        const double mean = sum / problem.total_weight();
        scores_.assign(problem.n_rows(), is_poisson() ? std::log(mean) : mean);
    }

    // False where the best question is not clearly the best.
    bool round() {
        std::vector<double> missed, hessians;
        for (std::size_t row = 0; row < problem_.n_rows(); ++row) {
            const double predicted = is_poisson() ? std::exp(scores_[row]) : scores_[row];
            const double curve = is_poisson() ? predicted : 1;
            missed.push_back((problem_.values[row] - predicted) / curve);
            hessians.push_back(problem_.weight(row) * curve);
        }
        std::vector<TreeOracle::Rows> leaves;
        tree_.learned = false;
        if (!tree_.grow(missed, hessians, leaves)) return false;
        for (const TreeOracle::Rows& rows : leaves) {
            double slope = 0, curve = 1e-9 * problem_.total_weight();
            for (const std::size_t row : rows) {
                slope += hessians[row] * missed[row];
                curve += hessians[row];
            }
            const double step = is_poisson() ? std::log(std::max(1 + slope / curve, 1e-6)) : slope / curve;
            for (const std::size_t row : rows) scores_[row] += rate_ * step;
        }
        return true;
    }

    const std::vector<Question>& questions() const { return tree_.questions; }
    bool learned() const { return tree_.learned; }

private:
    bool is_poisson() const { return problem_.loss == NumberLoss::poisson; }

    const Case& problem_;
    TreeOracle tree_;
    const double rate_;
    std::vector<double> scores_;
};

// Returns how many rounds could be compared.
std::size_t test_oracle(const Case& problem, std::size_t max_depth, double learning_rate,
                        std::size_t rounds) {
    Oracle oracle(problem, max_depth, learning_rate);
    for (std::size_t round = 1; round <= rounds; ++round) {
        const check::Context context("round ", round, ", depth ", max_depth, ", rate ", learning_rate);
        if (!oracle.round()) return round - 1;
        check_same(
            boosted(problem, {.rounds = round, .max_depth = max_depth, .learning_rate = learning_rate}),
            oracle.questions(), 2e-4);
        if (!oracle.learned()) return rounds;
    }
    return rounds;
}

void test_oracle_small(NumberLoss loss) {
    std::size_t compared = 0, wanted = 0;
    for (std::uint64_t seed = 0; seed < 150; ++seed) {
        Random random(seed);
        const std::size_t n_rows = random.between(150, 900), n_columns = random.between(1, 6);
        const check::Context context("seed ", seed, ", ", n_rows, " rows");
        const Case problem = make_numbers(random,
                                          {.n_rows = n_rows,
                                           .n_columns = n_columns,
                                           .n_classes = random.between(2, 4),
                                           .weighted = random.chance(40)},
                                          loss);
        compared += test_oracle(problem, 1 + seed % 3, random.one_of<double>({0.1, 0.3, 1.0}), 6);
        wanted += 6;
    }
    CHECK_LE(wanted / 2, compared);
}

void test_oracle_sliced(NumberLoss loss) {
    std::size_t compared = 0;
    for (const bool weighted : {false, true}) {
        Random random(weighted ? 1 : 2);
        const Case problem = make_numbers(
            random, {.n_rows = 33000, .n_columns = 4, .n_classes = 3, .weighted = weighted}, loss);
        for (std::size_t depth = 1; depth <= 3; ++depth) compared += test_oracle(problem, depth, 0.5, 3);
    }
    CHECK_LE(9u, compared);
}

// ---- what must not matter -------------------------------------------------------------------------

void test_threads(NumberLoss loss, std::size_t n_rows, std::size_t depth) {
    const check::Context context(n_rows, " rows, depth ", depth);
    Random random(n_rows + depth);
    const Case problem = make_numbers(
        random, {.n_rows = n_rows, .n_columns = 6, .n_classes = 3, .weighted = depth == 2}, loss);
    BoostOptions options{.rounds = 4, .max_depth = depth};
    const std::vector<Question> one = boosted(problem, options);
    CHECK_LT(0u, one.size());
    for (const std::size_t n_threads : {0, 2, 3, 8}) {
        const check::Context threads(n_threads, " threads");
        options.n_threads = n_threads;
        check_identical(boosted(problem, options), one);
    }
}

// An exposure of k is k rows with the same rate.
void test_weights_are_repetitions(NumberLoss loss, std::uint64_t seed) {
    const check::Context context("seed ", seed);
    Random random(seed);
    Case weighted =
        make_numbers(random, {.n_rows = 800, .n_columns = 5, .n_classes = 3, .weighted = true}, loss);
    Case repeated = weighted;
    repeated.values.clear();
    repeated.weights.clear();
    for (CaseColumn& column : repeated.columns) column.bins.clear();
    for (std::size_t row = 0; row < weighted.n_rows(); ++row) {
        const std::size_t times = random.below(4);
        weighted.weights[row] = static_cast<double>(times);
        repeated.values.insert(repeated.values.end(), times, weighted.values[row]);
        for (std::size_t c = 0; c < weighted.columns.size(); ++c)
            repeated.columns[c].bins.insert(repeated.columns[c].bins.end(), times,
                                            weighted.columns[c].bins[row]);
    }
    const BoostOptions options{.rounds = 6, .max_depth = 1 + seed % 3};
    check_same(boosted(weighted, options), boosted(repeated, options), 1e-4);
}

// ---- degenerate -----------------------------------------------------------------------------------

void test_constant(NumberLoss loss) {
    Random random(5);
    for (const double value : {0.0, 1.0, 0.3})
        for (const bool weighted : {false, true}) {
            const check::Context context("value ", value, weighted ? ", weighted" : "");
            Case problem = make_numbers(random, {.n_rows = 500, .n_columns = 4, .weighted = weighted}, loss);
            std::fill(problem.values.begin(), problem.values.end(), value);
            CHECK(boosted(problem, {.rounds = 20, .max_depth = 2, .wanted = 5}).empty());
        }
}

// Rates far from what is predicted, and rows where nothing ever happens: no step goes astray.
void test_large_steps(NumberLoss loss) {
    Random random(6);
    Case problem = make_numbers(random, {.n_rows = 2000, .n_columns = 4}, loss);
    std::fill(problem.values.begin(), problem.values.end(), 0);
    problem.values[17] = problem.values[1234] = 1000;
    for (const bool weighted : {false, true}) {
        if (weighted) {
            problem.weights.assign(2000, 1);
            problem.weights[17] = 1e-9;
        }
        for (const double rate : {0.1, 1.0})
            for (const std::size_t depth : {1, 3, 6})
                for (const Question& question :
                     boosted(problem, {.rounds = 500, .max_depth = depth, .learning_rate = rate}))
                    CHECK(std::isfinite(question.gain) && question.gain > 0);
    }
}

// One question tells all: it is asked until nothing is left to learn, and no other.
void test_separable(NumberLoss loss) {
    Case problem;
    problem.loss = loss;
    CaseColumn column{{}, 2, 2, 0, true, false};
    for (int row = 0; row < 100; ++row) {
        column.bins.push_back(static_cast<std::uint16_t>(row % 2));
        problem.values.push_back(row % 2 == 0 ? 0 : 2);
    }
    problem.columns = {column, column};
    for (const double rate : {0.1, 1.0}) {
        const std::vector<Question> found =
            boosted(problem, {.rounds = 3000, .learning_rate = rate, .wanted = 2});
        CHECK_EQ(found.size(), 1u);
        CHECK_EQ(found.at(0).column, 0u);
        CHECK(std::isfinite(found.at(0).gain));
    }
}

}  // namespace
}  // namespace splitsecond

int main() {
    using namespace splitsecond;
    for (const NumberLoss loss : kLosses) {
        const check::Context context(loss == NumberLoss::poisson ? "poisson" : "squared error");
        test_oracle_small(loss);
        test_oracle_sliced(loss);
        for (const std::size_t n_rows : {300, 33000})
            for (std::size_t depth = 1; depth <= 3; ++depth) test_threads(loss, n_rows, depth);
        for (std::uint64_t seed = 0; seed < 20; ++seed) test_weights_are_repetitions(loss, seed);
        test_constant(loss);
        test_large_steps(loss);
        test_separable(loss);
    }
    return check::report();
}
