// The trees of a set within a bound of a criterion, as another graph.
//
// A node of that graph is a state and a value: it stands for the trees of the state that have just this value. So a
// tree has one place in it, and counts, numbers and filters work as in any set. The root alone stands for all values up
// to the bound. Its size is the number of different values times that of the walked set: with few rows or a tight bound
// that is little.
#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "sets/walked_set.hpp"

namespace splitsecond {

class WalkedSet::Product {
public:
    Product(const WalkedSet& set, const Prices& prices, double bound, Limits& limits)
        : set_(set), graph_(set.graph_), prices_(prices), bound_(bound), limits_(limits) {}
    ~Product() { limits_.release(charged_); }

    // False when stopped. Nodes that no tree from the root comes to are still there.
    bool build(Graph& out) {
        graph_.start_part(out);
        out_ = &out;
        find_lowest();
        find_slack();
        const auto n = static_cast<std::uint32_t>(set_.states_.size());
        valued_.resize(n);
        for (std::uint32_t id = n; id-- > 1;)
            if (set_.is_only_leaf(id) && !add_nodes(id)) return false;
        for (std::uint32_t id = n; id-- > 0;)
            if ((id == 0 || !set_.is_only_leaf(id)) && !add_nodes(id)) return false;
        out.root = static_cast<std::uint32_t>(out.nodes.size() - 1);
        return true;
    }

private:
    struct Valued {  // a node of the new graph
        double value;
        Cost min_cost;
        std::uint32_t node;
    };
    struct NewEdge {
        double value;
        Cost min_cost;
        GraphEdge edge;
    };

    bool is_leaf(std::uint32_t state) const { return graph_.nodes[set_.states_[state].node].leaf; }

    // The minimum value of the trees of each state, whatever they cost.
    void find_lowest() {
        lowest_.assign(set_.states_.size(), std::numeric_limits<double>::infinity());
        const auto lower = [&](std::uint32_t id) {
            if (is_leaf(id)) lowest_[id] = set_.leaf_value(id, prices_);
            const State& state = set_.states_[id];
            for (std::size_t b = state.branch_begin; b < state.branch_end; ++b)
                lowest_[id] =
                    std::min(lowest_[id], lowest_[set_.branches_[b].yes] + lowest_[set_.branches_[b].no]);
        };
        const auto n = static_cast<std::uint32_t>(set_.states_.size());
        for (std::uint32_t id = n; id-- > 0;)
            if (set_.is_only_leaf(id)) lower(id);
        for (std::uint32_t id = n; id-- > 0;)
            if (!set_.is_only_leaf(id)) lower(id);
    }

    // What the bound leaves for each state.
    void find_slack() {
        slack_.assign(set_.states_.size(), -std::numeric_limits<double>::infinity());
        slack_[0] = std::floor(bound_ * prices_.grid) / prices_.grid;  // sums are on the grid
        for (std::uint32_t id = 0; id < set_.states_.size(); ++id) {
            const State& state = set_.states_[id];
            for (std::size_t b = state.branch_begin; b < state.branch_end; ++b) {
                const auto& [edge, yes, no] = set_.branches_[b];
                slack_[yes] = std::max(slack_[yes], slack_[id] - lowest_[no]);
                slack_[no] = std::max(slack_[no], slack_[id] - lowest_[yes]);
            }
        }
    }

    bool is_within(std::uint32_t id, double value) const { return value <= slack_[id]; }

    bool add_nodes(std::uint32_t id) {
        if (limits_.stop()) return false;
        const State& state = set_.states_[id];
        const GraphNode& node = graph_.nodes[state.node];
        const Cost max_cost = std::max(node.budget, node.prefix.budget);
        std::vector<NewEdge> edges;
        for (std::size_t b = state.branch_begin; b < state.branch_end; ++b) {
            const auto& [e, yes, no] = set_.branches_[b];
            for (const Valued& a : valued_[yes])
                for (const Valued& c : valued_[no])
                    if (a.min_cost + c.min_cost <= max_cost && is_within(id, a.value + c.value))
                        edges.push_back({a.value + c.value,
                                         a.min_cost + c.min_cost,
                                         {graph_.edges[e].feature, a.node, c.node}});
            if (!limits_.has_room(edges.size() * sizeof(NewEdge))) limits_.out_of_memory();
            if (limits_.stop()) return false;
        }
        if (id == 0)  // one node for all values
            for (NewEdge& edge : edges) edge.value = bound_;
        std::stable_sort(edges.begin(), edges.end(),
                         [](const NewEdge& a, const NewEdge& b) { return a.value < b.value; });
        double leaf = std::numeric_limits<double>::quiet_NaN();
        if (node.leaf && graph_.within_budget(node, graph_.leaf_key(node)) &&
            is_within(id, set_.leaf_value(id, prices_)))
            leaf = id == 0 ? bound_ : set_.leaf_value(id, prices_);
        for (auto begin = edges.begin(); begin != edges.end();) {
            auto end = begin;
            while (end != edges.end() && end->value == begin->value) ++end;
            const double value = begin->value;
            add_node(id, value, value == leaf, begin, end);
            if (value == leaf) leaf = std::numeric_limits<double>::quiet_NaN();
            begin = end;
        }
        if (leaf == leaf || (id == 0 && edges.empty()))
            add_node(id, id == 0 ? bound_ : leaf, leaf == leaf, edges.end(), edges.end());
        return true;
    }

    using Place = std::vector<NewEdge>::const_iterator;
    void add_node(std::uint32_t id, double value, bool may_be_leaf, Place begin, Place end) {
        const std::uint32_t source = set_.states_[id].node;
        GraphNode node = graph_.nodes[source];
        node.leaf = may_be_leaf;
        node.edge_begin = out_->edges.size();
        Cost min_cost = may_be_leaf ? graph_.leaf_key(node).cost : kInfinite;
        for (Place edge = begin; edge != end; ++edge) {
            out_->edges.push_back(edge->edge);
            min_cost = std::min(min_cost, edge->min_cost);
        }
        node.edge_end = out_->edges.size();
        const std::size_t bytes = sizeof(GraphNode) + sizeof(Valued) + graph_.n_classes * sizeof(Count) +
                                  static_cast<std::size_t>(end - begin) * sizeof(GraphEdge);
        limits_.charge(bytes);
        charged_ += bytes;
        valued_[id].push_back({value, min_cost, static_cast<std::uint32_t>(out_->nodes.size())});
        graph_.copy_node(source, node, *out_);
    }

    const WalkedSet& set_;
    const Graph& graph_;
    const Prices& prices_;
    const double bound_;
    Limits& limits_;
    Graph* out_ = nullptr;
    std::vector<double> lowest_, slack_;       // by state
    std::vector<std::vector<Valued>> valued_;  // by state
    std::size_t charged_ = 0;
};

bool WalkedSet::at_most(const Prices& prices, double bound, Graph& out, Limits& limits) const {
    if (!is_complete_) return false;
    bool done = false;
    limits.completes([&] {
        Graph all;
        const Prices given = on_grid(prices);
        Product product(*this, given, bound, limits);
        done = product.build(all) && all.filtered(Filter{}, out, limits);
    });
    return done;
}

}  // namespace splitsecond
