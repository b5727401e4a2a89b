// Boosted questions are the same whatever the threads, the units of weights and the limits.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "guess/boosting.hpp"
#include "support/boost_cases.hpp"
#include "support/check.hpp"
#include "support/data.hpp"

namespace splitsecond {
namespace {

// ---- what must not matter -------------------------------------------------------------------------

void test_threads(std::size_t n_rows, std::size_t n_classes, std::size_t depth) {
    const check::Context context(n_rows, " rows, ", n_classes, " classes, depth ", depth);
    Random random(n_rows + n_classes + depth);
    const Case problem = make_problem(
        random, {.n_rows = n_rows, .n_columns = 6, .n_classes = n_classes, .weighted = depth == 2});
    BoostOptions options{.rounds = 4, .max_depth = depth};
    const std::vector<Question> one = boosted(problem, options);
    CHECK_LT(0u, one.size());
    for (const std::size_t n_threads : {0, 2, 3, 8}) {
        const check::Context threads(n_threads, " threads");
        options.n_threads = n_threads;
        check_identical(boosted(problem, options), one);
    }
}

void test_weights_are_repetitions(std::uint64_t seed) {
    Random random(seed);
    const std::size_t depth = 1 + seed % 3;
    Case weighted = make_problem(
        random, {.n_rows = 800, .n_columns = 5, .n_classes = random.between(2, 4), .weighted = true});
    Case repeated = weighted;
    repeated.classes.clear();
    repeated.weights.clear();
    for (CaseColumn& column : repeated.columns) column.bins.clear();
    for (std::size_t row = 0; row < weighted.n_rows(); ++row) {
        const std::size_t times = random.below(4);
        weighted.weights[row] = static_cast<double>(times);
        repeated.classes.insert(repeated.classes.end(), times, weighted.classes[row]);
        for (std::size_t c = 0; c < weighted.columns.size(); ++c)
            repeated.columns[c].bins.insert(repeated.columns[c].bins.end(), times,
                                            weighted.columns[c].bins[row]);
    }
    const check::Context context("seed ", seed);
    const BoostOptions options{.rounds = 6, .max_depth = depth};
    check_same(boosted(weighted, options), boosted(repeated, options), 1e-4);
}

// Weights count relative to each other, however large or small they are.
void test_scale_of_weights(std::uint64_t seed) {
    Random random(seed);
    Case problem =
        make_problem(random, {.n_rows = 500, .n_columns = 4, .n_classes = 2 + seed % 2, .weighted = true});
    const BoostOptions options{.rounds = 10, .max_depth = 1 + seed % 2};
    const std::vector<Question> expected = boosted(problem, options);
    CHECK_LT(0u, expected.size());
    const std::vector<double> weights = problem.weights;
    for (const double scale : {0x1p-900, 0x1p-1, 0x1p20, 0x1p1000, 1e300, 1e-300, 1e-305, 3.0}) {
        const check::Context context("seed ", seed, ", scale ", scale);
        for (std::size_t row = 0; row < weights.size(); ++row) problem.weights[row] = scale * weights[row];
        std::vector<Question> found = boosted(problem, options);
        for (Question& question : found) question.gain /= scale;
        int exponent = 0;
        const bool exact = std::frexp(scale, &exponent) == 0.5;
        check_same(found, expected, exact ? 0 : 1e-4);
    }
}

void test_extreme_weights() {
    constexpr double kMost = std::numeric_limits<double>::max();
    constexpr double kLeast = std::numeric_limits<double>::denorm_min();
    Random random(1);
    Case problem = make_problem(random, {.n_rows = 300, .n_columns = 3});
    const std::vector<Question> expected = boosted(problem, {.rounds = 5});
    for (const double weight : {kMost, 1e300, 1e-300, 1e-310, kLeast}) {
        const check::Context context("weight ", weight);
        problem.weights.assign(300, weight);
        std::vector<Question> found = boosted(problem, {.rounds = 5});
        CHECK_EQ(found.size(), expected.size());
        for (std::size_t i = 0; i < std::min(found.size(), expected.size()); ++i) {
            CHECK_EQ(found[i].column, expected[i].column);
            CHECK_EQ(found[i].bin, expected[i].bin);
            CHECK(!std::isnan(found[i].gain));
        }
    }
    problem.weights[7] = std::numeric_limits<double>::infinity();  // not allowed, but no harm
    CHECK(boosted(problem, {.rounds = 5}).empty());
    problem.weights.assign(300, 0);
    CHECK(boosted(problem, {.rounds = 5}).empty());
    for (std::size_t row = 0; row < 300; ++row)
        problem.weights[row] = random.one_of<double>({0, 1e300, 1e-300, 1, 1e-12});
    for (const Question& question : boosted(problem, {.rounds = 50, .max_depth = 3})) {
        CHECK(std::isfinite(question.gain));
        CHECK_LT(0.0, question.gain);
    }
}

// Rows of no weight might as well not be there.
void test_zero_weights(std::uint64_t seed) {
    const check::Context context("seed ", seed);
    Random random(seed);
    Case problem = make_problem(random, {.n_rows = 600, .n_columns = 4, .weighted = true});
    const BoostOptions options{.rounds = 10, .max_depth = 2};
    const std::vector<Question> expected = boosted(problem, options);
    for (std::size_t row = 0; row < problem.n_rows(); ++row)
        if (problem.weights[row] <= 0) {
            problem.classes[row] = static_cast<std::int32_t>(random.below(2));
            for (CaseColumn& column : problem.columns)
                column.bins[row] = static_cast<std::uint16_t>(random.below(column.n_bins));
        }
    check_same(boosted(problem, options), expected, 1e-9);
}

// The rows of a frequent bin, which is asked for by no question of its own, or by one with the bin before it:
// spread over several bins they are no longer kept as "all the others".
void test_sparse_is_dense(std::uint64_t seed) {
    const check::Context context("seed ", seed);
    Random random(seed);
    const std::size_t n_rows = random.one_of<std::size_t>({700, 33000});
    Case sparse = make_problem(
        random, {.n_rows = n_rows, .n_columns = 4, .n_classes = 2 + seed % 2, .weighted = random.chance(50)});
    std::vector<std::uint32_t> shift;
    Case dense = sparse;
    for (std::size_t c = 0; c < 4; ++c) {
        const bool ordered = random.chance(50), bottom = ordered && random.chance(50);
        const auto n_values = static_cast<std::uint32_t>(random.between(3, 8));
        CaseColumn few{{}, n_values + (ordered ? 0 : 1), n_values, 0, ordered, false};
        CaseColumn many = few;
        const auto frequent = static_cast<std::uint16_t>(bottom ? 0 : few.n_bins - 1);
        many.n_bins += 5;
        if (bottom) many.n_values += 5, many.first = 5;
        for (std::size_t row = 0; row < n_rows; ++row) {
            const auto other = static_cast<std::uint16_t>(
                sparse.classes[row] == 0 ? random.below(few.n_bins) : random.below(few.n_bins - 1));
            few.bins.push_back(random.chance(80) ? frequent : other);
            const std::size_t extra = few.bins.back() == frequent ? random.below(6) : bottom ? 5 : 0;
            many.bins.push_back(static_cast<std::uint16_t>(few.bins.back() + extra));
        }
        shift.push_back(bottom ? 5 : 0);
        sparse.columns[c] = few;
        dense.columns[c] = many;
    }
    for (const std::size_t depth : {1, 3}) {
        const BoostOptions options{.rounds = 6, .max_depth = depth};
        std::vector<Question> found = boosted(dense, options);
        for (Question& question : found) question.bin -= shift[question.column];
        const std::vector<Question> expected = boosted(sparse, options);
        CHECK_LT(0u, expected.size());
        check_same(found, expected, 1e-6);
    }
}

// ---- limits ---------------------------------------------------------------------------------------

void test_deadline_in_the_past(const Case& problem) {
    for (const std::size_t n_threads : {1, 3}) {
        Limits limits(0);
        CHECK(boosted(problem, {.max_depth = 2, .n_threads = n_threads}, limits).empty());
        CHECK(limits.reason() == Status::time_limit);
    }
}

void test_memory_budgets(const Case& problem) {
    const BoostOptions options{.rounds = 3, .max_depth = 2, .n_threads = 2};
    constexpr std::size_t kPlenty = std::size_t{1} << 40;
    Limits plenty(Limits::kNoDeadline, kPlenty);
    const std::vector<Question> whole = boosted(problem, options, plenty);
    plenty.charge(kPlenty);  // throws unless everything was given back
    Limits none;
    boosted(problem, options, none);
    const std::size_t peak = none.peak_bytes();
    CHECK_LT(problem.n_rows(), peak);
    for (std::size_t i = 0; i <= 22; ++i) {
        const std::size_t budget = i == 21 ? 1 : i == 22 ? peak - 1 : peak * i / 20;
        const check::Context context("budget ", budget, " of ", peak);
        Limits limits(Limits::kNoDeadline, budget);
        const std::vector<Question> found = boosted(problem, options, limits);
        CHECK_EQ(limits.reason() == Status::complete, budget >= peak);
        if (budget >= peak) {
            check_identical(found, whole);
        } else {
            CHECK(limits.reason() == Status::memory_limit);
            CHECK(found.empty());
        }
        limits.charge(budget);
    }
}

// What was found before the interrupt is what would have been found first anyway.
void test_interrupts(const Case& problem, std::size_t n_threads) {
    for (std::size_t k = 1; k <= 3; ++k) {
        const check::Context context("interrupt at question ", k, ", ", n_threads, " threads");
        std::size_t asked = 0;
        Limits limits(Limits::kNoDeadline, Limits::kNoBudget, [&](const Limits&) { return ++asked == k; });
        BoostOptions options{.rounds = 1'000'000'000, .n_threads = n_threads};
        const std::vector<Question> found = boosted(problem, options, limits);
        CHECK(limits.reason() == Status::interrupted);
        CHECK_EQ(asked, k);
        if (problem.n_rows() < 10000)
            CHECK_LT(0u, found.size());  // a round takes less than until the question
        options.rounds = 20;
        const std::vector<Question> start = boosted(problem, options);
        for (std::size_t i = 0; i < std::min(found.size(), start.size()); ++i) {
            CHECK_EQ(found[i].column, start[i].column);
            CHECK_EQ(found[i].bin, start[i].bin);
        }
    }
}

// So many rounds that ten times as many have no number.
void test_endless_rounds(const Case& problem) {
    for (const std::size_t rounds : {std::size_t{1} << 63, SIZE_MAX}) {
        Limits limits(0.05);
        CHECK_LT(0u, boosted(problem, {.rounds = rounds, .wanted = 1}, limits).size());
        CHECK(limits.reason() == Status::time_limit);
    }
}

}  // namespace
}  // namespace splitsecond

int main() {
    using namespace splitsecond;
    for (const std::size_t n_rows : {32767, 32769})  // one slice, and several
        for (const std::size_t n_classes : {2, 3})
            for (std::size_t depth = 1; depth <= 3; ++depth) test_threads(n_rows, n_classes, depth);
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
        test_weights_are_repetitions(seed);
        test_scale_of_weights(seed);
        test_zero_weights(seed);
        if (seed < 8) test_sparse_is_dense(seed);
    }
    test_extreme_weights();
    Random random(7);
    const Case large = make_problem(random, {.n_rows = 40000, .n_columns = 8, .n_classes = 3});
    const Case small = make_problem(random, {.n_rows = 3000, .n_columns = 5});
    test_deadline_in_the_past(large);
    test_memory_budgets(large);
    test_memory_budgets(small);
    for (const std::size_t n_threads : {1, 3}) {
        test_interrupts(large, n_threads);
        test_interrupts(small, n_threads);
    }
    test_endless_rounds(small);
    return check::report();
}
