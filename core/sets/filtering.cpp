// The trees of a set that pass a filter, as another graph: edges are dropped, or nodes and edges doubled. A node then
// stands for some of the trees it stood for ("must still ask about one of these features", "is a leaf"), and where
// either child may be the one that meets a condition, an edge becomes several that share no tree.
#include <algorithm>
#include <array>
#include <unordered_map>
#include <utility>

#include "sets/graph.hpp"

namespace splitsecond {

namespace {

enum Asks : std::uint32_t { any, must, never };    // one of filter.uses
enum Form : std::uint32_t { whole, leaf, split };  // all trees, the leaf, all others

// Which trees of a node are wanted.
struct Wanted {
    Asks asks = any;
    Form form = whole;
};

// A node of the whole graph as it is in the filtered one.
struct Source {
    std::uint32_t node;
    Wanted wanted;
    bool enough;  // rows for a leaf
    Cost rows;    // there; of nodes without edges, as the first edge that leads to it says

    std::uint64_t key() const {
        return std::uint64_t{node} << 5 | std::uint64_t{wanted.form} << 3 | std::uint64_t{wanted.asks} << 1 |
               (enough ? 1 : 0);
    }
};

// What is wanted of the two children of a split, in up to two ways that share no tree.
template <class Part>
struct Ways {
    struct Way {
        Part yes, no;
    };
    std::array<Way, 2> way;
    std::size_t n = 0;

    void add(Part yes, Part no) { way[n++] = {yes, no}; }
    const Way* begin() const { return way.data(); }
    const Way* end() const { return way.data() + n; }
};

bool is_chosen(const std::vector<char>& features, std::int32_t f) {
    return !features.empty() && features[static_cast<std::size_t>(f)] != 0;
}

class Filtering {
public:
    Filtering(const Graph& from, const Filter& filter, Graph& out) : from_(from), filter_(filter), out_(out) {
        const Wanted wanted{filter.uses.empty() ? any : must, filter.root.empty() ? whole : split};
        out.root = id_of(from.root, wanted, rows_of(from.root, 0));
    }

    std::size_t n_sources() const { return sources_.size(); }
    std::uint32_t node_of(std::size_t id) const { return sources_[id].node; }

    // Makes the edges of a node, the first of which is the root; new nodes are added as they are met.
    GraphNode make(std::size_t id) {
        const Source source = sources_[id];
        GraphNode node = from_.nodes[source.node];
        node.leaf = node.leaf && source.wanted.asks != must && source.wanted.form != split &&
                    node.weight >= filter_.min_weight && source.enough;
        node.edge_begin = out_.edges.size();
        if (source.wanted.form != leaf && node.level < filter_.max_depth)
            for (std::size_t e = from_.nodes[source.node].edge_begin; e < from_.nodes[source.node].edge_end;
                 ++e)
                if (may_ask(source, from_.edges[e].feature, id == out_.root)) link(source, e);
        node.edge_end = out_.edges.size();
        return node;
    }

private:
    // Of any weight, at a node that an edge leads to; that of number 0 leads to the root.
    Cost rows_of(std::uint32_t node, std::size_t edge) const {
        return filter_.yes_rows.empty() ? from_.nodes[node].weight : filter_.yes_rows[edge];
    }

    bool has_splits(std::uint32_t node) const {
        return from_.nodes[node].edge_begin < from_.nodes[node].edge_end;
    }

    std::uint32_t id_of(std::uint32_t node, Wanted wanted, Cost rows) {
        if (!has_splits(node) && wanted.form == leaf) wanted.form = whole;
        if ((!has_splits(node) || wanted.form == leaf) && wanted.asks == never) wanted.asks = any;
        const Source source{node, wanted, rows >= filter_.min_rows, rows};
        const auto [place, is_new] =
            ids_.try_emplace(source.key(), static_cast<std::uint32_t>(sources_.size()));
        if (is_new) sources_.push_back(source);
        return place->second;
    }

