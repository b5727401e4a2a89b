// Reliance against all pairs of rows: each row with its own variable's answers taken from every other.
#include "sets/reliance.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "support/check.hpp"
#include "support/data.hpp"

namespace splitsecond {
namespace {

struct Case {
    Data data;
    std::vector<std::size_t> variable_of;  // by column
    TreeShape tree;
    std::vector<std::uint32_t> labels;  // by node

    std::vector<std::vector<std::uint64_t>> packed() const {
        std::vector<std::vector<std::uint64_t>> columns(data.n_columns);
        for (std::size_t j = 0; j < data.n_columns; ++j) {
            columns[j].assign((data.n_rows + 63) / 64, 0);
            for (std::size_t i = 0; i < data.n_rows; ++i)
                if (data.at(i, j)) columns[j][i / 64] |= std::uint64_t{1} << i % 64;
        }
        return columns;
    }
    std::vector<std::int32_t> classes() const {
        std::vector<std::int32_t> out;
        for (std::size_t i = 0; i < data.n_rows; ++i)
            out.push_back(static_cast<std::int32_t>(data.class_of(i)));
        return out;
    }
    bool asks(std::size_t variable) const {
        for (const std::int32_t feature : tree.feature)
            if (feature >= 0 && variable_of[static_cast<std::size_t>(feature)] == variable) return true;
        return false;
    }
    // The leaf of a row that answers for one variable as another row does.
    std::size_t leaf_of(std::size_t row, std::size_t variable, std::size_t donor) const {
        std::size_t node = 0;
        while (tree.feature[node] >= 0) {
            const auto column = static_cast<std::size_t>(tree.feature[node]);
            const bool yes = data.at(variable_of[column] == variable ? donor : row, column);
            node = static_cast<std::size_t>(yes ? tree.left[node] : tree.right[node]);
        }
        return node;
    }
    bool is_wrong(std::size_t row, std::size_t variable, std::size_t donor) const {
        return labels[leaf_of(row, variable, donor)] != data.class_of(row);
    }
};

// Any tree: features may come again on a path, and labels need not be those of the majority.
void grow(Random& random, Case& made, std::size_t depth) {
    const std::size_t node = made.tree.feature.size();
    made.tree.feature.push_back(-1);
    made.tree.left.push_back(-1);
    made.tree.right.push_back(-1);
    made.labels.push_back(static_cast<std::uint32_t>(random.below(made.data.n_classes)));
    if (depth == 0 || made.data.n_columns == 0 || random.chance(15)) return;
    made.tree.feature[node] = static_cast<std::int32_t>(random.below(made.data.n_columns));
    made.tree.left[node] = static_cast<std::int32_t>(made.tree.feature.size());
    grow(random, made, depth - 1);
    made.tree.right[node] = static_cast<std::int32_t>(made.tree.feature.size());
    grow(random, made, depth - 1);
}

void grow_anew(Random& random, Case& made) {
    made.tree = {};
    made.labels.clear();
    grow(random, made, random.below(6));
}

void check_tree_of(const Case& made, Reliance& reliance) {
    std::int64_t weight = 0, errors = 0;
    for (std::size_t i = 0; i < made.data.n_rows; ++i) {
        weight += made.data.weight(i);
        if (made.is_wrong(i, SIZE_MAX, i)) errors += made.data.weight(i);
    }
    std::vector<std::int64_t> permuted;
    CHECK_EQ(reliance.of(made.tree, made.labels, permuted), errors);
    CHECK_EQ(reliance.weight(), weight);
    std::size_t n_variables = 0;
    for (const std::size_t variable : made.variable_of) n_variables = std::max(n_variables, variable + 1);
    CHECK_EQ(permuted.size(), n_variables);
    for (std::size_t variable = 0; variable < permuted.size(); ++variable) {
        const check::Context context("variable ", variable);
        std::int64_t expected = made.asks(variable) ? 0 : -1;
        for (std::size_t row = 0; row < made.data.n_rows && expected >= 0; ++row)
            for (std::size_t donor = 0; donor < made.data.n_rows; ++donor)
                if (made.is_wrong(row, variable, donor))
                    expected += std::int64_t{made.data.weight(row)} * made.data.weight(donor);
        CHECK_EQ(permuted[variable], expected);
    }
}

// Losses of rows that are no errors: small integers, whose sums are exact in doubles.
void check_losses_of(Random& random, const Case& made, Reliance& reliance) {
    std::vector<std::vector<double>> losses;
    std::vector<const double*> by_node;
    for (std::size_t node = 0; node < made.tree.feature.size(); ++node) {
        losses.emplace_back();
        for (std::size_t c = 0; c < made.data.n_classes; ++c)
            losses.back().push_back(static_cast<double>(random.below(9)));
    }
    for (const std::vector<double>& of_node : losses) by_node.push_back(of_node.data());
    const auto lost = [&](std::size_t row, std::size_t variable, std::size_t donor) {
        return losses[made.leaf_of(row, variable, donor)][made.data.class_of(row)];
    };
    double loss = 0;
    for (std::size_t i = 0; i < made.data.n_rows; ++i) loss += made.data.weight(i) * lost(i, SIZE_MAX, i);
    std::vector<double> permuted;
    CHECK_EQ(reliance.of(made.tree, by_node, permuted), loss);
    for (std::size_t variable = 0; variable < permuted.size(); ++variable) {
        const check::Context context("variable ", variable);
        double expected = made.asks(variable) ? 0 : -1;
        for (std::size_t row = 0; row < made.data.n_rows && expected >= 0; ++row)
            for (std::size_t donor = 0; donor < made.data.n_rows; ++donor)
                expected += static_cast<double>(made.data.weight(row)) * made.data.weight(donor) *
                            lost(row, variable, donor);
        CHECK_EQ(permuted[variable], expected);
    }
}

// Numbers and their weights: small whole numbers, so that sums of squares are exact.
struct Numbers {
    std::vector<double> weights, sums, numbers;
    double own = 0;  // Q
};

Numbers make_numbers(Random& random, std::size_t n_rows, bool is_rate) {
    Numbers made;
    for (std::size_t i = 0; i < n_rows; ++i) {
        const auto weight = static_cast<double>(random.below(4));
        const auto number = static_cast<double>(random.below(9)) - (is_rate ? 0 : 4);
        made.weights.push_back(weight);
        made.numbers.push_back(number);
        made.sums.push_back(weight * number);
        const double log = is_rate ? 2 * std::log(std::max(number, 1.0)) : number;
        made.own += weight * number * log;
    }
    return made;
}

double deviance(double number, double value, bool is_rate) {
    if (!is_rate) return (number - value) * (number - value);
    return 2 * ((number > 0 ? number * std::log(number / value) : 0) - number + value);
}

void check_near(double found, double expected, double size) {
    if (!(std::abs(found - expected) <= 1e-12 * size)) CHECK_EQ(found, expected);
}

// With given values of leaves, or the means of the rows in them.
void check_numbers_of(Random& random, const Case& made, const Numbers& rows, bool is_rate, bool are_given,
                      NumberReliance& reliance, const NumberLoss& loss) {
    std::vector<double> weight(made.tree.feature.size(), 0), sum = weight, values = weight;
    double total = 0, size = 1;
    for (std::size_t i = 0; i < made.data.n_rows; ++i) {
        const std::size_t leaf = made.leaf_of(i, SIZE_MAX, i);
        weight[leaf] += rows.weights[i];
        sum[leaf] += rows.sums[i];
        total += rows.weights[i];
        size += std::abs(rows.own) + 100 * rows.weights[i];
    }
    for (std::size_t node = 0; node < values.size(); ++node) {
        if (are_given)
            values[node] = static_cast<double>(random.below(8) + 1) - (is_rate ? 0 : 4);
        else if (is_rate && sum[node] == 0)
            values[node] = loss.rare_events / (weight[node] + loss.rare_weight);
        else if (weight[node] > 0)
            values[node] = sum[node] / weight[node];
    }
    const auto lost = [&](std::size_t row, std::size_t variable, std::size_t donor) {
        return rows.weights[row] *
               deviance(rows.numbers[row], values[made.leaf_of(row, variable, donor)], is_rate);
    };
    double expected = 0;
    for (std::size_t i = 0; i < made.data.n_rows; ++i) expected += lost(i, SIZE_MAX, i);
    std::vector<double> permuted;
    check_near(reliance.of(made.tree, are_given ? values.data() : nullptr, permuted), expected, size);
    CHECK_EQ(reliance.weight(), total);
    for (std::size_t variable = 0; variable < permuted.size(); ++variable) {
        const check::Context context("variable ", variable);
        CHECK_EQ(permuted[variable] >= 0, made.asks(variable));
        if (!made.asks(variable)) continue;
        expected = 0;
        for (std::size_t row = 0; row < made.data.n_rows; ++row)
            for (std::size_t donor = 0; donor < made.data.n_rows; ++donor)
                expected += rows.weights[donor] * lost(row, variable, donor);
        check_near(permuted[variable], expected, size * (1 + total));
    }
}

void test_numbers(Random& random) {
    for (int i = 0; i < 400; ++i) {
        Case made;
        made.data = make_data(random, {.n_rows = random.one_of<std::size_t>({1, 2, 7, 40, 64, 65, 100}),
                                       .n_columns = random.between(0, 7),
                                       .n_classes = 1,
                                       .weights = Weights::none});
        for (std::size_t j = 0; j < made.data.n_columns; ++j) made.variable_of.push_back(random.below(4));
        const bool is_rate = random.chance(50);
        const check::Context context("problem ", i, ", ", made.data.n_rows, " rows, ",
                                     is_rate ? "rates" : "");
        const Numbers rows = make_numbers(random, made.data.n_rows, is_rate);
        const NumberLoss loss{
            .is_rate = is_rate, .own = rows.own, .rounding = 0, .rare_events = 0.25, .rare_weight = 0.5};
        const auto packed = made.packed();
        std::vector<const std::uint64_t*> columns;
        for (const auto& column : packed) columns.push_back(column.data());
        NumberReliance reliance(columns, made.variable_of, made.data.n_rows, rows.weights.data(),
                                rows.sums.data(), loss);
        for (int again = 0; again < 4; ++again) {
            grow_anew(random, made);
            check_numbers_of(random, made, rows, is_rate, again % 2 == 0, reliance, loss);
        }
    }
}

// What is no more than rounding is nothing.
void test_rounding_of_numbers() {
    const std::vector<std::uint64_t> column = {0b0011};
    const std::vector<double> weights = {1, 1, 1, 1}, sums = {0.1, 0.1, -0.3, -0.3};
    const TreeShape tree{{0, -1, -1}, {1, -1, -1}, {2, -1, -1}};
    const NumberLoss loss{.own = 0.2, .rounding = 1e-15};
    NumberReliance reliance({column.data()}, {0}, 4, weights.data(), sums.data(), loss);
    std::vector<double> permuted;
    CHECK_EQ(reliance.of(tree, nullptr, permuted), 0.0);
    check_near(permuted[0], 8 * 0.16, 1);
    const std::vector<double> ones = {1, 1, 1, 1};
    NumberReliance of_ones({column.data()}, {0}, 4, weights.data(), ones.data(), {.own = 4});
    CHECK_EQ(of_ones.of(tree, nullptr, permuted), 0.0);
    CHECK_EQ(permuted[0], 0.0);
}

void test_random_trees(Random& random) {
    for (int i = 0; i < 600; ++i) {
        Case made;
        made.data = make_data(
            random, {.n_rows = random.one_of<std::size_t>({1, 2, 7, 40, 63, 64, 65, 129, 200}),
                     .n_columns = random.between(0, 9),
                     .n_classes = random.between(1, 4),
                     .weights = random.one_of<Weights>({Weights::none, Weights::few, Weights::many})});
        const std::size_t n_variables = random.between(1, 5);
        for (std::size_t j = 0; j < made.data.n_columns; ++j)
            made.variable_of.push_back(random.below(n_variables));
        const check::Context context("problem ", i, ", ", made.data.n_rows, " rows, ", made.data.n_columns,
                                     " columns, variables ", made.variable_of);
        const auto packed = made.packed();
        std::vector<const std::uint64_t*> columns;
        for (const auto& column : packed) columns.push_back(column.data());
        const std::vector<std::int32_t> classes = made.classes();
        const std::int32_t* weights = made.data.weights.empty() ? nullptr : made.data.weights.data();
        Reliance reliance(columns, made.variable_of, made.data.n_rows, classes.data(), made.data.n_classes,
                          weights);
        for (int again = 0; again < 4; ++again) {  // what is remembered of one tree serves the next
            grow_anew(random, made);
            check_tree_of(made, reliance);
            check_losses_of(random, made, reliance);
        }
    }
}

// Weights as large as the core takes: W * W is just below 2**62.
void test_large_weights() {
    constexpr std::int32_t kHalf = (1 << 30) - 1;
    const std::vector<std::uint64_t> column = {1};
    const std::vector<std::size_t> variable_of = {0};
    const std::vector<std::int32_t> classes = {1, 0}, weights = {kHalf, kHalf};
    Reliance reliance({column.data()}, variable_of, 2, classes.data(), 2, weights.data());
    std::vector<std::int64_t> permuted;
    const TreeShape tree{{0, -1, -1}, {1, -1, -1}, {2, -1, -1}};
    CHECK_EQ(reliance.of(tree, {0, 1, 0}, permuted), 0);
    CHECK_EQ(permuted[0], 2 * std::int64_t{kHalf} * kHalf);
    CHECK_EQ(reliance.of(tree, {0, 0, 1}, permuted), 2 * std::int64_t{kHalf});  // always wrong
    CHECK_EQ(permuted[0], 2 * std::int64_t{kHalf} * kHalf);
}

// A column that no tree asks for may be missing.
void test_missing_columns() {
    const std::vector<std::uint64_t> column = {0b0011};
    const std::vector<const std::uint64_t*> columns = {nullptr, column.data(), nullptr};
    const std::vector<std::size_t> variable_of = {2, 1, 0};
    const std::vector<std::int32_t> classes = {1, 1, 0, 0};
    Reliance reliance(columns, variable_of, 4, classes.data(), 2, nullptr);
    std::vector<std::int64_t> permuted;
    const TreeShape tree{{1, -1, -1}, {1, -1, -1}, {2, -1, -1}};
    CHECK_EQ(reliance.of(tree, {0, 1, 0}, permuted), 0);
    CHECK(permuted == (std::vector<std::int64_t>{-1, 8, -1}));  // 4 times the expected 2 errors
}

}  // namespace
}  // namespace splitsecond

int main() {
    using namespace splitsecond;
    Random random(11);
    test_random_trees(random);
    test_large_weights();
    test_missing_columns();
    test_numbers(random);
    test_rounding_of_numbers();
    return check::report();
}
