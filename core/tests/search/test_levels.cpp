// Completions of many candidates together: the same trees as one candidate after the other, for every loss, with any
// number of threads, blocks and candidates at a time; and counts that come from elsewhere.
#include "search/level_search.hpp"

#include <cstddef>
#include <memory>
#include <vector>

#include "search/block_counter.hpp"
#include "search/solve.hpp"
#include "support/check.hpp"
#include "support/data.hpp"

namespace splitsecond {
namespace {

// Counts rows one by one.
class SlowCounter : public RemoteCounter {
public:
    SlowCounter(const View& table, std::vector<std::int32_t> path, std::vector<std::uint32_t> columns)
        : table_(table), path_(std::move(path)), columns_(std::move(columns)) {}

    static std::unique_ptr<RemoteCounter> of(const View& view) {
        std::vector<std::uint32_t> columns(view.n_features + 2);
        for (std::uint32_t j = 0; j < columns.size(); ++j) columns[j] = j;
        return std::make_unique<SlowCounter>(view, std::vector<std::int32_t>{}, std::move(columns));
    }

    bool count(const Paths& paths, Count* out) override {
        const std::size_t stride = View::stride_for(columns_.size() - 2);
        const std::size_t size = table_.n_channels() * stride;
        std::fill_n(out, paths.count * size, 0);
        for (std::size_t p = 0; p < paths.count; ++p) {
            const std::vector<std::int32_t> path = joined(paths.literals + p * paths.length, paths.length);
            for (const Run& run : table_.runs)
                for (std::size_t w = run.begin; w < run.end; ++w)
                    for (std::size_t r = 0; r < 64; ++r) {
                        const auto has = [&](std::size_t j) { return (table_.column(w, j) >> r & 1) != 0; };
                        if (!has(table_.ones()) || !std::all_of(path.begin(), path.end(), [&](auto literal) {
                                return has(static_cast<std::size_t>(literal >> 1)) == ((literal & 1) != 0);
                            }))
                            continue;
                        for (std::size_t j = 0; j < columns_.size(); ++j)
                            if (has(columns_[j])) out[p * size + run.channel * stride + j] += run.weight;
                    }
        }
        return true;
    }

    std::unique_ptr<RemoteCounter> below(const std::vector<std::int32_t>& path,
                                         const std::vector<std::uint32_t>& columns) override {
        std::vector<std::uint32_t> kept;
        for (const std::uint32_t j : columns) kept.push_back(columns_[j]);
        return std::make_unique<SlowCounter>(table_, joined(path.data(), path.size()), std::move(kept));
    }

private:
    // This counter's path and a further one, in the columns of the table.
    std::vector<std::int32_t> joined(const std::int32_t* literals, std::size_t n) const {
        std::vector<std::int32_t> path = path_;
        for (std::size_t i = 0; i < n; ++i)
            if (literals[i] >= 0)
                path.push_back(
                    static_cast<std::int32_t>(2 * columns_[static_cast<std::size_t>(literals[i] / 2)]) +
                    literals[i] % 2);
        return path;
    }

    const View& table_;
    const std::vector<std::int32_t> path_;
    const std::vector<std::uint32_t> columns_;
};

Options random_options(Random& random, const Data& data) {
    Options options;
    options.algorithm = random.chance(80) ? Algorithm::lickety_split : Algorithm::greedy;
    options.max_depth = random.between(0, 6);
    options.objective.price = random_price(random, data);
    options.exact_last_split = random.chance(50);
    options.min_leaf_rows = random.one_of<Count>({1, 1, 2, 3, 10});
    options.speed.kernels = random.one_of(available_kernels());
    options.n_threads = random.between(1, 4);
    return options;
}

// Other losses; costs are in the tests from Python.
void choose_loss(Random& random, const Data& data, Objective& objective) {
    if (random.chance(50)) return;
    objective.loss = loss_named(random.chance(50) ? "brier" : "log_loss");
    objective.parameters.root_loss = Cost{1} << 20;
    objective.parameters.scale = 1 << 10;
    objective.price = {1, static_cast<Cost>(random.below(data.n_rows + 1)) << 8};
}

void check_same(const Solution& found, const Solution& expected) {
    CHECK(found.status == Status::complete);
    CHECK_EQ(shape_of(found.tree), shape_of(expected.tree));
    CHECK(found.tree.counts == expected.tree.counts);
    CHECK_EQ(found.loss, expected.loss);
    CHECK_EQ(found.lower_bound, expected.lower_bound);
}

void test_same_trees() {
    Random random(77);
    for (int trial = 0; trial < 3000; ++trial) {
        const check::Context context("trial ", trial);
        const Data data = make_small_data(random, 12);
        Options options = random_options(random, data);
        choose_loss(random, data, options.objective);
        options.speed.levels = LevelUse::never;
        Limits limits;
        const Solution expected = solve(data.table(), data.target(), options, limits);
        options.speed.levels = LevelUse::always;
        check_same(solve(data.table(), data.target(), options, limits), expected);
        if (trial % 4 != 0) continue;
        options.open_counter = &SlowCounter::of;
        check_same(solve(data.table(), data.target(), options, limits), expected);
    }
}

// Several blocks in a run, and several threads at them.
void test_large_tables() {
    Random random(5);
    for (const Weights weights : {Weights::none, Weights::few, Weights::many}) {
        const Data data = make_data(random, {.n_rows = 30000,
                                             .n_columns = 70,
                                             .n_classes = 3,
                                             .weights = weights,
                                             .noise = 50,
                                             .odd_columns = false});
        for (const std::size_t depth : {2, 4, 5}) {
            Options options;
            options.max_depth = depth;
            options.objective.price = {1, 100};
            options.speed.levels = LevelUse::never;
            Limits limits;
            const Solution expected = solve(data.table(), data.target(), options, limits);
            options.speed.levels = LevelUse::always;
            for (const std::size_t n_threads : {1, 2, 4}) {
                const check::Context context("depth ", depth, ", threads ", n_threads);
                options.n_threads = n_threads;
                check_same(solve(data.table(), data.target(), options, limits), expected);
            }
        }
    }
}

// Wherever a limit strikes, there is a tree, and all memory is given back.
void test_limits() {
    Random random(9);
    const Data data = make_data(
        random, {.n_rows = 5000, .n_columns = 40, .n_classes = 2, .noise = 50, .odd_columns = false});
    Options options;
    options.objective.price = {1, 10};
    options.speed.levels = LevelUse::always;
    for (const std::size_t n_threads : {1, 3}) {
        options.n_threads = n_threads;
        Limits none;
        const Solution whole = solve(data.table(), data.target(), options, none);
        CHECK(whole.status == Status::complete);
        for (std::size_t part = 0; part <= 20; ++part) {
            const check::Context context("threads ", n_threads, ", part ", part);
            const std::size_t budget = whole.peak_bytes * part / 20;
            Limits limits(Limits::kNoDeadline, budget);
            const Solution solution = solve(data.table(), data.target(), options, limits);
            CHECK_LE(solution.peak_bytes, budget);
            check_tree(data, options, solution);
            if (solution.status == Status::complete) check_same(solution, whole);
            limits.charge(budget);  // throws unless everything was given back

            Limits timed(whole.seconds * static_cast<double>(part) / 20);
            check_tree(data, options, solve(data.table(), data.target(), options, timed));
        }
    }
}

}  // namespace
}  // namespace splitsecond

int main() {
    using namespace splitsecond;
    test_same_trees();
    test_large_tables();
    test_limits();
    return check::report();
}
