// Random problems, the same on every machine, and what must hold of every tree for them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "search/solve.hpp"
#include "support/check.hpp"

namespace splitsecond {

class Random {  // the standard's distributions differ between libraries; its engines do not
public:
    explicit Random(std::uint64_t seed) : engine_(seed) {}

    Word word() { return engine_(); }
    std::size_t below(std::size_t n) { return static_cast<std::size_t>(engine_() % n); }
    std::size_t between(std::size_t low, std::size_t high) { return low + below(high - low + 1); }
    bool chance(std::size_t percent) { return below(100) < percent; }
    template <class T>
    const T& one_of(const std::vector<T>& choices) {
        return choices[below(choices.size())];
    }

private:
    std::mt19937_64 engine_;
};

struct Data {
    std::size_t n_rows = 0;
    std::size_t n_columns = 0;
    std::size_t n_classes = 1;
    std::vector<std::uint8_t> cells;    // row by row
    std::vector<std::uint8_t> classes;  // or, when a byte does not hold them,
    std::vector<std::int32_t> wide_classes;
    std::vector<std::int32_t> weights;  // empty: all 1

    bool at(std::size_t row, std::size_t column) const { return cells[row * n_columns + column] != 0; }
    std::size_t class_of(std::size_t row) const { return target().class_of(row); }
    Count weight(std::size_t row) const { return weights.empty() ? 1 : weights[row]; }

