// Ties: the lowest feature among equals, and a leaf before any split. Trees, not costs, are compared.
#include <algorithm>
#include <cstddef>
#include <string>

#include "search/solve.hpp"
#include "support/check.hpp"
#include "support/data.hpp"
#include "support/oracle.hpp"

namespace splitsecond {
namespace {

std::string solved(const Data& data, Options options, Algorithm algorithm) {
    options.algorithm = algorithm;
    options.postprocess = false;
    Limits limits;
    const Solution solution = solve(data.table(), data.target(), options, limits);
    check_tree(data, options, solution);
    return shape_of(solution.tree);
}

void check_trees(const Data& data, const Options& options) {
    Oracle oracle(data, options.objective.price);
    const Oracle::Rows& all = oracle.all();
    const std::size_t d = options.max_depth;
    CHECK_EQ(solved(data, options, Algorithm::greedy), oracle.tree(all, d, 0).shape);
    CHECK_EQ(solved(data, options, Algorithm::lickety_split),
             oracle.lickety(all, d, std::max<std::size_t>(options.lookahead, 1)).shape);
    Options by_lickety = options;
    by_lickety.completion = Completion::lickety;
    by_lickety.lookahead = std::max<std::size_t>(options.lookahead, 1);
    CHECK_EQ(solved(data, by_lickety, Algorithm::lickety_split),
             oracle.lickety_by_lickety(all, d, by_lickety.lookahead).shape);
    CHECK_EQ(solved(data, options, Algorithm::split), oracle.tree(all, d, options.lookahead).shape);
    CHECK_EQ(solved(data, options, Algorithm::optimal), oracle.tree(all, d, d).shape);
}

// Few rows, classes by chance and cheap leaves: most splits tie with another.
void test_random_problems(Random& random) {
    for (int i = 0; i < 8000; ++i) {
        const Data data = make_data(
            random, {.n_rows = random.between(2, 16),
                     .n_columns = random.between(2, 6),
                     .n_classes = random.between(1, 3),
                     .weights = random.one_of<Weights>({Weights::none, Weights::none, Weights::few}),
                     .noise = 100});
        Options options;
        options.max_depth = random.between(1, 5);
        options.lookahead = random.between(0, options.max_depth);
        options.objective.price = random.one_of<Price>({{1, 0}, {1, 1}, {2, 1}, {1, 2}});
        const check::Context context("problem ", i, ", depth ", options.max_depth, ", lookahead ",
                                     options.lookahead, ", price ", options.objective.price.loss, " ",
                                     options.objective.price.leaf);
        check_trees(data, options);
    }
}

Data from_rows(const std::vector<std::vector<int>>& rows) {  // the last value is the class
    Data data;
    data.n_rows = rows.size();
    data.n_columns = rows[0].size() - 1;
    data.n_classes = 2;
    for (const std::vector<int>& row : rows) {
        for (std::size_t j = 0; j < data.n_columns; ++j)
            data.cells.push_back(static_cast<std::uint8_t>(row[j]));
        data.classes.push_back(static_cast<std::uint8_t>(row.back()));
    }
    return data;
}

void test_known_trees() {
    Options options;
    options.max_depth = 2;
    options.lookahead = 1;
    options.objective.price = {2, 1};
    // Two features tell the classes apart, one of them the other way round.
    const Data twins = from_rows({{0, 0, 1, 1}, {1, 0, 1, 1}, {0, 1, 0, 0}, {1, 1, 0, 0}});
    for (const Algorithm algorithm :
         {Algorithm::greedy, Algorithm::lickety_split, Algorithm::split, Algorithm::optimal})
        CHECK_EQ(solved(twins, options, algorithm), "1 . . ");
    // Leaves without a price: a first split on the lowest feature does no harm, so it is taken.
    options.objective.price = {1, 0};
    CHECK_EQ(solved(twins, options, Algorithm::greedy), "1 . . ");
    CHECK_EQ(solved(twins, options, Algorithm::optimal), "0 1 . . 1 . . ");
    // A split saves two errors, and its second leaf costs as much: a leaf it is.
    options.objective.price = {1, 2};
    for (const Algorithm algorithm :
         {Algorithm::greedy, Algorithm::lickety_split, Algorithm::split, Algorithm::optimal})
        CHECK_EQ(solved(twins, options, algorithm), ". ");
    // Exclusive or: no first split gains anything, so the first of them is taken.
    options.objective.price = {2, 1};
    const Data parity = from_rows({{0, 0, 0, 0},
                                   {0, 0, 0, 0},
                                   {0, 1, 1, 1},
                                   {0, 1, 1, 1},
                                   {1, 0, 1, 1},
                                   {1, 0, 1, 1},
                                   {1, 1, 0, 0},
                                   {1, 1, 0, 0}});
    CHECK_EQ(solved(parity, options, Algorithm::optimal), "2 . . ");
    Data no_shortcut = parity;
    for (std::size_t i = 0; i < 8; ++i) no_shortcut.cells[3 * i + 2] = 0;
    for (const Algorithm algorithm :
         {Algorithm::greedy, Algorithm::lickety_split, Algorithm::split, Algorithm::optimal})
        CHECK_EQ(solved(no_shortcut, options, algorithm), "0 1 . . 1 . . ");
}

}  // namespace
}  // namespace splitsecond

int main() {
    using namespace splitsecond;
    Random random(6);
    test_random_problems(random);
    test_known_trees();
    return check::report();
}