    bool may_ask(const Source& source, std::int32_t feature, bool is_root) const {
        return !is_chosen(filter_.avoid, feature) &&
               !(source.wanted.asks == never && is_chosen(filter_.uses, feature)) &&
               !(is_root && !filter_.root.empty() && !is_chosen(filter_.root, feature));
    }

    void link(const Source& source, std::size_t e) {
        const GraphEdge& edge = from_.edges[e];
        const Cost yes_rows = rows_of(edge.yes, 1 + e);
        for (const auto& asks : ways_to_ask(source.wanted.asks, edge))
            for (const auto& form : ways_to_rise(edge)) {
                const Wanted yes{asks.yes, form.yes}, no{asks.no, form.no};
                if (is_nothing(edge.yes, yes) || is_nothing(edge.no, no)) continue;
                const std::uint32_t yes_id = id_of(edge.yes, yes, yes_rows);
                out_.edges.push_back({edge.feature, yes_id, id_of(edge.no, no, source.rows - yes_rows)});
            }
    }

    bool is_nothing(std::uint32_t node, Wanted wanted) const {
        const bool is_leaf = wanted.form == leaf || !has_splits(node);
        return is_leaf && (wanted.asks == must || wanted.form == split);
    }

    Ways<Asks> ways_to_ask(Asks asks, const GraphEdge& edge) const {
        Ways<Asks> ways;
        if (asks != must) {
            ways.add(asks, asks);
        } else if (is_chosen(filter_.uses, edge.feature)) {
            ways.add(any, any);
        } else {  // the first child that asks one is either the yes-child or the no-child
            ways.add(must, any);
            ways.add(never, must);
        }
        return ways;
    }

    // A split by a feature that rises: the low side is a leaf that says negative, or, where it is not, the high side is
    // one that says positive.
    Ways<Form> ways_to_rise(const GraphEdge& edge) const {
        Ways<Form> ways;
        const int rises = filter_.rises.empty() ? 0 : filter_.rises[static_cast<std::size_t>(edge.feature)];
        if (rises == 0) {
            ways.add(whole, whole);
            return ways;
        }
        const bool yes_is_high = rises > 0;
        const auto add = [&](Form low, Form high) {
            ways.add(yes_is_high ? high : low, yes_is_high ? low : high);
        };
        const bool low_may = !says_positive(yes_is_high ? edge.no : edge.yes);
        if (low_may) add(leaf, whole);
        if (says_positive(yes_is_high ? edge.yes : edge.no)) add(low_may ? split : whole, leaf);
        return ways;
    }

    bool says_positive(std::uint32_t node) const { return filter_.positive[from_.nodes[node].label] != 0; }

    const Graph& from_;
    const Filter& filter_;
    Graph& out_;
    std::unordered_map<std::uint64_t, std::uint32_t> ids_;
    std::vector<Source> sources_;
};

}  // namespace

// What a graph of some of the trees has in common with this one.
void Graph::start_part(Graph& out) const {
    out.objective = objective;
    out.keep_trivial = keep_trivial;
    out.max_leaves = max_leaves;
    out.n_classes = n_classes;
    out.nodes.clear();
    out.edges.clear();
    out.counts.clear();
}

void Graph::copy_node(std::uint32_t from, GraphNode node, Graph& out) const {
    out.nodes.push_back(node);
    const auto begin = counts.begin() + static_cast<std::ptrdiff_t>(from * n_classes);
    out.counts.insert(out.counts.end(), begin, begin + static_cast<std::ptrdiff_t>(n_classes));
}

bool Graph::filtered(const Filter& filter, Graph& out, Limits& limits) const {
    start_part(out);
    out.max_leaves = std::min(max_leaves, filter.max_leaves);
    Filtering filtering(*this, filter, out);
    for (std::size_t i = 0; i < filtering.n_sources(); ++i) {
        if (limits.stop()) return false;
        copy_node(filtering.node_of(i), filtering.make(i), out);
    }
    GraphNode& top = out.nodes[out.root];
    if (top.prefix.role == Role::plain)
        top.budget = std::min(top.budget, filter.budget);
    else
        top.prefix.budget = std::min(top.prefix.budget, filter.budget);
    return out.count(limits);
}

}  // namespace splitsecond
