// The trees of a set that pass a filter, as another graph: edges are dropped, or nodes doubled ("must still ask about
// one of these features", "never asks about them").
#include <algorithm>
#include <unordered_map>
#include <utility>

#include "sets/graph.hpp"

namespace splitsecond {

namespace {

enum Mode : std::uint32_t { any, must, never };  // ask one of filter.uses

bool is_chosen(const std::vector<char>& features, std::int32_t f) {
    return !features.empty() && features[static_cast<std::size_t>(f)] != 0;
}

// A node of the whole graph as it is in the filtered one.
struct Source {
    std::uint32_t node;
    Mode mode;
    bool enough;  // rows for a leaf
    Cost rows;    // there; of nodes without edges, as the first edge that leads to it says

    std::uint64_t key() const {
        return std::uint64_t{node} << 3 | std::uint64_t{mode} << 1 | (enough ? 1 : 0);
    }
};

}  // namespace

bool Graph::filtered(const Filter& filter, Graph& out, Limits& limits) const {
    out.objective = objective;
    out.keep_trivial = keep_trivial;
    out.max_leaves = std::min(max_leaves, filter.max_leaves);
    out.n_classes = n_classes;
    out.nodes.clear();
    out.edges.clear();
    out.counts.clear();
    std::unordered_map<std::uint64_t, std::uint32_t> ids;
    std::vector<Source> sources;
    const auto id_of = [&](std::uint32_t node, Mode mode, Cost rows) {
        const bool only_leaf = nodes[node].edge_begin == nodes[node].edge_end;
        const Source source{node, only_leaf && mode == never ? any : mode, rows >= filter.min_rows, rows};
        const auto [place, is_new] =
            ids.try_emplace(source.key(), static_cast<std::uint32_t>(sources.size()));
        if (is_new) sources.push_back(source);
        return place->second;
    };
    const bool by_weight = filter.yes_rows.empty();
    out.root =
        id_of(root, filter.uses.empty() ? any : must, by_weight ? nodes[root].weight : filter.yes_rows[0]);
    for (std::size_t i = 0; i < sources.size(); ++i) {
        if (limits.stop()) return false;
        const Source from = sources[i];
        GraphNode node = nodes[from.node];
        node.leaf = node.leaf && from.mode != must && node.weight >= filter.min_weight && from.enough;
        node.edge_begin = out.edges.size();
        for (std::size_t e = nodes[from.node].edge_begin; e < nodes[from.node].edge_end; ++e) {
            const GraphEdge& edge = edges[e];
            const bool wanted = is_chosen(filter.uses, edge.feature);
            if (is_chosen(filter.avoid, edge.feature) || node.level >= filter.max_depth ||
                (from.mode == never && wanted))
                continue;
            const Cost yes_rows = by_weight ? nodes[edge.yes].weight : filter.yes_rows[1 + e];
            const auto link = [&](Mode yes, Mode no) {
                const std::uint32_t yes_id = id_of(edge.yes, yes, yes_rows);
                out.edges.push_back({edge.feature, yes_id, id_of(edge.no, no, from.rows - yes_rows)});
            };
            if (from.mode != must) {
                link(from.mode, from.mode);
            } else if (wanted) {
                link(any, any);
            } else {  // the first child that asks one is either the yes-child or the no-child
                link(must, any);
                link(never, must);
            }
        }
        node.edge_end = out.edges.size();
        out.nodes.push_back(node);
        const auto begin = counts.begin() + static_cast<std::ptrdiff_t>(from.node * n_classes);
        out.counts.insert(out.counts.end(), begin, begin + static_cast<std::ptrdiff_t>(n_classes));
    }
    GraphNode& top = out.nodes[out.root];
    if (top.prefix.role == Role::plain)
        top.budget = std::min(top.budget, filter.budget);
    else
        top.prefix.budget = std::min(top.prefix.budget, filter.budget);
    return out.count(limits);
}

}  // namespace splitsecond
