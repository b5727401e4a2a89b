// Graphs put together from parts that may come from anywhere: what they lack is worked out, what is wrong is
// refused.
#include <cstddef>
#include <cstdint>
#include <functional>
#include <stdexcept>

#include "sets/graph.hpp"
#include "support/check.hpp"
#include "support/small_graph.hpp"

namespace splitsecond {
namespace {

void test_works_out_leaves() {
    const Graph whole = small_graph(true, 5);
    Graph graph = small_graph(true, 5);
    for (GraphNode& node : graph.nodes) {
        node.label = 7;
        node.loss = node.weight = -1;
    }
    graph.restore();
    for (std::size_t i = 0; i < whole.nodes.size(); ++i) {
        CHECK_EQ(graph.nodes[i].label, whole.nodes[i].label);
        CHECK_EQ(graph.nodes[i].loss, whole.nodes[i].loss);
        CHECK_EQ(graph.nodes[i].weight, whole.nodes[i].weight);
    }
    Limits limits;
    CHECK(graph.count(limits));
    CHECK_EQ(graph.n_trees(), std::vector<Digit>{3});
}

void test_refuses_what_is_no_graph() {
    const auto refuses = [](const char* what, const std::function<void(Graph&)>& spoil) {
        const check::Context context(what);
        Graph graph = small_graph(true, 5);
        spoil(graph);
        CHECK_THROWS(graph.restore(), std::invalid_argument);
    };
    refuses("no nodes", [](Graph& g) { g.nodes.clear(), g.edges.clear(), g.counts.clear(); });
    refuses("no such root", [](Graph& g) { g.root = 5; });
    refuses("no classes", [](Graph& g) { g.n_classes = 0, g.counts.clear(); });
    refuses("classes without counts", [](Graph& g) { g.n_classes = 3; });
    refuses("so many classes that their number wraps", [](Graph& g) {
        g.nodes.resize(4), g.edges.clear(), g.counts.clear();
        g.nodes[0].edge_end = 0;
        g.n_classes = SIZE_MAX / 4 + 1;
    });
    refuses("a count too many", [](Graph& g) { g.counts.push_back(1); });
    refuses("a negative count", [](Graph& g) { g.counts[3] = -1; });
    refuses("a node without rows", [](Graph& g) { g.counts[2] = g.counts[3] = 0; });
    refuses("too many rows", [](Graph& g) { g.counts[0] = g.counts[1] = INT32_MAX; });
    refuses("a negative price of errors", [](Graph& g) { g.objective.price.loss = -1; });
    refuses("a negative price of leaves", [](Graph& g) { g.objective.price.leaf = -1; });
    refuses("too high a price of leaves", [](Graph& g) { g.objective.price.leaf = kInfinite + 1; });
    refuses("costs beyond 64 bits", [](Graph& g) { g.objective.price.loss = kInfinite; });
    refuses("a negative number of leaves", [](Graph& g) { g.max_leaves = -2; });
    refuses("a level too deep", [](Graph& g) { g.nodes[4].level = 65536; });
    refuses("an unknown role", [](Graph& g) { g.nodes[4].prefix.role = static_cast<Role>(3); });
    refuses("a negative budget", [](Graph& g) { g.nodes[4].budget = -2; });
    refuses("too high a prefix budget", [](Graph& g) { g.nodes[4].prefix.budget = kInfinite + 1; });
    refuses("a negative stop", [](Graph& g) { g.nodes[4].prefix.end_cost = -2; });
    refuses("too high a fill", [](Graph& g) { g.nodes[4].prefix.fill_budget = kInfinite + 1; });
    refuses("edges that are not there", [](Graph& g) { g.nodes[4].edge_end = 3; });
    refuses("edges backwards", [](Graph& g) { g.nodes[4].edge_end = 1; });
    refuses("edges of two nodes", [](Graph& g) { g.nodes[4].edge_begin = 1; });
    refuses("an edge of no node", [](Graph& g) { g.edges.push_back({0, 1, 2}); });
    refuses("a negative feature", [](Graph& g) { g.edges[0].feature = -1; });
    refuses("no such child", [](Graph& g) { g.edges[1].no = 5; });
    refuses("a circle", [](Graph& g) { g.edges[1].yes = 0; });
}

}  // namespace
}  // namespace splitsecond

int main() {
    using namespace splitsecond;
    test_works_out_leaves();
    test_refuses_what_is_no_graph();
    return check::report();
}
