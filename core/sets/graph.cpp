#include "sets/graph.hpp"

#include <algorithm>

#include "sets/numbering.hpp"

namespace splitsecond {

Graph::Graph() = default;
Graph::Graph(Graph&&) noexcept = default;
Graph& Graph::operator=(Graph&&) noexcept = default;
Graph::~Graph() = default;

std::size_t Graph::bytes() const {
    return nodes.size() * sizeof(GraphNode) + edges.size() * sizeof(GraphEdge) +
           counts.size() * sizeof(Count);
}

// ---- what a tree costs ----------------------------------------------------------------------------

Key Graph::leaf_key(const GraphNode& node) const {
    const Cost cost = objective.price.of(node.loss, 1);
    return {cost, 1, node.prefix.cost(cost, kInfinite)};
}

Key Graph::combine(const GraphNode& node, const Key& yes, const Key& no) const {
    const Cost cost = yes.cost + no.cost;
    const Cost below = yes.prefix >= kInfinite || no.prefix >= kInfinite ? kInfinite : yes.prefix + no.prefix;
    return {cost, yes.leaves + no.leaves, node.prefix.cost(cost, below)};
}

bool Graph::within_budget(const GraphNode& node, const Key& key) const {
    return key.leaves <= max_leaves && (key.cost <= node.budget || key.prefix <= node.prefix.budget);
}

// Only a leaf has one leaf, so that these keys tell whether both children are leaves.
bool Graph::is_trivial_split(const GraphEdge& edge, const Key& yes, const Key& no) const {
    return !keep_trivial && yes.leaves == 1 && no.leaves == 1 &&
           objective.is_trivial(n_classes, counts.data() + edge.yes * n_classes,
                                counts.data() + edge.no * n_classes, nodes[edge.yes].label,
                                nodes[edge.no].label);
}

// ---- finding trees --------------------------------------------------------------------------------

std::size_t Graph::find(std::uint32_t node, const Key& key) const {
    const std::vector<Key>& keys = histograms_[node].keys;
    const auto place = std::lower_bound(keys.begin(), keys.end(), key);
    return place == keys.end() || !(*place == key) ? SIZE_MAX
                                                   : static_cast<std::size_t>(place - keys.begin());
}

// The key of the part of a tree that begins at `place`, if it is among the trees of a node.
std::optional<Key> Graph::find_tree(std::uint32_t id, const TreeShape& tree, std::size_t place) const {
    const GraphNode& node = nodes[id];
    if (tree.feature[place] < 0) {
        if (node.leaf && within_budget(node, leaf_key(node))) return leaf_key(node);
        return std::nullopt;
    }
    for (std::size_t e = node.edge_begin; e < node.edge_end; ++e) {
        if (edges[e].feature != tree.feature[place]) continue;
        const auto yes = find_tree(edges[e].yes, tree, static_cast<std::size_t>(tree.left[place]));
        const auto no = find_tree(edges[e].no, tree, static_cast<std::size_t>(tree.right[place]));
        if (!yes || !no || is_trivial_split(edges[e], *yes, *no)) continue;
        const Key key = combine(node, *yes, *no);
        if (within_budget(node, key)) return key;
    }
    return std::nullopt;
}

bool Graph::append_tree(const Digit* number, GraphTree& out) {
    if (!numbering_) numbering_ = std::make_unique<Numbering>(*this);
    return numbering_->append_tree(*this, number, out);
}

}  // namespace splitsecond
