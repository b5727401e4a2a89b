// What is asked of Rashomon sets as graphs.
#include <algorithm>
#include <memory>
#include <set>
#include <stdexcept>
#include <utility>

#include "bindings.hpp"

namespace splitsecond {
namespace {

void append(Graph& graph, const Digit* number, GraphTree& trees) {
    if (!graph.append_tree(number, trees)) throw std::invalid_argument("there is no tree of such a number.");
}

// The trees of these numbers, one after the other; `ends` says where each tree ends.
nb::tuple trees_of(Graph& graph, const TreeNumbers& numbers) {
    check_numbers(graph, numbers);
    GraphTree trees;
    std::vector<std::int64_t> ends;
    for (std::size_t i = 0; i < numbers.shape(0); ++i) {
        append(graph, numbers.data() + i * graph.digits(), trees);
        ends.push_back(static_cast<std::int64_t>(trees.feature.size()));
    }
    return nb::make_tuple(flatten(trees), to_array(std::move(ends)));
}

// One tree, by the words of its number.
auto tree_of(Graph& graph, const std::vector<Digit>& number) {
    if (number.size() != graph.digits()) throw std::invalid_argument("a number has digits() words.");
    GraphTree tree;
    append(graph, number.data(), tree);
    return flatten(tree);
}

// A tree as its arrays tell; what is none is refused.
TreeShape shape_from(const Array<std::int32_t>& feature, const Array<std::int32_t>& left,
                     const Array<std::int32_t>& right) {
    TreeShape shape;
    for (auto [list, given] : {std::pair(&shape.feature, &feature), std::pair(&shape.left, &left),
                               std::pair(&shape.right, &right)})
        list->assign(given->data(), given->data() + given->size());
    const std::size_t n = shape.feature.size();
    bool fits = n > 0 && shape.left.size() == n && shape.right.size() == n;
    for (std::size_t i = 0; fits && i < n; ++i)  // children come after their parent
        for (const std::int32_t child : {shape.left[i], shape.right[i]})
            fits = fits && (shape.feature[i] < 0 ||
                            (child > static_cast<std::int64_t>(i) && static_cast<std::size_t>(child) < n));
    if (!fits) throw std::invalid_argument("the arrays are not those of a tree.");
    return shape;
}

// The words of a tree's number; none if it is not in the set.
std::optional<std::vector<Digit>> number_of(Graph& graph, const Array<std::int32_t>& feature,
                                            const Array<std::int32_t>& left,
                                            const Array<std::int32_t>& right) {
    return graph.number_of(shape_from(feature, left, right));
}

// The features that trees of the set may ask for.
std::vector<std::int32_t> features_of(const Graph& graph) {
    std::set<std::int32_t> features;
    for (const GraphEdge& edge : graph.edges) features.insert(edge.feature);
    return {features.begin(), features.end()};
}

constexpr std::size_t kPerNode = 8, kPerEdge = 3;  // numbers of each in the arrays of a stored graph

// Nodes and edges as arrays, for saving.
NewArray<std::int64_t> nodes_of(const Graph& graph) {
    std::vector<std::int64_t> nodes;
    // Budgets that were lowered below nothing are nothing: there are no trees for less.
    const auto at_least_none = [](Cost budget) { return std::max<Cost>(budget, -1); };
    for (const GraphNode& node : graph.nodes)
        nodes.insert(nodes.end(),
                     {node.level, static_cast<std::int64_t>(node.prefix.role), node.leaf ? 1 : 0,
                      at_least_none(node.budget), at_least_none(node.prefix.budget), node.prefix.end_cost,
                      node.prefix.fill_budget, static_cast<std::int64_t>(node.edge_end - node.edge_begin)});
    return to_array(std::move(nodes));
}

NewArray<std::int64_t> edges_of(const Graph& graph) {
    std::vector<std::int64_t> edges;
    for (const GraphEdge& edge : graph.edges) edges.insert(edges.end(), {edge.feature, edge.yes, edge.no});
    return to_array(std::move(edges));
}

void refuse_if(bool wrong) {
    if (wrong) throw std::invalid_argument("the arrays are not those of a set of trees.");
}

// A number of a stored array as a field of another type.
template <class T>
T narrow(std::int64_t value) {
    refuse_if(!std::in_range<T>(value));
    return static_cast<T>(value);
}

// The graph behind such arrays, which may come from anywhere. None when it takes too long to count.
std::shared_ptr<Graph> graph_from(const Objective& objective, bool keep_trivial, Cost max_leaves,
                                  std::size_t n_classes, std::uint32_t root, const Array<std::int64_t>& nodes,
                                  const Array<std::int64_t>& edges, const Array<std::int32_t>& counts,
                                  const RunOptions& run) {
    auto graph = std::make_shared<Graph>();
    graph->objective = objective;
    graph->keep_trivial = keep_trivial;
    graph->max_leaves = max_leaves;
    graph->n_classes = n_classes;
    graph->root = root;
    refuse_if(nodes.size() % kPerNode != 0 || edges.size() % kPerEdge != 0);
    std::size_t next_edge = 0;
    for (std::size_t i = 0; i < nodes.size(); i += kPerNode) {
        const std::int64_t* given = nodes.data() + i;
        refuse_if(given[2] != 0 && given[2] != 1);
        GraphNode node;
        node.level = narrow<std::uint32_t>(given[0]);
        node.prefix.role = static_cast<Role>(narrow<std::uint8_t>(given[1]));
        node.leaf = given[2] == 1;
        node.budget = given[3];
        node.prefix.budget = given[4];
        node.prefix.end_cost = given[5];
        node.prefix.fill_budget = given[6];
        node.edge_begin = next_edge;
        node.edge_end = next_edge += narrow<std::size_t>(given[7]);
        graph->nodes.push_back(node);
    }
    for (std::size_t e = 0; e < edges.size(); e += kPerEdge) {
        const std::int64_t* given = edges.data() + e;
        graph->edges.push_back({narrow<std::int32_t>(given[0]), narrow<std::uint32_t>(given[1]),
                                narrow<std::uint32_t>(given[2])});
    }
    graph->counts.assign(counts.data(), counts.data() + counts.size());
    graph->restore();
    const bool done = run_within(run, [&](Limits& limits) { return graph->count(limits); });
    return done ? graph : nullptr;
}

std::vector<char> flags_of(const std::vector<bool>& flags) { return {flags.begin(), flags.end()}; }

// Something for each feature, if there is anything.
template <class T>
void check_features(const Graph& graph, const std::vector<T>& by_feature) {
    for (const GraphEdge& edge : graph.edges)
        if (!by_feature.empty() && static_cast<std::size_t>(edge.feature) >= by_feature.size())
            throw std::invalid_argument("there must be a value for each feature.");
}

// None when interrupted.
std::shared_ptr<Graph> filter_graph(const Graph& graph, const std::vector<bool>& avoid,
                                    const std::vector<bool>& uses, const std::vector<bool>& first,
                                    const std::vector<std::int8_t>& rises, const std::vector<bool>& positive,
                                    std::optional<std::size_t> max_depth, std::optional<Cost> max_leaves,
                                    std::optional<Cost> min_weight, std::optional<Cost> min_rows,
                                    const std::optional<Array<std::int64_t>>& yes_rows,
                                    std::optional<Cost> budget) {
    Filter filter;
    filter.avoid = flags_of(avoid);
    filter.uses = flags_of(uses);
    filter.root = flags_of(first);
    filter.rises = rises;
    filter.positive = flags_of(positive);
    if (!rises.empty() && positive.size() != graph.n_labels())
        throw std::invalid_argument("there must be a flag for each label.");
    filter.max_depth = max_depth.value_or(filter.max_depth);
    filter.max_leaves = max_leaves.value_or(filter.max_leaves);
    filter.min_weight = min_weight.value_or(filter.min_weight);
    filter.min_rows = min_rows.value_or(filter.min_rows);
    if (yes_rows) filter.yes_rows.assign(yes_rows->data(), yes_rows->data() + yes_rows->size());
    if (yes_rows && filter.yes_rows.size() != 1 + graph.edges.size())
        throw std::invalid_argument("there must be rows for the root and for each edge.");
    filter.budget = budget.value_or(filter.budget);
    for (const std::vector<char>* flags : {&filter.avoid, &filter.uses, &filter.root})
        check_features(graph, *flags);
    check_features(graph, filter.rises);
    auto out = std::make_shared<Graph>();
    const bool done = run_unlimited([&](Limits& limits) { return graph.filtered(filter, *out, limits); });
    return done ? out : nullptr;
}

// The trees of one shape; none when stopped.
std::shared_ptr<Graph> graph_of_shape(const Graph& graph, const Array<std::int32_t>& feature,
                                      const Array<std::int32_t>& left, const Array<std::int32_t>& right,
                                      const std::vector<std::int32_t>& variable, const RunOptions& run) {
    const TreeShape shape = shape_from(feature, left, right);
    if (variable.empty()) throw std::invalid_argument("there must be a value for each feature.");
    check_features(graph, variable);
    auto out = std::make_shared<Graph>();
    const bool done =
        run_within(run, [&](Limits& limits) { return graph.of_shape(shape, variable, *out, limits); });
    return done ? out : nullptr;
}

// Columns of packed bits, one for each feature of the problem; empty ones are never asked for.
std::vector<const std::uint64_t*> bits_of(const Graph& graph,
                                          const std::vector<Array<std::uint64_t>>& columns,
                                          std::size_t n_rows) {
    std::vector<const std::uint64_t*> bits;
    for (const Array<std::uint64_t>& column : columns) bits.push_back(column.data());
    for (const GraphEdge& edge : graph.edges)
        if (static_cast<std::size_t>(edge.feature) >= columns.size() ||
            columns[static_cast<std::size_t>(edge.feature)].size() < (n_rows + 63) / 64)
            throw std::invalid_argument("a column that trees ask for is missing.");
    return bits;
}

// How many functions the best trees are, and how many trees were looked at.
std::pair<std::size_t, std::size_t> functions_of(Graph& graph,
                                                 const std::vector<Array<std::uint64_t>>& columns,
                                                 std::size_t n_rows, std::size_t max_trees,
                                                 const RunOptions& run,
                                                 const std::optional<Array<std::uint32_t>>& says) {
    const std::vector<const std::uint64_t*> bits = bits_of(graph, columns, n_rows);
    std::vector<std::uint32_t> said;
    if (says) said.assign(says->data(), says->data() + says->size());
    if (says && said.size() != graph.nodes.size())
        throw std::invalid_argument("there must be a value for each node.");
    const Functions found = run_within(
        run, [&](Limits& limits) { return graph.count_functions(bits, n_rows, said, max_trees, limits); });
    return {found.n_functions, found.n_trees};
}

std::optional<NewArray<Digit>> vote_of(const Graph& graph, const std::vector<Array<std::uint64_t>>& columns,
                                       std::size_t n_rows) {
    const std::vector<const std::uint64_t*> bits = bits_of(graph, columns, n_rows);
    std::vector<Digit> votes;
    const bool done = run_unlimited([&](Limits& limits) { return graph.vote(bits, n_rows, votes, limits); });
    if (!done) return std::nullopt;
    return to_array(std::move(votes));
}

// Four numbers for each row: mean, variance, minimum, maximum. None when interrupted.
std::optional<NewArray<double>> vote_numbers_of(const Graph& graph,
                                                const std::vector<Array<std::uint64_t>>& columns,
                                                std::size_t n_rows, const Array<double>& values) {
    const std::vector<const std::uint64_t*> bits = bits_of(graph, columns, n_rows);
    if (values.size() != graph.nodes.size())
        throw std::invalid_argument("there must be a value for each node.");
    std::vector<Spread> votes;
    const bool done = run_unlimited(
        [&](Limits& limits) { return graph.vote_numbers(bits, n_rows, values.data(), votes, limits); });
    if (!done) return std::nullopt;
    std::vector<double> out;
    for (const Spread& row : votes)
        out.insert(out.end(), {row.mean, row.variance(), row.minimum, row.maximum});
    return to_array(std::move(out));
}

}  // namespace

nb::ndarray<nb::numpy, std::int32_t, nb::ndim<2>> flatten(const GraphTree& trees) {
    const std::size_t n_nodes = trees.feature.size();
    auto* flat = new std::int32_t[4 * n_nodes];
    const nb::capsule owner(flat, [](void* p) noexcept { delete[] static_cast<std::int32_t*>(p); });
    std::int32_t* end = std::copy(trees.feature.begin(), trees.feature.end(), flat);
    end = std::copy(trees.left.begin(), trees.left.end(), end);
    end = std::copy(trees.right.begin(), trees.right.end(), end);
    std::copy(trees.node.begin(), trees.node.end(), end);
    return {flat, {4, n_nodes}, owner};
}

void check_numbers(const Graph& graph, const TreeNumbers& numbers) {
    if (numbers.shape(1) != graph.digits())
        throw std::invalid_argument("a number must have as many words as the set needs.");
}

void bind_graphs(nb::module_& m) {
    nb::class_<Graph>(m, "Graph")
        .def_prop_ro("digits", &Graph::digits)
        .def_ro("n_classes", &Graph::n_classes)
        .def_prop_ro("n_labels", &Graph::n_labels)
        .def("n_trees", &Graph::n_trees)
        .def("histogram",
             [](const Graph& graph) {
                 nb::list out;
                 for (const auto& [key, number] : graph.histogram())
                     out.append(nb::make_tuple(key.cost, key.leaves, number));
                 return out;
             })
        .def("trees", &trees_of, "numbers"_a)
        .def("tree", &tree_of, "number"_a)
        .def("filtered", &filter_graph, nb::kw_only(), "avoid"_a = std::vector<bool>(),
             "uses"_a = std::vector<bool>(), "root"_a = std::vector<bool>(),
             "rises"_a = std::vector<std::int8_t>(), "positive"_a = std::vector<bool>(),
             "max_depth"_a.none() = nb::none(), "max_leaves"_a.none() = nb::none(),
             "min_weight"_a.none() = nb::none(), "min_rows"_a.none() = nb::none(),
             "yes_rows"_a.none() = nb::none(), "budget"_a.none() = nb::none())
        .def("number_of", &number_of, "feature"_a, "left"_a, "right"_a)
        .def("of_shape", &graph_of_shape, "feature"_a, "left"_a, "right"_a, "variable"_a, nb::kw_only(),
             "run"_a)
        .def("count_functions", &functions_of, "columns"_a, "n_rows"_a, nb::kw_only(), "max_trees"_a, "run"_a,
             "says"_a.none() = nb::none())
        .def("vote_numbers", &vote_numbers_of, "columns"_a, "n_rows"_a, "values"_a)
        .def("vote", &vote_of, "columns"_a, "n_rows"_a)
        .def("counts", [](const Graph& graph) { return to_array(std::vector<Count>(graph.counts)); })
        .def("features", &features_of)
        .def_prop_ro("n_nodes", [](const Graph& graph) { return graph.nodes.size(); })
        .def_prop_ro("n_edges", [](const Graph& graph) { return graph.edges.size(); })
        .def_ro("objective", &Graph::objective)
        .def_ro("keep_trivial", &Graph::keep_trivial)
        .def_ro("max_leaves", &Graph::max_leaves)
        .def_ro("root", &Graph::root)
        .def("nodes", &nodes_of)
        .def("edges", &edges_of)
        .def_static("of_arrays", &graph_from, nb::kw_only(), "objective"_a, "keep_trivial"_a, "max_leaves"_a,
                    "n_classes"_a, "root"_a, "nodes"_a, "edges"_a, "counts"_a, "run"_a);
}

}  // namespace splitsecond
