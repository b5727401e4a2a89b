// A set of trees as a shared AND/OR graph.
//
// What:      a node stands for some trees on the rows that reach it: a leaf, or for each of its edges every
//            tree that asks the edge's feature and continues with a tree of either child, as long as the
//            whole stays within the node's budget. So a graph of thousands of nodes holds more trees than
//            could ever be listed, each of them once.
// Budgets:   a tree has a cost, and in sets made by RESPLIT also a prefix cost (resplit.hpp). A node holds the
//            trees with cost <= budget or prefix cost <= prefix.budget. The root's prefix.budget (RESPLIT) or
//            budget (all trees) is the bound of the set.
// Histogram: for every node, how many of its trees have a certain (cost, leaves, prefix cost).
// Trivial:   a split between two leaves that says no more than a leaf (Objective::is_trivial) is left out unless asked
//            for.
// Order:     trees are numbered by cost, then leaves, then prefix cost; then a leaf before splits, lower
//            features first, and so on down the tree: yes-child before no-child.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "losses/objective.hpp"
#include "runtime/limits.hpp"
#include "search/tree.hpp"
#include "sets/bignum.hpp"
#include "sets/resplit.hpp"

namespace splitsecond {

class PathCounter;
class WalkedSet;

struct Key {
    Cost cost;
    Cost leaves;
    Cost prefix;

    friend bool operator==(const Key&, const Key&) = default;
    friend bool operator<(const Key& a, const Key& b) {
        return a.cost != b.cost       ? a.cost < b.cost
               : a.leaves != b.leaves ? a.leaves < b.leaves
                                      : a.prefix < b.prefix;
    }
};

// Where a key is among keys in order, SIZE_MAX if it is not; `place` moves to the first that has its cost and leaves, or
// more, so that the next search may begin there.
inline std::size_t find_from(const std::vector<Key>& keys, const Key& key, std::size_t& place) {
    const auto is_before = [&](const Key& other) {
        return other.cost != key.cost ? other.cost < key.cost : other.leaves < key.leaves;
    };
    while (place < keys.size() && is_before(keys[place])) ++place;
    std::size_t found = place;
    while (found < keys.size() && keys[found] < key) ++found;
    return found < keys.size() && keys[found] == key ? found : SIZE_MAX;
}

struct GraphNode {
    std::uint32_t level = 0;  // splits above it; children are one level below
    bool leaf = false;        // whether it may be a leaf
    std::uint32_t label = 0;  // what the leaf predicts
    Cost loss = 0;            // of the leaf
    Cost weight = 0;          // of the rows here
    Cost budget = -1;
    Prefix prefix;
    std::size_t edge_begin = 0;
    std::size_t edge_end = 0;
};

// Weight of the rows that have these channels; of numbers, it is the first.
template <class WeightOf>
Cost weight_of_rows(const Objective& objective, std::size_t n_channels, const WeightOf& weight_of) {
    Cost weight = 0;
    for (std::size_t c = 0; c < (objective.is_of_numbers() ? 1 : n_channels); ++c) weight += weight_of(c);
    return weight;
}

struct GraphEdge {
    std::int32_t feature;
    std::uint32_t yes;
    std::uint32_t no;
};

// A tree of a graph, in preorder.
struct GraphTree : TreeShape {
    std::vector<std::uint32_t> node;  // of the graph, for its counts
};

struct Filter {
    std::vector<char> avoid;  // by feature: trees that never ask it; empty: any
    std::vector<char> uses;   // by feature: trees that ask at least one of these; empty: any
    std::vector<char> root;   // by feature: trees that ask one of these first; empty: any
    // By feature: 1 where yes is the side that may say positive, -1 where no is, 0: any. At such a split the other side
    // is a leaf that says negative, or that side is a leaf that says positive. Empty: any.
    std::vector<std::int8_t> rises;
    std::vector<char> positive;  // by label, where there are such features
    std::size_t max_depth = SIZE_MAX;
    Cost max_leaves = kInfinite;
    Cost min_weight = 0;  // of every leaf
    Cost min_rows = 0;    // of every leaf
    // Rows of any weight: all, then those on the yes-side of each edge. Leaves of the same weight share a node, though
    // their rows may differ. Empty: each row weighs 1.
    std::vector<Cost> yes_rows;
    Cost budget = kInfinite;  // of the root: lower it to keep the better trees
};

// The numbers that trees predict for a row.
struct Spread {
    double mean = 0;
    double minimum = std::numeric_limits<double>::infinity();
    double maximum = -std::numeric_limits<double>::infinity();

    void add(double value, double share);  // of all trees
    double variance() const;

private:
    double share_ = 0;
    double squares_ = 0;
};

struct Functions {
    std::size_t n_functions = 0;
    std::size_t n_trees = 0;  // that were looked at
};

class Graph {
public:
    Graph();
    Graph(Graph&&) noexcept;
    Graph& operator=(Graph&&) noexcept;
    ~Graph();

