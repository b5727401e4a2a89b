// Boosted questions: those of a slow and plain oracle, and only such as may be asked.
#include "guess/boosting.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "support/boost_cases.hpp"
#include "support/boost_oracle.hpp"
#include "support/check.hpp"
#include "support/data.hpp"

namespace splitsecond {
namespace {

// ---- the oracle -----------------------------------------------------------------------------------

// Gradient boosting as Friedman wrote it down: rows one by one, in double precision.
class Oracle {
public:
    Oracle(const Case& problem, std::size_t max_depth, double learning_rate)
        : problem_(problem), tree_(problem, max_depth), rate_(learning_rate), total_(problem.total_weight()) {
        for (std::size_t row = 0; row < problem.n_rows(); ++row) weights_.push_back(problem.weight(row));
        const std::size_t n_outputs = problem.n_classes == 2 ? 1 : problem.n_classes;
        for (std::size_t k = 0; k < n_outputs; ++k) {
            double inside = 0;
            for (std::size_t row = 0; row < problem.n_rows(); ++row)
                if (is_class(row, k, n_outputs)) inside += problem.weight(row);
            const double share = std::clamp(inside / total_, 1e-6, 1 - 1e-6);
            scores_.emplace_back(problem.n_rows(), std::log(n_outputs == 1 ? share / (1 - share) : share));
        }
    }

    // False where the best question is not clearly the best: another may do as well for the product.
    bool round() {
        std::vector<std::vector<double>> chances(scores_.size(), std::vector<double>(problem_.n_rows()));
        for (std::size_t row = 0; row < problem_.n_rows(); ++row) {
            double sum = scores_.size() == 1 ? 1 : 0;  // the other class of two
            for (const auto& score : scores_) sum += std::exp(score[row]);
            for (std::size_t k = 0; k < scores_.size(); ++k)
                chances[k][row] = std::exp(scores_[k][row]) / sum;
        }
        tree_.learned = false;
        for (std::size_t k = 0; k < scores_.size(); ++k)
            if (!grow(k, chances[k])) return false;
        return true;
    }

    const std::vector<Question>& questions() const { return tree_.questions; }
    bool learned() const { return tree_.learned; }

private:
    bool is_class(std::size_t row, std::size_t k, std::size_t n_outputs) const {
        return problem_.classes[row] == static_cast<std::int32_t>(n_outputs == 1 ? 1 : k);
    }

    bool grow(std::size_t k, const std::vector<double>& chances) {
        std::vector<double> missed(problem_.n_rows());
        for (std::size_t row = 0; row < problem_.n_rows(); ++row)
            missed[row] = (is_class(row, k, scores_.size()) ? 1 : 0) - chances[row];
        std::vector<TreeOracle::Rows> leaves;
        if (!tree_.grow(missed, weights_, leaves)) return false;
        for (const TreeOracle::Rows& rows : leaves) {
            double slope = 0, curve = 1e-9 * total_;
            for (const std::size_t row : rows) {
                slope += problem_.weight(row) * missed[row];
                curve += problem_.weight(row) * chances[row] * (1 - chances[row]);
            }
            for (const std::size_t row : rows) scores_[k][row] += rate_ * slope / curve;
        }
        return true;
    }

