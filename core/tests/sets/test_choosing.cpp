// Filters, numbers of given trees and groups of trees, against the list of all trees of a set.
#include <algorithm>
#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "sets/graph.hpp"
#include "support/check.hpp"
#include "support/data.hpp"
#include "support/listed_trees.hpp"
#include "support/random_sets.hpp"
#include "support/small_graph.hpp"

namespace splitsecond {
namespace {

bool asks(const GraphTree& tree, const std::vector<char>& features) {
    return std::any_of(tree.feature.begin(), tree.feature.end(),
                       [&](std::int32_t f) { return f >= 0 && features[static_cast<std::size_t>(f)] != 0; });
}

bool is_monotone(const Graph& graph, const GraphTree& tree, const Filter& filter) {
    const auto says = [&](std::int32_t node, bool positive) {
        const auto i = static_cast<std::size_t>(node);
        return tree.feature[i] < 0 && (filter.positive[graph.nodes[tree.node[i]].label] != 0) == positive;
    };
    for (std::size_t i = 0; i < tree.feature.size(); ++i) {
        const int rises = tree.feature[i] < 0 ? 0 : filter.rises[static_cast<std::size_t>(tree.feature[i])];
        if (rises == 0) continue;
        const std::int32_t low = rises > 0 ? tree.right[i] : tree.left[i];
        const std::int32_t high = rises > 0 ? tree.left[i] : tree.right[i];
        if (!says(low, false) && !says(high, true)) return false;
    }
    return true;
}

bool passes(const Graph& graph, const GraphTree& tree, const Filter& filter) {
    Cost leaves = 0, least = kInfinite;
    for (std::size_t i = 0; i < tree.feature.size(); ++i)
        if (tree.feature[i] < 0) {
            ++leaves;
            least = std::min(least, graph.nodes[tree.node[i]].weight);
        }
    if (!filter.root.empty() &&
        (tree.feature[0] < 0 || filter.root[static_cast<std::size_t>(tree.feature[0])] == 0))
        return false;
    return (filter.uses.empty() || asks(tree, filter.uses)) &&
           (filter.avoid.empty() || !asks(tree, filter.avoid)) && leaves <= filter.max_leaves &&
           least >= filter.min_weight && (filter.rises.empty() || is_monotone(graph, tree, filter));
}

Filter random_filter(Random& random, const Data& data) {
    const auto flags = [&](std::size_t n) {
        std::vector<char> chosen(n);
        for (char& each : chosen) each = random.chance(40);
        return chosen;
    };
    Filter filter;
    if (random.chance(40)) filter.uses = flags(data.n_columns);
    if (random.chance(20)) filter.avoid = flags(data.n_columns);
    if (random.chance(40)) filter.root = flags(data.n_columns);
    if (random.chance(20)) filter.max_leaves = static_cast<Cost>(random.between(1, 5));
    if (random.chance(20)) filter.min_weight = static_cast<Cost>(random.between(1, 5));
    if (random.chance(70)) {
        for (std::size_t j = 0; j < data.n_columns; ++j)
            filter.rises.push_back(random.one_of<std::int8_t>({0, 1, -1}));
        filter.positive = flags(data.n_classes);
    }
    return filter;
}

std::vector<std::string> kept(Graph& graph, const Filter& filter) {
    std::vector<std::string> shapes;
    for (const GraphTree& tree : all_trees(graph))
        if (passes(graph, tree, filter)) shapes.push_back(shape_of(graph, tree));
    std::sort(shapes.begin(), shapes.end());
    return shapes;
}

void check_numbers(Graph& graph, const std::vector<GraphTree>& others) {
    std::set<std::string> own;
    std::vector<Digit> number(graph.digits(), 0);
    for (const GraphTree& tree : all_trees(graph)) {
        const auto found = graph.number_of(tree);
        CHECK(found.has_value());
        CHECK(found == number);
        own.insert(shape_of(graph, tree));
        add_one(number.data(), graph.digits());
    }
    std::size_t inside = 0;
    for (const GraphTree& tree : others) inside += graph.number_of(tree).has_value();
    CHECK_EQ(inside, own.size());  // which are among the others
}

// Two filters, one after the other, and the numbers of their trees.
void check_filters(Random& random, const Data& data, Graph& graph) {
    const std::vector<GraphTree> everything = all_trees(graph);
    const Filter first = random_filter(random, data), second = random_filter(random, data);
    Limits limits;
    Graph some, few;
    CHECK(graph.filtered(first, some, limits));
    CHECK(some.filtered(second, few, limits));
    for (auto [before, after, filter] : {std::tuple(&graph, &some, &first), {&some, &few, &second}}) {
        std::vector<std::string> found = shapes_of(*after);
        std::sort(found.begin(), found.end());
        CHECK(found == kept(*before, *filter));
    }
    check_numbers(graph, everything);
    check_numbers(some, everything);
    check_numbers(few, everything);
}

void check_groups(Random& random, const Data& data, Graph& graph) {
    std::vector<std::int32_t> variable(data.n_columns);
    for (std::int32_t& each : variable) each = static_cast<std::int32_t>(random.below(2));
    std::map<std::vector<std::int32_t>, std::vector<std::string>> expected;
    std::map<std::vector<std::int32_t>, TreeShape> shape_with;
    for (const GraphTree& tree : all_trees(graph)) {
        TreeShape shape = tree;
        for (std::int32_t& feature : shape.feature)
            if (feature >= 0) feature = variable[static_cast<std::size_t>(feature)];
        expected[shape.feature].push_back(shape_of(graph, tree));
        shape_with[shape.feature] = shape;
    }
    Limits limits, late(0.0);
    for (const auto& [key, shapes] : expected) {
        Graph group;
        CHECK(!graph.of_shape(shape_with[key], variable, group, late));
        CHECK(graph.of_shape(shape_with[key], variable, group, limits));
        CHECK_EQ(shapes_of(group), shapes);  // in the same order
    }
}

// On rows of all kinds and some: predictions are counted as they are listed.
void check_functions(Random& random, const Data& data, Graph& graph) {
    const std::size_t n_rows = random.between(0, 70);
    std::vector<std::vector<std::uint64_t>> bits(data.n_columns,
                                                 std::vector<std::uint64_t>((n_rows + 63) / 64, 0));
    std::vector<const std::uint64_t*> columns;
    for (auto& column : bits) {
        for (std::size_t i = 0; i < n_rows; ++i) column[i / 64] |= std::uint64_t{random.chance(50)} << i % 64;
        columns.push_back(column.data());
    }
    const std::size_t most = random.one_of<std::size_t>({1, 5, 1000000});
    std::set<std::vector<std::uint32_t>> functions;
    const std::vector<GraphTree> trees = trees_of(graph, most);
    for (const GraphTree& tree : trees) {
        std::vector<std::uint32_t> said;
        for (std::size_t i = 0; i < n_rows; ++i) {
            std::size_t at = 0;
            while (tree.feature[at] >= 0) {
                const bool yes = bits[static_cast<std::size_t>(tree.feature[at])][i / 64] >> i % 64 & 1;
                at = static_cast<std::size_t>(yes ? tree.left[at] : tree.right[at]);
            }
            said.push_back(graph.nodes[tree.node[at]].label);
        }
        functions.insert(said);
    }
    Limits limits, late(0.0);
    const Functions found = graph.count_functions(columns, n_rows, {}, most, limits);
    CHECK_EQ(found.n_functions, functions.size());
    CHECK_EQ(found.n_trees, trees.size());
    CHECK_EQ(graph.count_functions(columns, n_rows, {}, most, late).n_trees, 0u);
}

void test_random_sets(Random& random) {
    for (int i = 0; i < 300; ++i) {
        const check::Context context("problem ", i);
        auto [data, set] = random_set(random);
        check_filters(random, data, set.graph);
        check_groups(random, data, set.graph);
        check_functions(random, data, set.graph);
    }
}

void test_by_hand() {
    Limits limits;
    Graph graph = small_graph(true, 5), out;  // "0 =1 =0 ", "=0 ", "1 =0 =0 "
    CHECK(graph.count(limits));
    const auto expect = [&](const std::vector<char>& first, const std::vector<std::int8_t>& rises,
                            const std::vector<char>& positive, const std::vector<std::string>& shapes) {
        Filter filter;
        filter.root = first;
        filter.rises = rises;
        filter.positive = positive;
        CHECK(graph.filtered(filter, out, limits));
        CHECK_EQ(shapes_of(out), shapes);
    };
    const std::vector<std::string> all = {"0 =1 =0 ", "=0 ", "1 =0 =0 "};
    expect({1, 0}, {}, {}, {all[0]});
    expect({0, 1}, {}, {}, {all[2]});
    expect({0, 0}, {}, {}, {});
    expect({}, {1, 0}, {0, 1}, all);
    expect({}, {-1, 0}, {0, 1}, {all[1], all[2]});
    expect({}, {-1, -1}, {1, 0}, all);
    expect({1, 0}, {-1, 0}, {0, 1}, {});
}

}  // namespace
}  // namespace splitsecond

int main() {
    using namespace splitsecond;
    Random random(29);
    test_by_hand();
    test_random_sets(random);
    return check::report();
}