    Objective objective;
    bool keep_trivial = false;
    std::uint32_t root = 0;
    Cost max_leaves = kInfinite;
    std::size_t n_classes = 0;
    std::vector<GraphNode> nodes;
    std::vector<GraphEdge> edges;
    std::vector<Count> counts;  // n_classes for each node: the weight of each class there

    std::size_t bytes() const;  // of all that, without histograms
    // For parts that may come from anywhere, such as a file: works out label, loss and weight of every
    // node from `counts`; std::invalid_argument unless the whole is a graph that can be counted.
    void restore();

    // Computes all histograms; call it once the nodes and edges are there. False when stopped: then the
    // graph is of no use.
    bool count(Limits& limits);
    // The same for the better part of the set: with a bound lower by `less` than the nodes were made for. When
    // stopped, what was counted before stays.
    bool count_better(Cost less, Limits& limits);
    bool is_counted() const { return !nodes.empty() && histograms_.size() == nodes.size(); }

    std::size_t digits() const { return digits_; }
    std::vector<Digit> n_trees() const;
    // Keys of the root's trees with their counts.
    std::vector<std::pair<Key, std::vector<Digit>>> histogram() const;

    // Whether a tree is in the set; the graph need not be counted.
    bool holds(const TreeShape& tree) const { return find_tree(tree).has_value(); }
    // The number of a tree among all, as append_tree takes it; none if it is not in the set.
    std::optional<std::vector<Digit>> number_of(const TreeShape& tree);

    // Appends the tree with this number among all, best first, with children numbered from its own root; false
    // if there is none. Not from several threads at once: tables are made as they are needed.
    bool append_tree(const Digit* number, GraphTree& out);

    // The trees of this set that pass the filter, as another graph, counted. False when stopped.
    bool filtered(const Filter& filter, Graph& out, Limits& limits) const;
    // The same for the trees of one shape: those that ask about the variable shape.feature at each split, by whichever
    // feature. variable[f] is what feature f is about.
    bool of_shape(const TreeShape& shape, const std::vector<std::int32_t>& variable, Graph& out,
                  Limits& limits) const;

    std::size_t n_labels() const { return objective.n_labels(n_classes); }
    // votes[(row * n_labels() + l) * digits()]: trees that predict label l for a row of the packed columns:
    // bit i of columns[f][i / 64] says whether row i has feature f. False when stopped.
    bool vote(const std::vector<const std::uint64_t*>& columns, std::size_t n_rows, std::vector<Digit>& votes,
              Limits& limits) const;
    // The same where a leaf at a node predicts values[node], which is finite.
    bool vote_numbers(const std::vector<const std::uint64_t*>& columns, std::size_t n_rows,
                      const double* values, std::vector<Spread>& votes, Limits& limits) const;
    // How many different predictions the best trees make for rows of such columns. When stopped, of those until then.
    // `says` numbers what a leaf at each node predicts; empty: its label.
    Functions count_functions(const std::vector<const std::uint64_t*>& columns, std::size_t n_rows,
                              const std::vector<std::uint32_t>& says, std::size_t max_trees, Limits& limits);

private:
    enum class Counted { all, stopped, too_few_digits };
    struct Histogram {
        std::vector<Key> keys;       // increasing
        std::vector<Digit> numbers;  // digits_ for each key
    };
    Key leaf_key(const GraphNode& node) const;
    Key combine(const GraphNode& node, const Key& yes, const Key& no) const;
    bool within_budget(const GraphNode& node, const Key& key) const;
    bool is_trivial_split(const GraphEdge& edge, const Key& yes, const Key& no) const;
    std::size_t find(std::uint32_t node, const Key& key) const;
    // Where a tree is in the graph: its nodes, and the keys of its parts.
    struct Path {
        std::vector<std::uint32_t> node;
        std::vector<Key> key;
    };
    class Finder;
    std::optional<Path> find_tree(const TreeShape& tree) const;
    void start_part(Graph& out) const;
    void copy_node(std::uint32_t from, GraphNode node, Graph& out) const;
    void lower_budgets(Cost by);
    Counted fill_histograms(Limits& limits);
    Counted fill_histogram(std::uint32_t id, Limits& limits);
    bool sum_up(std::vector<Digit>& sum) const;
    std::vector<std::uint32_t> bottom_up() const;

    template <class OnLeaf>
    bool visit_leaves(const std::vector<const std::uint64_t*>& columns, std::size_t n_rows,
                      const OnLeaf& on_leaf, Limits& limits) const;

    class Numbering;
    template <class OnLeaf>
    class Voter;
    friend class PathCounter;
    friend class WalkedSet;

    Cost lowered_ = 0;        // what was taken off the budgets
    std::size_t digits_ = 1;  // words of a number
    std::vector<Histogram> histograms_;
    std::unique_ptr<Numbering> numbering_;  // once a tree was asked for
};

}  // namespace splitsecond