    const Case& problem_;
    TreeOracle tree_;
    const double rate_;
    const double total_;
    std::vector<double> weights_;
    std::vector<std::vector<double>> scores_;  // [output][row]
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

void test_oracle_small() {
    std::size_t compared = 0, wanted = 0;
    for (std::uint64_t seed = 0; seed < 150; ++seed) {
        Random random(seed);
        const std::size_t n_rows = random.between(150, 900), n_columns = random.between(1, 6);
        const std::size_t n_classes = random.one_of<std::size_t>({2, 2, 3, 5}), depth = 1 + seed % 3;
        const check::Context context("seed ", seed, ", ", n_rows, " rows, ", n_classes, " classes");
        const Case problem = make_problem(random, {.n_rows = n_rows,
                                                   .n_columns = n_columns,
                                                   .n_classes = n_classes,
                                                   .weighted = random.chance(40)});
        compared += test_oracle(problem, depth, random.one_of<double>({0.1, 0.3, 1.0}), 6);
        wanted += 6;
    }
    CHECK_LE(wanted / 2, compared);
}

void test_oracle_sliced() {
    std::size_t compared = 0;
    for (const std::size_t n_classes : {2, 3}) {
        Random random(n_classes);
        const Case problem = make_problem(
            random, {.n_rows = 33000, .n_columns = 4, .n_classes = n_classes, .weighted = n_classes == 3});
        for (std::size_t depth = 1; depth <= 3; ++depth) compared += test_oracle(problem, depth, 0.5, 3);
    }
    CHECK_LE(9u, compared);
}

// ---- which questions are asked ----------------------------------------------------------------------

void test_only_allowed(std::uint64_t seed) {
    const check::Context context("seed ", seed);
    Random random(seed);
    const Case problem =
        make_problem(random, {.n_rows = 200, .n_columns = 5, .n_classes = random.between(2, 3)});
    const std::vector<Question> found = boosted(problem, {.rounds = 60, .max_depth = 1 + seed % 4});
    std::vector<std::pair<std::uint32_t, std::uint32_t>> seen;
    for (const Question& question : found) {
        const CaseColumn& column = problem.columns[question.column];
        const bool missing = column.ask_if_missing && question.bin == column.n_bins - 1;
        const bool value =
            question.bin >= column.first && question.bin + (column.ordered ? 1 : 0) < column.n_values;
        CHECK(missing || value);
        CHECK_LT(0.0, question.gain);
        seen.emplace_back(question.column, question.bin);
    }
    std::sort(seen.begin(), seen.end());
    CHECK(std::adjacent_find(seen.begin(), seen.end()) == seen.end());
}

void test_first_and_missing() {
    // The class is bin 0; bin 2 is missing and says nearly the same.
    Case problem;
    CaseColumn column{{}, 3, 2, 0, true, false};
    for (int i = 0; i < 100; ++i) {
        column.bins.push_back(static_cast<std::uint16_t>(i % 4 == 0 ? 0 : i % 4 == 1 ? 1 : 2));
        problem.classes.push_back(i % 4 <= 1 ? 1 : i == 3 ? 1 : 0);
    }
    problem.columns = {column};
    const auto asked = [&] {
        std::vector<std::uint32_t> bins;
        for (const Question& question : boosted(problem, {.rounds = 1})) bins.push_back(question.bin);
        return bins;
    };
    CHECK(asked() == std::vector<std::uint32_t>{0});  // the best it may ask
    problem.columns[0].ask_if_missing = true;
    CHECK(asked() == std::vector<std::uint32_t>{2});
    problem.columns[0].ask_if_missing = false;
    problem.columns[0].first = 1;
    CHECK(asked().empty());
    problem.columns[0].ordered = false;
    CHECK(asked() == std::vector<std::uint32_t>{1});
    problem.columns[0].n_values = 0;
    problem.columns[0].first = 0;
    CHECK(asked().empty());
    problem.columns[0].ask_if_missing = true;
    CHECK(asked() == std::vector<std::uint32_t>{2});
    for (const bool ordered : {false, true}) {
        problem.columns[0] = column;
        problem.columns[0].ordered = ordered;
        problem.columns[0].n_values = 3;  // no bin is left for missing values
        problem.columns[0].ask_if_missing = true;
        CHECK(asked() == std::vector<std::uint32_t>{ordered ? 1u : 2u});
    }
}

// Of equal questions the first: in the first column, of the lowest bin.
void test_ties() {
    Case problem;
    CaseColumn column{{}, 5, 5, 0, true, false};
    for (int i = 0; i < 60; ++i) {
        column.bins.push_back(i % 2 == 0 ? 1 : 3);  // bins 1 and 2 ask the same; no row is in 0, 2 and 4
        problem.classes.push_back(i % 2);
    }
    problem.classes[7] = 0;
    problem.columns = {column, column};
    const std::vector<Question> found = boosted(problem, {.rounds = 30, .max_depth = 2});
    CHECK_EQ(found.size(), 1u);
    CHECK_EQ(found.at(0).column, 0u);
    CHECK_EQ(found.at(0).bin, 1u);
}

void test_wanted() {
    Random random(3);
    Case problem = make_problem(random, {.n_rows = 500, .n_columns = 6});
    for (CaseColumn& column : problem.columns) {  // many questions, all of some use
        column = {{}, 40, 40, 0, true, false};
        for (std::size_t row = 0; row < 500; ++row)
            column.bins.push_back(static_cast<std::uint16_t>(random.below(40)));
    }
    const auto count = [&](std::size_t rounds, std::size_t wanted) {
        return boosted(problem, {.rounds = rounds, .learning_rate = 1, .wanted = wanted}).size();
    };
    const std::size_t few = count(5, 0), most = count(50, 0);
    CHECK_LT(few + 1, most);
    CHECK_EQ(count(5, few), few);
    CHECK_EQ(count(5, few + 1), few + 1);
    CHECK_EQ(count(5, 1000), most);  // ten times the rounds
    CHECK(boosted(problem, {.rounds = 0}).empty());
    CHECK(boosted(problem, {.rounds = 0, .wanted = 10}).empty());
}

void test_deep() {
    Random random(4);
    for (const std::size_t n_rows : {200, 33000}) {
        const Case problem = make_problem(random, {.n_rows = n_rows, .n_columns = 6, .n_classes = 3});
        for (const Question& question : boosted(problem, {.rounds = 2, .max_depth = 7, .n_threads = 2}))
            CHECK(std::isfinite(question.gain) && question.gain > 0);
    }
}

// ---- degenerate -----------------------------------------------------------------------------------

void test_degenerate() {
    Random random(5);
    for (const std::size_t n_classes : {2, 3})
        for (const std::size_t depth : {1, 2, 7}) {
            const check::Context context(n_classes, " classes, depth ", depth);
            const BoostOptions options{.rounds = 20, .max_depth = depth, .wanted = 5, .n_threads = 2};
            const Case problem =
                make_problem(random, {.n_rows = 100, .n_columns = 3, .n_classes = n_classes});

            Case no_columns = problem;
            no_columns.columns.clear();
            CHECK(boosted(no_columns, options).empty());

            Case no_rows = problem;
            no_rows.classes.clear();
            CHECK(boosted(no_rows, options).empty());

            const Case one_row = make_problem(random, {.n_rows = 1, .n_columns = 3, .n_classes = n_classes});
            CHECK(boosted(one_row, options).empty());

            for (std::int32_t k = 0; k < static_cast<std::int32_t>(n_classes); ++k) {
                Case one_class = problem;
                std::fill(one_class.classes.begin(), one_class.classes.end(), k);
                CHECK(boosted(one_class, options).empty());
            }
            Case no_classes = problem;
            std::fill(no_classes.classes.begin(), no_classes.classes.end(), 0);
            no_classes.n_classes = 1;
            CHECK(boosted(no_classes, options).empty());

            Case constant = problem;
            for (CaseColumn& column : constant.columns) std::fill(column.bins.begin(), column.bins.end(), 1);
            CHECK(boosted(constant, options).empty());

            Case one_bin = problem;
            for (CaseColumn& column : one_bin.columns)
                column = {std::vector<std::uint16_t>(100, 0), 1, 1, 0, true, false};
            CHECK(boosted(one_bin, options).empty());

            // The classes balance in every bin: no question explains anything.
            Case balanced = problem;
            for (std::size_t row = 0; row < 100; ++row) {
                balanced.classes[row] = static_cast<std::int32_t>(row % 2);
                for (CaseColumn& column : balanced.columns)
                    column.bins[row] = static_cast<std::uint16_t>(row / 2 % column.n_bins);
            }
            CHECK(boosted(balanced, options).empty());

            // One question tells all: nothing is left to learn, and no step goes astray.
            Case separable = problem;
            for (std::size_t row = 0; row < 100; ++row)
                separable.columns[0].bins[row] = static_cast<std::uint16_t>(row % 2);
            separable.columns[0].ordered = true;
            separable.columns[0].first = 0;
            separable.columns[0].n_values = 2;
            separable.columns.resize(1);
            for (std::size_t row = 0; row < 100; ++row)
                separable.classes[row] = static_cast<std::int32_t>(row % 2);
            for (const double rate : {0.1, 1.0, 100.0}) {
                const std::vector<Question> found = boosted(
                    separable, {.rounds = 3000, .max_depth = depth, .learning_rate = rate, .wanted = 2});
                CHECK_EQ(found.size(), 1u);
                CHECK(std::isfinite(found.at(0).gain));
            }
        }
}

// A rare class in rows that look like others: the Newton steps are as large as they get.
void test_large_steps() {
    Random random(6);
    for (const std::size_t n_classes : {2, 4}) {
        Case problem = make_problem(random, {.n_rows = 2000, .n_columns = 4, .n_classes = n_classes});
        std::fill(problem.classes.begin(), problem.classes.end(), 0);
        problem.classes[17] = problem.classes[1234] = 1;
        problem.weights.assign(2000, 1);
        problem.weights[17] = 1e-9;
        for (const double rate : {0.1, 1.0})
            for (const Question& question :
                 boosted(problem, {.rounds = 500, .max_depth = 3, .learning_rate = rate}))
                CHECK(std::isfinite(question.gain) && question.gain > 0);
    }
}

// Bins that take all 16 bits.
void test_most_bins() {
    Case problem;
    CaseColumn column{{}, 65536, 65535, 0, true, true};
    for (std::uint32_t row = 0; row < 65536; ++row) {
        column.bins.push_back(static_cast<std::uint16_t>(row));
        problem.classes.push_back(row <= 40000 ? 1 : 0);
    }
    for (const bool ordered : {true, false}) {
        problem.columns = {column};
        problem.columns[0].ordered = ordered;
        const std::vector<Question> found = boosted(problem, {.rounds = 2, .max_depth = 2, .n_threads = 2});
        CHECK_LT(0u, found.size());
        if (ordered) CHECK_EQ(found.at(0).bin, 40000u);
    }
}

}  // namespace
}  // namespace splitsecond

int main() {
    using namespace splitsecond;
    test_oracle_small();
    test_oracle_sliced();
    for (std::uint64_t seed = 0; seed < 20; ++seed) test_only_allowed(seed);
    test_first_and_missing();
    test_ties();
    test_wanted();
    test_deep();
    test_degenerate();
    test_large_steps();
    test_most_bins();
    return check::report();
}
