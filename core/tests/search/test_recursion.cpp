// The contract of Search::value: V exactly when V fits the budget, a true bound above it otherwise.
#include "search/divide.hpp"
#include "search/recursion.hpp"

#include <algorithm>
#include <cstddef>
#include <vector>

#include "data/equal_rows.hpp"
#include "data/packing.hpp"
#include "support/check.hpp"
#include "support/data.hpp"
#include "support/oracle.hpp"

namespace splitsecond {
namespace {

// All rows of the data, as solve() would start with them.
Node make_root(const Data& data, const Problem& problem) {
    Node root(problem.limits);
    CHECK(!pack(problem.kernels(), data.table(), data.target(), problem.limits, root.own));
    if (problem.speed.equivalent_points)
        mark_unavoidable(problem.kernels(), problem.objective, root.own, problem.limits);
    std::vector<Word> all(root.own.n_words()), none(root.own.n_words());
    root.counts.resize(root.own.n_classes * root.own.stride);
    split_rows(problem.kernels(), root.own, nullptr, root.own.ones(), all.data(), none.data(),
               root.counts.data());
    root.literals.assign(2 * data.n_columns / 64 + 1, 0);
    return root;
}

void check_value(Search& search, Node& root, std::size_t d, std::size_t k, Cost budget,
                 const Oracle::Answer& expected) {
    const check::Context context("depth ", d, ", lookahead ", k, ", budget ", budget);
    const Bounds found = search.value(root, d, k, budget);
    if (expected.cost <= budget) {
        CHECK_EQ(found.lower, expected.cost);
        CHECK_EQ(found.upper, expected.cost);
        CHECK_EQ(found.feature, expected.feature);
    } else {
        CHECK_LT(budget, found.lower);
        CHECK_LE(found.lower, expected.cost);
        CHECK_LE(expected.cost, found.upper);
    }
}

// Asks for one value again and again with other budgets; what was learnt before must not mislead.
void check_problem(Random& random, const Data& data, const Problem& problem) {
    Oracle oracle(data, problem.objective.price);
    Node root = make_root(data, problem);
    Workers workers(2, problem.limits);
    Search search(problem, workers, random.chance(50), Completion::greedy);
    const Cost leaf = oracle.leaf(oracle.all());
    for (int question = 0; question < 25; ++question) {
        const std::size_t d = random.between(0, 4), k = random.between(1, std::max<std::size_t>(d, 1));
        const Oracle::Answer expected = oracle.value(oracle.all(), d, k);
        const Cost v = expected.cost;
        const auto below = static_cast<Cost>(random.below(static_cast<std::size_t>(leaf) + 2));
        const Cost budget = random.one_of<Cost>({0, v - 1, v, v + 1, leaf, kInfinite, below, below});
        check_value(search, root, d, k, budget, expected);
    }
}

// A problem, or one much like it, where a child lighter than the price of a leaf is worth its split, as
// it can be above a greedy completion: with price {1, 4} the first split of V(D, 3, 1) takes three rows off.
// Bounds that hold for the optimum alone are wrong here.
Data hard_for_greedy(Random& random) {
    struct Row {
        std::uint8_t features[5];
        std::uint8_t cls;
        std::int32_t weight;
    };
    std::vector<Row> rows = {{{1, 1, 0, 1, 1}, 0, 18}, {{0, 0, 0, 0, 1}, 0, 27}, {{0, 0, 1, 0, 1}, 0, 6},
                             {{1, 0, 0, 1, 1}, 0, 25}, {{0, 1, 0, 0, 0}, 1, 1},  {{0, 1, 1, 0, 1}, 0, 10},
                             {{1, 1, 1, 1, 1}, 0, 6},  {{1, 1, 1, 1, 1}, 1, 16}, {{0, 0, 0, 0, 1}, 1, 19},
                             {{1, 1, 0, 1, 0}, 1, 2},  {{1, 1, 0, 1, 1}, 1, 6},  {{0, 0, 0, 1, 1}, 1, 11}};
    for (std::size_t changes = random.below(3); changes > 0; --changes) {
        Row& row = rows[random.below(rows.size())];
        if (random.chance(50))
            row.features[random.below(5)] ^= 1;
        else
            row.weight = static_cast<std::int32_t>(random.between(1, 20));
    }
    Data data;
    data.n_rows = rows.size();
    data.n_columns = 5;
    data.n_classes = 2;
    for (const Row& row : rows) {
        data.cells.insert(data.cells.end(), row.features, row.features + 5);
        data.classes.push_back(row.cls);
        data.weights.push_back(row.weight);
    }
    return data;
}

void test_budgets(Random& random) {
    for (int i = 0; i < 4000; ++i) {
        const Data data = i % 2 == 0 ? make_small_data(random, 6) : hard_for_greedy(random);
        Limits limits;
        SpeedOptions speed;
        speed.kernels = random.one_of(available_kernels());
        speed.equivalent_points = random.chance(70);
        speed.similar_support = random.chance(70);
        speed.minimum_support = random.chance(70);
        speed.cache = random.chance(80);
        speed.subtract_siblings = random.chance(70);
        const Price price =
            i % 2 == 0 ? random_price(random, data) : random.one_of<Price>({{1, 4}, {1, 4}, {1, 3}, {2, 9}});
        const Problem problem{{price, {}, {}}, speed, limits, false, 1, price.loss};
        const check::Context context("problem ", i, ", ", data.n_rows, " rows, ", data.n_columns,
                                     " columns, price ", problem.objective.price.loss, " ",
                                     problem.objective.price.leaf);
        check_problem(random, data, problem);
    }
}

void check_same(const Node& node, const Node& expected) {
    CHECK_EQ(node.own.features, expected.own.features);
    CHECK_EQ(node.own.n_words(), expected.own.n_words());
    CHECK(node.literals == expected.literals);
    const std::size_t n_words = node.own.n_words() * node.own.stride;
    CHECK(std::equal(node.own.data.data(), node.own.data.data() + n_words, expected.own.data.data()));
    CHECK(std::equal(node.counts.data(), node.counts.data() + node.own.n_counts(), expected.counts.data()));
}

// Both sides of a split hold the rows they should, and their values are theirs.
void test_split(Random& random) {
    for (int i = 0; i < 200; ++i) {
        const check::Context context("problem ", i);
        const Data data = make_small_data(random, 6);
        Limits limits;
        SpeedOptions speed;
        speed.kernels = random.one_of(available_kernels());
        const Price price = random_price(random, data);
        const Problem problem{{price, {}, {}}, speed, limits, false, 1, price.loss};
        Oracle oracle(data, problem.objective.price);
        Node root = make_root(data, problem), sides[2] = {Node(limits), Node(limits)};
        Workers workers(1, limits), several(2, limits);
        Search search(problem, workers, true, Completion::greedy);
        if (random.chance(50)) search.value(root, 3, 3);  // with pair counts, too
        for (const std::uint32_t feature : root.own.features) {
            OpenSplit& split = search.split();
            split.open_on(root, static_cast<std::int32_t>(feature));
            for (int side = 0; side < 2; ++side) split.take(side, sides[side]);
            Node shared[2] = {Node(limits), Node(limits)};
            divide(problem, root, root.own.place_of(static_cast<std::int32_t>(feature)), several, shared[0],
                   shared[1]);
            for (int side = 0; side < 2; ++side) check_same(shared[side], sides[side]);
            for (int side = 0; side < 2; ++side) {
                const Oracle::Rows rows = oracle.part(oracle.all(), static_cast<int>(feature), side == 0);
                for (std::size_t d = 0; d <= 3; ++d) {
                    const std::size_t k = random.between(1, std::max<std::size_t>(d, 1));
                    check_value(search, sides[side], d, k, kInfinite, oracle.value(rows, d, k));
                }
            }
        }
    }
}

}  // namespace
}  // namespace splitsecond

int main() {
    using namespace splitsecond;
    Random random(7);
    test_budgets(random);
    test_split(random);
    return check::report();
}
