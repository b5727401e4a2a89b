// Rashomon sets, and what is asked of them as graphs.
#include <algorithm>
#include <memory>
#include <set>
#include <stdexcept>
#include <utility>

#include "bindings.hpp"
#include "sets/rashomon.hpp"

namespace splitsecond {
namespace {

nb::dict run_rashomon(const Table& table, const AnyArray& classes, std::size_t n_classes,
                      const std::optional<Array<std::int32_t>>& weights, const nb::dict& options) {
    const Target target = target_of(table, classes, n_classes, weights);
    SetOptions chosen;
    chosen.max_depth = nb::cast<std::size_t>(options["max_depth"]);
    if (!options["lookahead"].is_none()) chosen.lookahead = nb::cast<std::size_t>(options["lookahead"]);
    chosen.keep_trivial = nb::cast<bool>(options["keep_trivial"]);
    chosen.exact_last_split = nb::cast<bool>(options["exact_last_split"]);
    chosen.objective = objective_of(options);
    chosen.n_threads = nb::cast<std::size_t>(options["n_threads"]);
    chosen.speed = speed_of(options);
    const nb::object bound = nb::borrow(options["bound"]);
    chosen.bound = [&](Cost loss, Cost leaves) {
        const nb::gil_scoped_acquire gil;
        return nb::cast<Cost>(bound(loss, leaves));
    };
    RashomonSet set = run_within(seconds_of(options), bytes_of(options), nb::borrow(options["progress"]),
                                 [&](Limits& limits) { return rashomon_set(table, target, chosen, limits); });
    nb::dict out;
    if (set.not_binary) {
        out["not_binary"] = nb::make_tuple(set.not_binary->row, set.not_binary->column);
        return out;
    }
    nb::dict numbers = to_dict(set.statistics);
    numbers["nodes"] = set.graph.nodes.size();
    numbers["edges"] = set.graph.edges.size();
    numbers["peak_bytes"] = set.peak_bytes;
    numbers["seconds"] = set.seconds;
    out["packed"] = set.packed;
    out["errors"] = set.reference_loss;
    out["leaves"] = set.reference_leaves;
    out["bound"] = set.bound;
    out["proved"] = set.proved;
    out["status"] = name_of(set.status);
    out["statistics"] = numbers;
    out["graph"] = nb::cast(std::make_shared<Graph>(std::move(set.graph)));
    return out;
}

// Rows of the array are feature, left, right and the graph's node.
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

// The features that trees of the set may ask for.
std::vector<std::int32_t> features_of(const Graph& graph) {
    std::set<std::int32_t> features;
    for (const GraphEdge& edge : graph.edges) features.insert(edge.feature);
    return {features.begin(), features.end()};
}

constexpr std::size_t kPerNode = 8, kPerEdge = 3;  // numbers of each in the arrays of a stored graph

// The whole graph as arrays, for saving.
nb::dict state_of(const Graph& graph) {
    std::vector<std::int64_t> nodes, edges;
    // Budgets that were lowered below nothing are nothing: there are no trees for less.
    const auto at_least_none = [](Cost budget) { return std::max<Cost>(budget, -1); };
    for (const GraphNode& node : graph.nodes)
        nodes.insert(nodes.end(),
                     {node.level, static_cast<std::int64_t>(node.prefix.role), node.leaf ? 1 : 0,
                      at_least_none(node.budget), at_least_none(node.prefix.budget), node.prefix.end_cost,
                      node.prefix.fill_budget, static_cast<std::int64_t>(node.edge_end - node.edge_begin)});
    for (const GraphEdge& edge : graph.edges) edges.insert(edges.end(), {edge.feature, edge.yes, edge.no});
    nb::dict out;
    out["error_price"] = graph.objective.price.loss;
    out["leaf_price"] = graph.objective.price.leaf;
    out["keep_trivial"] = graph.keep_trivial;
    out["max_leaves"] = graph.max_leaves;
    out["n_classes"] = graph.n_classes;
    out["root"] = graph.root;
    out["nodes"] = to_array(std::move(nodes));
    out["edges"] = to_array(std::move(edges));
    out["counts"] = to_array(std::vector<Count>(graph.counts));
    return out;
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

// The graph behind such arrays, which may come from anywhere. None when it takes too long.
std::shared_ptr<Graph> graph_from(const nb::dict& state) {
    auto graph = std::make_shared<Graph>();
    graph->objective = objective_of(state);
    graph->keep_trivial = nb::cast<bool>(state["keep_trivial"]);
    graph->max_leaves = nb::cast<Cost>(state["max_leaves"]);
    graph->n_classes = nb::cast<std::size_t>(state["n_classes"]);
    graph->root = nb::cast<std::uint32_t>(state["root"]);
    const auto nodes = nb::cast<Array<std::int64_t>>(state["nodes"]);
    const auto edges = nb::cast<Array<std::int64_t>>(state["edges"]);
    const auto counts = nb::cast<Array<std::int32_t>>(state["counts"]);
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
    constexpr double kMostSeconds = 120;  // a file may have been made to take forever
    const bool done = run_within(kMostSeconds, Limits::kNoBudget, nb::none(),
                                 [&](Limits& limits) { return graph->count(limits); });
    return done ? graph : nullptr;
}

std::vector<char> flags_of(const nb::dict& options, const char* name) {
    std::vector<char> flags;
    for (const bool flag : nb::cast<std::vector<bool>>(options[name])) flags.push_back(flag ? 1 : 0);
    return flags;
}

// None when interrupted.
std::shared_ptr<Graph> filter_graph(const Graph& graph, const nb::dict& options) {
    Filter filter;
    filter.avoid = flags_of(options, "avoid");
    filter.uses = flags_of(options, "uses");
    if (!options["max_depth"].is_none()) filter.max_depth = nb::cast<std::size_t>(options["max_depth"]);
    if (!options["max_leaves"].is_none()) filter.max_leaves = nb::cast<Cost>(options["max_leaves"]);
    if (!options["min_weight"].is_none()) filter.min_weight = nb::cast<Cost>(options["min_weight"]);
    if (!options["budget"].is_none()) filter.budget = nb::cast<Cost>(options["budget"]);
    for (const GraphEdge& edge : graph.edges)
        for (const std::vector<char>* flags : {&filter.avoid, &filter.uses})
            if (!flags->empty() && static_cast<std::size_t>(edge.feature) >= flags->size())
                throw std::invalid_argument("there must be a flag for each feature.");
    auto out = std::make_shared<Graph>();
    const bool done = run_unlimited([&](Limits& limits) { return graph.filtered(filter, *out, limits); });
    return done ? out : nullptr;
}

// Columns of packed bits, one for each feature of the problem; empty ones are never asked for.
std::optional<nb::ndarray<nb::numpy, Digit, nb::ndim<1>>> vote_of(
    const Graph& graph, const std::vector<Array<std::uint64_t>>& columns, std::size_t n_rows) {
    std::vector<const std::uint64_t*> bits;
    for (const Array<std::uint64_t>& column : columns) bits.push_back(column.data());
    for (const GraphEdge& edge : graph.edges)
        if (static_cast<std::size_t>(edge.feature) >= columns.size() ||
            columns[static_cast<std::size_t>(edge.feature)].size() < (n_rows + 63) / 64)
            throw std::invalid_argument("a column that trees ask for is missing.");
    std::vector<Digit> votes;
    const bool done = run_unlimited([&](Limits& limits) { return graph.vote(bits, n_rows, votes, limits); });
    if (!done) return std::nullopt;
    return to_array(std::move(votes));
}

}  // namespace

void check_numbers(const Graph& graph, const TreeNumbers& numbers) {
    if (numbers.shape(1) != graph.digits())
        throw std::invalid_argument("a number must have as many words as the set needs.");
}

void bind_graphs(nb::module_& m) {
    bind_all(m, "rashomon", &run_rashomon);
    nb::class_<Graph>(m, "Graph")
        .def_prop_ro("digits", &Graph::digits)
        .def_ro("n_classes", &Graph::n_classes)
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
        .def("filtered", &filter_graph, "options"_a)
        .def("vote", &vote_of, "columns"_a, "n_rows"_a)
        .def("counts", [](const Graph& graph) { return to_array(std::vector<Count>(graph.counts)); })
        .def("features", &features_of)
        .def("state", &state_of)
        .def_static("from_state", &graph_from, "state"_a);
}

}  // namespace splitsecond