    Table table() const {
        Table table;
        table.n_rows = n_rows;
        table.n_columns = n_columns;
        for (std::size_t j = 0; j < n_columns; ++j)
            table.dense.push_back({cells.data() + j, Type::u8, static_cast<std::ptrdiff_t>(n_columns)});
        return table;
    }
    Target target() const {
        const bool wide = !wide_classes.empty();
        Target target;
        target.classes = wide ? nullptr : classes.data();
        target.wide_classes = wide ? wide_classes.data() : nullptr;
        target.n_classes = n_classes;
        target.weights = weights.empty() ? nullptr : weights.data();
        return target;
    }
};

enum class Weights { none, few, many };

struct Shape {
    std::size_t n_rows;
    std::size_t n_columns;
    std::size_t n_classes = 2;
    Weights weights = Weights::none;
    std::size_t noise = 20;     // percent of rows whose class is random
    bool odd_columns = true;    // some constant, equal or complementary
    std::size_t repeated = 20;  // percent of rows that repeat an earlier one
};

// Columns of various densities; classes that depend on three of them, and on chance.
inline Data make_data(Random& random, const Shape& shape) {
    Data data;
    data.n_rows = shape.n_rows;
    data.n_columns = shape.n_columns;
    data.n_classes = shape.n_classes;
    data.cells.resize(data.n_rows * data.n_columns);
    for (std::size_t j = 0; j < data.n_columns; ++j) {
        const std::size_t kind = shape.odd_columns && j > 0 ? random.below(10) : 9;
        const std::size_t other = j > 0 ? random.below(j) : 0;
        const std::size_t density = random.one_of<std::size_t>({8, 25, 50, 50, 75, 92});
        const bool constant = random.chance(50);
        for (std::size_t i = 0; i < data.n_rows; ++i) {
            bool value = random.chance(density);
            if (kind == 0) value = constant;
            if (kind == 1) value = data.at(i, other);
            if (kind == 2) value = !data.at(i, other);
            data.cells[i * data.n_columns + j] = value ? 1 : 0;
        }
    }
    for (std::size_t i = 1; i < data.n_rows; ++i)
        if (random.chance(shape.repeated))
            std::copy_n(data.cells.data() + random.below(i) * data.n_columns, data.n_columns,
                        data.cells.data() + i * data.n_columns);

    const bool wide = data.n_classes > 256 || random.chance(30);
    const std::size_t kinds = random.below(2);  // conjunctions, or parity: hard for a greedy tree
    for (std::size_t i = 0; i < data.n_rows; ++i) {
        const auto cell = [&](std::size_t j) { return data.n_columns > j && data.at(i, j); };
        std::size_t score = cell(0) && cell(2) ? 1 : cell(1) ? 2 : 0;
        if (kinds == 1) score = (cell(0) ? 1 : 0) ^ (cell(1) ? 1 : 0) ^ (cell(2) ? 3 : 0);
        if (random.chance(shape.noise)) score = random.below(data.n_classes);
        if (wide)
            data.wide_classes.push_back(static_cast<std::int32_t>(score % data.n_classes));
        else
            data.classes.push_back(static_cast<std::uint8_t>(score % data.n_classes));
    }
    for (std::size_t i = 0; i < data.n_rows && shape.weights != Weights::none; ++i)
        data.weights.push_back(
            static_cast<std::int32_t>(shape.weights == Weights::few ? random.below(4) : random.below(1000)));
    if (!data.weights.empty()) data.weights[0] = std::max(data.weights[0], 1);
    return data;
}

// A small problem of any kind.
inline Data make_small_data(Random& random, std::size_t most_columns) {
    return make_data(
        random,
        {.n_rows = random.between(1, 60),
         .n_columns = random.between(0, most_columns),
         .n_classes = random.between(1, 4),
         .weights = random.one_of<Weights>({Weights::none, Weights::none, Weights::few, Weights::many}),
         .noise = random.one_of<std::size_t>({0, 20, 60, 100}),
         .odd_columns = random.chance(70),
         .repeated = random.one_of<std::size_t>({0, 30, 70})});
}

inline Price random_price(Random& random, const Data& data) {
    Cost total = 0;
    for (std::size_t i = 0; i < data.n_rows; ++i) total += data.weight(i);
    const std::vector<Price> prices = {{1, 0},      {1, 1},         {3, 1},         {2, 5},
                                       {100, 617},  {1, total / 8}, {1, total + 1}, {7, total / 5},
                                       {50, total}, {1, total / 3}, {1000, 1}};
    return random.one_of(prices);
}

// The tree is well formed, and its counts are those of the rows that reach each node.
inline void check_tree(const Data& data, const Options& options, const Solution& solution) {
    const Tree& tree = solution.tree;
    const std::size_t size = tree.size();
    CHECK(size > 0);
    CHECK_EQ(tree.n_classes, data.n_classes);
    CHECK_EQ(tree.left.size(), size);
    CHECK_EQ(tree.right.size(), size);
    CHECK_EQ(tree.counts.size(), size * data.n_classes);
    if (check::failures() > 0) return;  // the rest would read outside the arrays

    std::vector<int> parents(size, 0);
    std::vector<std::size_t> depth(size, 0);
    std::size_t deepest = 0;
    Cost leaves = 0;
    for (std::size_t node = 0; node < size; ++node) {
        if (tree.feature[node] < 0) {
            CHECK_EQ(tree.left[node], -1);
            CHECK_EQ(tree.right[node], -1);
            ++leaves;
            continue;
        }
        CHECK_LT(static_cast<std::size_t>(tree.feature[node]), data.n_columns);
        for (const std::int32_t child : {tree.left[node], tree.right[node]}) {
            CHECK_LT(static_cast<std::int32_t>(node), child);
            CHECK_LT(child, static_cast<std::int32_t>(size));
            if (check::failures() > 0) return;
            ++parents[static_cast<std::size_t>(child)];
            depth[static_cast<std::size_t>(child)] = depth[node] + 1;
            deepest = std::max(deepest, depth[node] + 1);
        }
        CHECK_EQ(tree.left[node], static_cast<std::int32_t>(node) + 1);  // preorder
    }
    for (std::size_t node = 0; node < size; ++node) CHECK_EQ(parents[node], node == 0 ? 0 : 1);
    CHECK_EQ(tree.depth(), deepest);
    CHECK_LE(deepest, options.max_depth);

    std::vector<Count> counts(size * data.n_classes, 0);
    for (std::size_t i = 0; i < data.n_rows; ++i)
        for (std::size_t node = 0;;) {
            counts[node * data.n_classes + data.class_of(i)] += data.weight(i);
            if (tree.feature[node] < 0) break;
            const bool yes = data.at(i, static_cast<std::size_t>(tree.feature[node]));
            node = static_cast<std::size_t>(yes ? tree.left[node] : tree.right[node]);
        }
    CHECK(counts == tree.counts);
    Cost errors = 0;
    for (std::size_t node = 0; node < size; ++node) {
        const auto begin = counts.begin() + static_cast<std::ptrdiff_t>(node * data.n_classes);
        Cost weight = 0;
        for (std::size_t c = 0; c < data.n_classes; ++c) weight += begin[static_cast<int>(c)];
        CHECK_LT(0, weight);
        if (tree.feature[node] < 0)
            errors += weight - *std::max_element(begin, begin + static_cast<int>(data.n_classes));
    }
    CHECK_EQ(solution.loss, errors);
    CHECK_EQ(solution.leaves, leaves);
    CHECK_EQ(tree.cost(options.objective), options.objective.price.of(errors, leaves));
}

// Features in preorder; a leaf is a dot. Equal texts are equal trees.
inline std::string shape_of(const Tree& tree) {
    std::string text;
    for (const std::int32_t feature : tree.feature)
        text += feature < 0 ? ". " : std::to_string(feature) + " ";
    return text;
}

}  // namespace splitsecond
