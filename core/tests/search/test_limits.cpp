// Deadlines, memory budgets and interrupts: always a valid tree, and a bound that is true.
#include "runtime/limits.hpp"

#include <algorithm>
#include <cstddef>
#include <vector>

#include "search/solve.hpp"
#include "support/check.hpp"
#include "support/data.hpp"

namespace splitsecond {
namespace {

const std::vector<Algorithm> kAlgorithms = {Algorithm::greedy, Algorithm::lickety_split, Algorithm::split,
                                            Algorithm::optimal};

// A problem with the cost of its optimal tree, which takes long enough to be stopped on the way.
struct Case {
    Data data;
    Options options;
    Cost optimum = 0;
    double seconds = 0;

    Case(const Data& problem, std::size_t depth, Price price) : data(problem) {
        options.max_depth = depth;
        options.lookahead = 2;
        options.objective.price = price;
        options.algorithm = Algorithm::optimal;
        Limits limits;
        const Solution solution = solve(data.table(), data.target(), options, limits);
        CHECK(solution.status == Status::complete);
        CHECK_EQ(solution.lower_bound, solution.tree.cost({price}));
        optimum = solution.lower_bound;
        seconds = solution.seconds;
    }

    Solution solved(Algorithm algorithm, Limits& limits) const {
        const check::Context context("algorithm ", algorithm);
        Options chosen = options;
        chosen.algorithm = algorithm;
        const Solution solution = solve(data.table(), data.target(), chosen, limits);
        check_tree(data, chosen, solution);
        CHECK_LE(solution.lower_bound, optimum);
        CHECK_LE(optimum, solution.tree.cost(options.objective));
        CHECK(solution.status == limits.reason());
        CHECK_EQ(solution.peak_bytes, limits.peak_bytes());
        return solution;
    }
};

Data noisy_data(std::size_t n_rows, std::size_t n_columns) {
    Random random(15);
    return make_data(random, {.n_rows = n_rows,
                              .n_columns = n_columns,
                              .n_classes = 2,
                              .noise = 60,
                              .odd_columns = false,
                              .repeated = 0});
}

// ---- time -----------------------------------------------------------------------------------------

void test_deadline_in_the_past(const Case& problem) {
    for (const double seconds : {0.0, -1.0, -1e6})
        for (const Algorithm algorithm : kAlgorithms) {
            Limits limits(seconds);
            const Solution solution = problem.solved(algorithm, limits);
            CHECK(solution.status == Status::time_limit);
            CHECK(!solution.packed);
            CHECK_EQ(solution.tree.size(), 1u);
        }
}

void test_short_deadlines(const Case& problem) {
    int stopped = 0;
    for (double seconds = 1e-6; seconds < std::min(0.2, problem.seconds / 2); seconds *= 2)
        for (const Algorithm algorithm : kAlgorithms) {
            const check::Context context("deadline ", seconds);
            Limits limits(seconds);
            const Solution solution = problem.solved(algorithm, limits);
            stopped += solution.status == Status::time_limit;
            CHECK(solution.status == Status::time_limit || solution.status == Status::complete);
        }
    CHECK_LT(20, stopped);
}

// The whole search would take hours.
void test_deadline_is_kept() {
    const Data data = noisy_data(3000, 100);
    for (const Algorithm algorithm : {Algorithm::split, Algorithm::optimal}) {
        Options options;
        options.algorithm = algorithm;
        options.max_depth = 9;
        options.lookahead = 5;
        options.objective.price = {1, 2};
        Limits limits(0.1);
        const Solution solution = solve(data.table(), data.target(), options, limits);
        check_tree(data, options, solution);
        CHECK(solution.status == Status::time_limit);
        CHECK_LE(solution.lower_bound, solution.tree.cost(options.objective));
        CHECK_LT(solution.seconds, 5.0);  // a sanitizer on a busy machine is slow
        options.algorithm = Algorithm::greedy;
        Limits none;
        const Solution greedy = solve(data.table(), data.target(), options, none);
        CHECK_LE(solution.tree.cost(options.objective), greedy.tree.cost(options.objective));
    }
}

// ---- memory ---------------------------------------------------------------------------------------

// Steps from nothing to what a search without limit takes at most.
void test_memory_budgets(const Case& problem, std::size_t n_steps) {
    for (const Algorithm algorithm : kAlgorithms) {
        constexpr std::size_t kPlenty = std::size_t{1} << 40;
        Limits plenty(Limits::kNoDeadline, kPlenty);
        const Solution whole = problem.solved(algorithm, plenty);
        CHECK(whole.status == Status::complete);
        CHECK_LT(0u, whole.peak_bytes);
        plenty.charge(kPlenty);  // throws unless everything was given back

        Limits none;
        const Solution lickety = problem.solved(Algorithm::lickety_split, none);
        int stopped = 0;
        std::vector<std::size_t> budgets{1, whole.peak_bytes - 1, whole.peak_bytes, 4 * whole.peak_bytes};
        for (std::size_t i = 0; i < n_steps; ++i) budgets.push_back(whole.peak_bytes * i / n_steps);
        for (const std::size_t budget : budgets) {
            const check::Context context("budget ", budget, " of ", whole.peak_bytes);
            Limits limits(Limits::kNoDeadline, budget);
            const Solution solution = problem.solved(algorithm, limits);
            CHECK_LE(solution.peak_bytes, budget);
            // Where there is little room the search does without some of its helpers: slower, same tree.
            if (solution.status == Status::complete) {
                CHECK(solution.packed);
                CHECK_EQ(shape_of(solution.tree), shape_of(whole.tree));
            } else {
                CHECK(solution.status == Status::memory_limit);
                CHECK_LT(budget, 4 * whole.peak_bytes);
                ++stopped;
            }
            // The optimal search starts from the tree of LicketySPLIT.
            if (algorithm == Algorithm::optimal && budget > 2 * lickety.peak_bytes)
                CHECK_LE(solution.tree.cost(problem.options.objective),
                         lickety.tree.cost(problem.options.objective));
            limits.charge(budget);  // nothing was kept
        }
        CHECK_LT(static_cast<int>(n_steps) / 4, stopped);
    }
}

// ---- interrupts -----------------------------------------------------------------------------------

void test_interrupts(const Case& problem) {
    for (std::size_t k = 1; k <= 4; ++k)
        for (const Algorithm algorithm : kAlgorithms) {
            const check::Context context("interrupt at question ", k);
            std::size_t questions = 0;
            Limits limits(Limits::kNoDeadline, Limits::kNoBudget, [&](const Limits& watched) {
                CHECK(&watched == &limits);
                CHECK_LE(watched.done(), watched.steps());
                return ++questions == k;
            });
            const Solution solution = problem.solved(algorithm, limits);
            CHECK_LE(questions, k);  // not asked again
            CHECK(solution.status == (questions == k ? Status::interrupted : Status::complete));
            if (algorithm == Algorithm::optimal) CHECK(solution.status == Status::interrupted);
        }
}

// Whoever watches sees the outermost loop come along.
void test_progress(const Case& problem) {
    std::size_t furthest = 0;
    Limits limits(Limits::kNoDeadline, Limits::kNoBudget, [&](const Limits& watched) {
        furthest = std::max(furthest, watched.done());
        return false;
    });
    problem.solved(Algorithm::optimal, limits);
    CHECK_LT(0u, furthest);
    CHECK_EQ(limits.done(), limits.steps());
}

// ---- the object itself ----------------------------------------------------------------------------

void test_first_reason_stays() {
    Limits limits(Limits::kNoDeadline, 100);
    CHECK(!limits.stop() && !limits.stopped());
    limits.charge(60);
    CHECK_THROWS(limits.charge(41), LimitReached);
    CHECK(limits.stop() && limits.reason() == Status::memory_limit);
    limits.charge(40);  // what was refused is not counted
    CHECK_EQ(limits.peak_bytes(), 100u);
    limits.release(100);
    limits.charge(100);
    CHECK_EQ(limits.peak_bytes(), 100u);
    CHECK(limits.reason() == Status::memory_limit);
}

// What is made of stopped limits starts anew, but for the time.
void test_limits_again() {
    int questions = 0;
    Limits stopped(Limits::kNoDeadline, 100, [&](const Limits&) { return ++questions > 0; });
    stopped.charge(60);
    stopped.out_of_memory();
    Limits again = stopped.again();
    CHECK(!again.stopped() && again.has_room(100) && !again.has_room(101));
    while (!again.stop()) {
    }
    CHECK(again.reason() == Status::interrupted);
    CHECK(stopped.reason() == Status::memory_limit);
    CHECK_LE(again.seconds(), stopped.seconds());
    Limits past(0.0);
    CHECK(past.again().stop());
}

// The deadline only ever moves nearer.
void test_share_of_the_time() {
    Limits limits(3600.0);
    Limits whole = limits.again();
    limits.keep_time(1.0);
    CHECK(!limits.stop());
    limits.keep_time(0.0);
    CHECK(limits.stop() && limits.reason() == Status::time_limit);
    CHECK(!whole.stop());
    Limits past(0.0);
    past.keep_time(0.5);
    CHECK(past.stop());
    Limits none;
    none.keep_time(0.0);
    CHECK(!none.stop());
}

void test_no_deadline() {
    for (const double seconds : {Limits::kNoDeadline, 1e300, 1e10, 1e9, 3600.0}) {
        Limits limits(seconds);
        CHECK(!limits.stop());
    }
}

}  // namespace
}  // namespace splitsecond

int main() {
    using namespace splitsecond;
    const Case slow(noisy_data(800, 40), 5, {2, 5});
    const Case quick(noisy_data(200, 14), 5, {2, 3});
    const Case tall(noisy_data(6000, 10), 4, {1, 3});  // its rows are ordered first
    test_deadline_in_the_past(slow);
    test_short_deadlines(slow);
    test_deadline_is_kept();
    test_memory_budgets(quick, 80);
    test_memory_budgets(tall, 60);
    test_interrupts(slow);
    test_progress(slow);
    test_first_reason_stays();
    test_limits_again();
    test_share_of_the_time();
    test_no_deadline();
    return check::report();
}
