// Problems large enough to be shared between threads: the same tree as with one, and the same limits.
#include <bit>
#include <cstddef>
#include <thread>
#include <vector>

#include "search/solve.hpp"
#include "support/check.hpp"
#include "support/data.hpp"

namespace splitsecond {
namespace {

constexpr std::size_t kThreads = 4;

// A search shares its first level from about a million word operations on: rows / 64 * columns^2.
Data large_data(Weights weights) {
    Random random(11);
    return make_data(random, {.n_rows = 20000,
                              .n_columns = 64,
                              .n_classes = 3,
                              .weights = weights,
                              .noise = 50,
                              .odd_columns = false});
}

// All rows of thirteen bits with their pairwise exclusive ors, the majority as class: everything ties with
// its mirror images, and the first of them to be evaluated must not win.
Data symmetric_data() {
    constexpr std::size_t kBits = 13;
    Data data;
    data.n_rows = std::size_t{1} << kBits;
    data.n_classes = 2;
    for (std::size_t i = 0; i < data.n_rows; ++i) {
        const auto bit = [&](std::size_t j) { return i >> j & 1; };
        for (std::size_t a = 0; a < kBits; ++a) {
            data.cells.push_back(static_cast<std::uint8_t>(bit(a)));
            for (std::size_t b = a + 1; b < kBits; ++b)
                data.cells.push_back(static_cast<std::uint8_t>(bit(a) ^ bit(b)));
        }
        data.classes.push_back(2 * static_cast<std::size_t>(std::popcount(i)) > kBits ? 1 : 0);
    }
    data.n_columns = data.cells.size() / data.n_rows;
    return data;
}

struct Question {
    Algorithm algorithm;
    std::size_t depth;
    std::size_t lookahead;
};

const std::vector<Question> kQuestions = {{Algorithm::greedy, 5, 0},  {Algorithm::lickety_split, 4, 1},
                                          {Algorithm::split, 3, 1},   {Algorithm::split, 3, 2},
                                          {Algorithm::optimal, 2, 2}, {Algorithm::optimal, 3, 3}};

Solution solved(const Data& data, const Question& question, std::size_t n_threads, Limits& limits) {
    Options options;
    options.algorithm = question.algorithm;
    options.max_depth = question.depth;
    options.lookahead = question.lookahead;
    options.objective.price = {1, 20};
    options.n_threads = n_threads;
    const Solution solution = solve(data.table(), data.target(), options, limits);
    check_tree(data, options, solution);
    CHECK_LE(solution.lower_bound, solution.tree.cost(options.objective));
    return solution;
}

void test_same_tree(const Data& data) {
    for (const Question& question : kQuestions) {
        const check::Context context("algorithm ", question.algorithm, ", depth ", question.depth,
                                     ", lookahead ", question.lookahead);
        Limits limits;
        const Solution alone = solved(data, question, 1, limits);
        CHECK(alone.status == Status::complete);
        for (const std::size_t n_threads : {2, 4}) {
            Limits shared_limits;
            const Solution shared = solved(data, question, n_threads, shared_limits);
            CHECK(shared.status == Status::complete);
            CHECK_EQ(shape_of(shared.tree), shape_of(alone.tree));
            CHECK_EQ(shared.lower_bound, alone.lower_bound);
        }
    }
}

// Asked on the calling thread alone, while the others work.
void test_interrupt(const Data& data, std::size_t last_question) {
    const std::thread::id owner = std::this_thread::get_id();
    for (const Question& question : {kQuestions[1], kQuestions[3], kQuestions[5]}) {
        const check::Context context("algorithm ", question.algorithm, ", interrupt at question ",
                                     last_question);
        std::size_t questions = 0;
        Limits limits(Limits::kNoDeadline, Limits::kNoBudget, [&](const Limits& watched) {
            CHECK(std::this_thread::get_id() == owner);
            CHECK_LE(watched.done(), watched.steps());
            return ++questions == last_question;
        });
        const Solution solution = solved(data, question, kThreads, limits);
        const bool interrupted = questions == last_question;
        CHECK(solution.status == (interrupted ? Status::interrupted : Status::complete));
    }
}

void test_deadline(const Data& data) {
    for (const Question& question : kQuestions)
        for (const double seconds : {0.0, 0.005, 0.02}) {
            const check::Context context("algorithm ", question.algorithm, ", deadline ", seconds);
            Limits limits(seconds);
            const Solution solution = solved(data, question, kThreads, limits);
            CHECK(solution.status == Status::time_limit || solution.status == Status::complete);
        }
}

// How much the threads take together varies, but never more than the budget.
void test_memory_budget(const Data& data) {
    const Question& question = kQuestions[5];
    Limits none;
    const Solution whole = solved(data, question, 1, none);
    const Price price{1, 20};
    int stopped = 0;
    for (std::size_t eighths = 0; eighths <= 12; ++eighths) {
        const std::size_t budget = whole.peak_bytes * eighths / 8;
        const check::Context context("budget ", budget, " of ", whole.peak_bytes);
        Limits limits(Limits::kNoDeadline, budget);
        const Solution solution = solved(data, question, kThreads, limits);
        CHECK_LE(solution.peak_bytes, budget);
        CHECK_LE(solution.lower_bound, whole.lower_bound);
        CHECK_LE(whole.lower_bound, solution.tree.cost({price}));
        stopped += solution.status == Status::memory_limit;
        if (solution.status == Status::complete) CHECK_EQ(shape_of(solution.tree), shape_of(whole.tree));
        limits.charge(budget);  // throws unless everything was given back
    }
    CHECK_LT(2, stopped);
}

}  // namespace
}  // namespace splitsecond

int main() {
    using namespace splitsecond;
    const Data large = large_data(Weights::none);
    test_same_tree(large);
    test_same_tree(large_data(Weights::few));
    test_same_tree(symmetric_data());
    test_interrupt(large, 1);
    test_interrupt(large, 1000000);
    test_deadline(large);
    test_memory_budget(large);
    return check::report();
}
