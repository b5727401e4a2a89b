#include "sets/graph.hpp"

#include <algorithm>
#include <map>
#include <utility>

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

// Looks for a tree from the root on. Several edges of a node may ask the same feature (filtering.cpp), so that there are
// several ways to go; each part of the tree is looked for only once at each node.
class Graph::Finder {
public:
    Finder(const Graph& graph, const TreeShape& tree) : graph_(graph), tree_(tree) {}

    // The key of the part of the tree that begins at `place`, if it is among the trees of a node.
    std::optional<Key> find(std::uint32_t id, std::size_t place) {
        const auto [known, is_new] = ways_.try_emplace(std::pair(id, place));
        Way& way = known->second;  // stays where it is
        if (is_new) way = tree_.feature[place] < 0 ? leaf(graph_.nodes[id]) : split(graph_.nodes[id], place);
        return way.key;
    }

    // The nodes that the tree was found at.
    void write(std::uint32_t id, std::size_t place, Path& out) const {
        const Way& way = ways_.at(std::pair(id, place));
        out.node[place] = id;
        out.key[place] = *way.key;
        if (tree_.feature[place] < 0) return;
        write(graph_.edges[way.edge].yes, static_cast<std::size_t>(tree_.left[place]), out);
        write(graph_.edges[way.edge].no, static_cast<std::size_t>(tree_.right[place]), out);
    }

private:
    struct Way {
        std::optional<Key> key;  // none: it is not there
        std::size_t edge = 0;
    };

    Way leaf(const GraphNode& node) const {
        const Key key = graph_.leaf_key(node);
        if (node.leaf && graph_.within_budget(node, key)) return {key};
        return {};
    }

    Way split(const GraphNode& node, std::size_t place) {
        for (std::size_t e = node.edge_begin; e < node.edge_end; ++e) {
            const GraphEdge& edge = graph_.edges[e];
            if (edge.feature != tree_.feature[place]) continue;
            const auto yes = find(edge.yes, static_cast<std::size_t>(tree_.left[place]));
            if (!yes) continue;
            const auto no = find(edge.no, static_cast<std::size_t>(tree_.right[place]));
            if (!no || graph_.is_trivial_split(edge, *yes, *no)) continue;
            const Key key = graph_.combine(node, *yes, *no);
            if (graph_.within_budget(node, key)) return {key, e};
        }
        return {};
    }

    const Graph& graph_;
    const TreeShape& tree_;
    std::map<std::pair<std::uint32_t, std::size_t>, Way> ways_;
};

std::optional<Graph::Path> Graph::find_tree(const TreeShape& tree) const {
    Finder finder(*this, tree);
    if (!finder.find(root, 0)) return std::nullopt;
    Path path{std::vector<std::uint32_t>(tree.feature.size()), std::vector<Key>(tree.feature.size())};
    finder.write(root, 0, path);
    return path;
}

std::optional<std::vector<Digit>> Graph::number_of(const TreeShape& tree) {
    const std::optional<Path> path = find_tree(tree);
    if (!path) return std::nullopt;
    if (!numbering_) numbering_ = std::make_unique<Numbering>(*this);
    return numbering_->number_of(*this, tree, *path);
}

bool Graph::append_tree(const Digit* number, GraphTree& out) {
    if (!numbering_) numbering_ = std::make_unique<Numbering>(*this);
    return numbering_->append_tree(*this, number, out);
}

}  // namespace splitsecond
