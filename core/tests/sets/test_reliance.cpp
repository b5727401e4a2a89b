// Reliance against all pairs of rows: each row with its own variable's answers taken from every other.
#include "sets/reliance.hpp"

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
    return check::report();
}
