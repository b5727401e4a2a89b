// Every algorithm against brute force, whatever the threads, the kernels and the switches.
#include <cstddef>
#include <vector>

#include "search/solve.hpp"
#include "support/check.hpp"
#include "support/data.hpp"
#include "support/oracle.hpp"

namespace splitsecond {
namespace {

constexpr unsigned kSwitches = 64;  // combinations of the six

SpeedOptions speed_options(const Kernels* kernels, unsigned switches) {
    SpeedOptions speed;
    speed.kernels = kernels;
    speed.equivalent_points = (switches & 1) != 0;
    speed.similar_support = (switches & 2) != 0;
    speed.minimum_support = (switches & 4) != 0;
    speed.cache = (switches & 8) != 0;
    speed.subtract_siblings = (switches & 16) != 0;
    speed.merging = (switches & 32) != 0 ? Merging::always : Merging::never;
    return speed;
}

Cost expected_cost(Oracle& oracle, const Options& options) {
    const Oracle::Rows& all = oracle.all();
    const std::size_t d = options.max_depth;
    switch (options.algorithm) {
        case Algorithm::greedy: return oracle.value(all, d, 0).cost;
        case Algorithm::lickety_split:
            return oracle.lickety(all, d, std::max<std::size_t>(options.lookahead, 1)).cost;
        case Algorithm::optimal: return oracle.optimal(all, d);
        case Algorithm::split: break;
    }
    return options.postprocess ? oracle.split(all, d, options.lookahead)
                               : oracle.value(all, d, options.lookahead).cost;
}

void check_solution(const Data& data, const Options& options, Cost expected, Cost optimum) {
    const check::Context context("algorithm ", options.algorithm, ", depth ", options.max_depth,
                                 ", lookahead ", options.lookahead, ", postprocess ", options.postprocess,
                                 ", threads ", options.n_threads);
    Limits limits;
    const Solution solution = solve(data.table(), data.target(), options, limits);
    CHECK(!solution.not_binary);
    CHECK(solution.status == Status::complete);
    check_tree(data, options, solution);
    CHECK_EQ(solution.tree.cost(options.objective), expected);
    CHECK_LE(solution.lower_bound, optimum);
    if (options.algorithm == Algorithm::optimal) CHECK_EQ(solution.lower_bound, expected);
}

// All algorithms at all lookaheads, each as given by `speed` and by some other options.
void check_problem(Random& random, const Data& data, std::size_t depth, const Price& price) {
    const check::Context context(data.n_rows, " rows, ", data.n_columns, " columns, ", data.n_classes,
                                 " classes, depth ", depth, ", price ", price.loss, " ", price.leaf);
    Oracle oracle(data, price);
    const Cost optimum = oracle.optimal(oracle.all(), depth);
    const std::vector<const Kernels*> paths = available_kernels();
    Options options;
    options.max_depth = depth;
    options.objective.price = price;
    const auto check_all = [&] {
        const Cost expected = expected_cost(oracle, options);
        options.n_threads = 1;
        options.speed = SpeedOptions{};
        check_solution(data, options, expected, optimum);
        options.n_threads = random.one_of<std::size_t>({1, 2, 4});
        options.speed = speed_options(random.one_of(paths), static_cast<unsigned>(random.below(kSwitches)));
        const check::Context switches(options.speed.kernels->name, ", switches at random");
        check_solution(data, options, expected, optimum);
    };
    for (const Algorithm algorithm : {Algorithm::greedy, Algorithm::lickety_split, Algorithm::optimal}) {
        options.algorithm = algorithm;
        check_all();
    }
    options.algorithm = Algorithm::split;
    for (std::size_t lookahead = 0; lookahead <= std::min<std::size_t>(depth, 5) + 1; ++lookahead)
        for (const bool postprocess : {true, false}) {
            options.lookahead = lookahead;
            options.postprocess = postprocess;
            check_all();
        }
}

void test_small_problems(Random& random) {
    for (int i = 0; i < 900; ++i) {
        const check::Context context("small problem ", i);
        const Data data = make_small_data(random, 6);
        const std::size_t depth = random.chance(5) ? 1000 : random.between(0, 5);
        check_problem(random, data, depth, random_price(random, data));
    }
}

// Rows of many words and columns of several vectors, where the depth must stay small.
void test_wide_problems(Random& random) {
    for (int i = 0; i < 12; ++i) {
        const check::Context context("wide problem ", i);
        const std::size_t n_columns = random.one_of<std::size_t>({12, 20, 40, 75});
        const Data data = make_data(
            random, {.n_rows = random.between(20, 150),
                     .n_columns = n_columns,
                     .n_classes = random.between(2, 4),
                     .weights = random.one_of<Weights>({Weights::none, Weights::few, Weights::many})});
        check_problem(random, data, n_columns <= 12 ? 3 : 2, random_price(random, data));
    }
}

// Enough rows that they are ordered before the search (cluster.hpp).
void test_tall_problems(Random& random) {
    for (int i = 0; i < 8; ++i) {
        const check::Context context("tall problem ", i);
        const Data data =
            make_data(random, {.n_rows = 5000,
                               .n_columns = random.between(4, 7),
                               .n_classes = random.between(2, 3),
                               .weights = random.one_of<Weights>({Weights::none, Weights::many}),
                               .noise = 30});
        check_problem(random, data, random.between(2, 4), random_price(random, data));
    }
}

void test_every_combination(Random& random) {
    for (int i = 0; i < 8; ++i) {
        const check::Context context("problem ", i);
        const Data data = make_data(random, {.n_rows = random.between(30, 90),
                                             .n_columns = 6,
                                             .n_classes = random.between(2, 3),
                                             .weights = i % 2 == 0 ? Weights::none : Weights::few,
                                             .noise = 40});
        Options options;
        options.max_depth = random.between(3, 4);
        options.lookahead = 2;
        options.objective.price = random_price(random, data);
        Oracle oracle(data, options.objective.price);
        const Cost optimum = oracle.optimal(oracle.all(), options.max_depth);
        for (const Algorithm algorithm :
             {Algorithm::greedy, Algorithm::lickety_split, Algorithm::split, Algorithm::optimal}) {
            options.algorithm = algorithm;
            const Cost expected = expected_cost(oracle, options);
            for (const Kernels* kernels : available_kernels())
                for (unsigned switches = 0; switches < kSwitches; ++switches)
                    for (const std::size_t n_threads : {1, 2, 4}) {
                        const check::Context switched(kernels->name, ", switches ", switches);
                        options.speed = speed_options(kernels, switches);
                        options.n_threads = n_threads;
                        check_solution(data, options, expected, optimum);
                    }
        }
    }
}

// Where greedy splits the last level by loss, a lookahead of all levels but that one is the optimal search.
void test_exact_last_level(Random& random) {
    for (int i = 0; i < 60; ++i) {
        const check::Context context("problem ", i);
        const Data data = make_small_data(random, 6);
        Options options;
        options.objective.price = random_price(random, data);
        options.exact_last_split = true;
        options.max_depth = random.between(3, 5);
        options.lookahead = options.max_depth - 1;
        options.postprocess = false;
        Oracle oracle(data, options.objective.price);
        const Cost optimum = oracle.optimal(oracle.all(), options.max_depth);
        for (const Algorithm algorithm : {Algorithm::lickety_split, Algorithm::split})
            for (const Completion completion : {Completion::greedy, Completion::lickety}) {
                options.algorithm = algorithm;
                options.completion = completion;
                Limits limits;
                const Solution solution = solve(data.table(), data.target(), options, limits);
                check_tree(data, options, solution);
                CHECK_EQ(solution.tree.cost(options.objective), optimum);
                CHECK_EQ(solution.statistics.completions, 0u);
            }
    }
}

// LicketySPLIT that searches several levels finds the loss that no tree can avoid, and bounds all trees by it.
void test_bound_of_lickety_split(Random& random) {
    Data data;  // every row twice, once in either class
    data.n_rows = 400;
    data.n_columns = 6;
    data.n_classes = 2;
    for (std::size_t pair = 0; pair < data.n_rows / 2; ++pair) {
        for (std::size_t j = 0; j < data.n_columns; ++j) data.cells.push_back(random.chance(50));
        for (std::size_t j = 0; j < data.n_columns; ++j)
            data.cells.push_back(data.cells[2 * pair * data.n_columns + j]);
        data.classes.insert(data.classes.end(), {0, 1});
    }
    Options options;
    options.objective.price = {1, 1};
    options.max_depth = 4;
    for (const std::size_t lookahead : {1, 2, 3}) {
        options.lookahead = lookahead;
        Limits limits;
        const Solution solution = solve(data.table(), data.target(), options, limits);
        CHECK_EQ(solution.loss, 200);
        CHECK_EQ(solution.leaves, 1);
        CHECK_EQ(solution.lower_bound, lookahead == 1 ? 2 : 201);
    }
}

}  // namespace
}  // namespace splitsecond

int main() {
    using namespace splitsecond;
    Random random(5);
    test_small_problems(random);
    test_wide_problems(random);
    test_tall_problems(random);
    test_every_combination(random);
    test_exact_last_level(random);
    test_bound_of_lickety_split(random);
    return check::report();
}
