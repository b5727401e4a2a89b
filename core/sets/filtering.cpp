// The trees of a set that pass a filter, as another graph: edges are dropped, or nodes doubled ("must still ask about
// one of these features", "never asks about them").
#include <algorithm>
#include <unordered_map>
#include <utility>

#include "sets/graph.hpp"

namespace splitsecond {

bool Graph::filtered(const Filter& filter, Graph& out, Limits& limits) const {
    enum Mode : std::uint32_t { any, must, never };  // ask one of filter.uses
    const auto chosen = [](const std::vector<char>& features, std::int32_t f) {
        return !features.empty() && features[static_cast<std::size_t>(f)] != 0;
    };
    out.objective = objective;
    out.keep_trivial = keep_trivial;
    out.max_leaves = std::min(max_leaves, filter.max_leaves);
    out.n_classes = n_classes;
    out.nodes.clear();
    out.edges.clear();
    out.counts.clear();
    std::unordered_map<std::uint64_t, std::uint32_t> ids;
    std::vector<std::pair<std::uint32_t, Mode>> sources;
    const auto id_of = [&](std::uint32_t node, Mode mode) {
        const bool only_leaf = nodes[node].edge_begin == nodes[node].edge_end;
        if (only_leaf && mode == never) mode = any;
        const auto [place, is_new] =
            ids.try_emplace(std::uint64_t{node} << 2 | mode, static_cast<std::uint32_t>(sources.size()));
        if (is_new) sources.emplace_back(node, mode);
        return place->second;
    };
    out.root = id_of(root, filter.uses.empty() ? any : must);
    for (std::size_t i = 0; i < sources.size(); ++i) {
        if (limits.stop()) return false;
        const auto [from, mode] = sources[i];
        GraphNode node = nodes[from];
        node.leaf = node.leaf && mode != must && node.weight >= filter.min_weight;
        node.edge_begin = out.edges.size();
        for (std::size_t e = nodes[from].edge_begin; e < nodes[from].edge_end; ++e) {
            const GraphEdge& edge = edges[e];
            const bool wanted = chosen(filter.uses, edge.feature);
            if (chosen(filter.avoid, edge.feature) || node.level >= filter.max_depth ||
                (mode == never && wanted))
                continue;
            const auto link = [&](Mode yes, Mode no) {
                const std::uint32_t yes_id = id_of(edge.yes, yes);
                out.edges.push_back({edge.feature, yes_id, id_of(edge.no, no)});
            };
            if (mode != must) {
                link(mode, mode);
            } else if (wanted) {
                link(any, any);
            } else {  // the first child that asks one is either the yes-child or the no-child
                link(must, any);
                link(never, must);
            }
        }
        node.edge_end = out.edges.size();
        out.nodes.push_back(node);
        const auto begin = counts.begin() + static_cast<std::ptrdiff_t>(from * n_classes);
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
