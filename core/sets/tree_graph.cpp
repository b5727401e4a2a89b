#include "sets/tree_graph.hpp"

namespace splitsecond {

Graph graph_of(const Tree& tree, const Objective& objective) {
    Graph graph;
    graph.objective = objective;
    graph.n_classes = tree.n_classes;
    graph.keep_trivial = true;
    graph.counts = tree.counts;
    std::vector<std::uint32_t> level(tree.size(), 0);
    for (std::size_t i = 0; i < tree.size(); ++i) {
        const auto weight_of = [&](std::size_t c) { return tree.counts_of(i)[c]; };
        GraphNode node;
        node.level = level[i];
        node.leaf = tree.feature[i] < 0;
        node.label = tree.label_of(i, objective);
        node.loss = objective.leaf_loss(tree.n_classes, weight_of);
        node.weight = weight_of_rows(objective, tree.n_classes, weight_of);
        node.budget = kInfinite / 2;
        node.edge_begin = graph.edges.size();
        if (!node.leaf) {
            const auto yes = static_cast<std::uint32_t>(tree.left[i]);
            const auto no = static_cast<std::uint32_t>(tree.right[i]);
            level[yes] = level[no] = level[i] + 1;
            graph.edges.push_back({tree.feature[i], yes, no});
        }
        node.edge_end = graph.edges.size();
        graph.nodes.push_back(node);
    }
    return graph;
}

}  // namespace splitsecond
