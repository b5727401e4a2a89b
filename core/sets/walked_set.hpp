// A set of trees walked with rows: what any additive criterion over all its trees is worked out from.
//
// What:      a criterion is additive when a tree's value is a sum over its leaves of what the rows in the leaf cost given
//            what the leaf says: error, cost, false positives of a group, a difference of two groups' rates. `frontier`
//            finds the trees that no other tree beats in both training cost and value, `mean` the mean over all trees,
//            `at_most` the set of those within a bound; none of them lists trees.
// States:    two paths may lead the same training rows to one node of the graph but different measured rows. So the walk
//            is over (node, rows): a *state*. Nodes that are only leaves need no rows, just the weights of the channels.
// Exact:     values are doubles; those of leaves are rounded to a grid on which all sums are exact, so that equal sums
//            are equal however they were added up. Integers below 2^52 stay as they are.
// Limits:    states that a limit kept from being walked count as cheap as their training cost and `least` allow: the
//            frontier is then a bound, without trees.
#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <vector>

#include "runtime/limits.hpp"
#include "sets/graph.hpp"
#include "sets/measured_rows.hpp"

namespace splitsecond {

// What weight 1 of each channel costs in a leaf, by the leaf's label or by its node.
struct Prices {
    const double* values;  // n_channels for each label or node
    bool by_node;
    const double* least;  // n_channels: no price of the channel is lower
    double grid = 0;      // for WalkedSet: 1 / the grid of values
};

// Trees that no other tree beats in both; training costs increase, values decrease.
struct Frontier {
    std::vector<Cost> costs;
    std::vector<Cost> leaves;
    std::vector<double> values;
    GraphTree trees;  // one after the other
    std::vector<std::int64_t> ends;
    bool is_exact = true;  // otherwise values are lower bounds, and there are no trees
};

class WalkedSet {
public:
    // What both refer to must stay. ranks: for rows with numbers, by node of the graph, which rows are below what a leaf
    // there says (MeasuredRows::weigh); null for others.
    WalkedSet(const Graph& graph, const MeasuredRows& rows, Limits& limits,
              const std::int32_t* ranks = nullptr);

    bool is_complete() const { return is_complete_; }
    std::size_t n_states() const { return states_.size(); }
    std::vector<std::int64_t> totals() const { return {weights_.begin(), weights_.begin() + n_channels_}; }

    Frontier frontier(const Prices& prices, Limits& limits) const;
    // Mean over all trees; empty when stopped, the walk was not complete, or there is no tree, or 2^1000.
    std::optional<double> mean(const Prices& prices, Limits& limits);
    // The trees whose value is at most `bound`; false when stopped.
    bool at_most(const Prices& prices, double bound, Graph& out, Limits& limits) const;

private:
    struct State {
        std::uint32_t node;
        bool is_walked = false;
        std::size_t branch_begin = 0;
        std::size_t branch_end = 0;
    };
    struct Branch {  // an edge of the node
        std::size_t edge;
        std::uint32_t yes;  // states
        std::uint32_t no;
    };
    class Walk;
    class Fronts;
    class LeafShares;
    class Product;

    bool is_only_leaf(std::uint32_t state) const {
        const GraphNode& node = graph_.nodes[states_[state].node];
        return node.edge_begin == node.edge_end;
    }
    std::uint32_t add_state(std::uint32_t node, const std::vector<std::int64_t>& weights);
    Prices on_grid(Prices prices) const;
    double value(std::uint32_t state, const double* prices) const;
    double leaf_value(std::uint32_t state, const Prices& prices) const;

    const Graph& graph_;
    const std::ptrdiff_t n_channels_;
    const std::ptrdiff_t n_of_all_rows_;  // the first channels; the others are of rows below what a leaf says
    std::vector<State>
        states_;  // the root is first; below it, states that are no mere leaves come after their parents
    std::vector<Branch> branches_;
    std::vector<std::int64_t> weights_;  // n_channels for each state
    bool is_complete_ = false;
    std::mutex mutex_;  // of what follows, since threads may ask at once
    std::vector<double>
        leaf_shares_;  // by state: the share of trees that have a leaf there; empty: not known yet
};

}  // namespace splitsecond
