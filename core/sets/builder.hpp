// Builds the graph of a set (graph.hpp). What belongs to the set is decided by its kind: all trees within a bound
// (exact_set.cpp), or RESPLIT's (resplit.cpp).
//
// How:       level by level from the root, so that the largest budget a node is ever asked for is known
//            before the node is expanded, and every node is expanded once. A split is kept when the best
//            trees of its children fit the budget together (recursion.hpp finds those); each child is then asked
//            for whatever the best tree of its sibling leaves. So every node and edge is part of some tree of
//            the set. Rows are not kept: a node's are gathered again along its path.
// Stopped:   nodes that were not expanded stay leaves: the set is then smaller, but every tree in it is one.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "search/session.hpp"
#include "sets/graph.hpp"
#include "sets/set_options.hpp"

namespace splitsecond {

class SetBuilder {
public:
    SetBuilder(Session& session, const SetOptions& options);
    virtual ~SetBuilder() = default;

    // All trees within the bound. When stopped, some of them; the reference, the best tree known, is among those.
    Graph build(Cost bound, const Tree& reference);

protected:
    struct Leaf {
        Cost loss = 0;
        Cost weight = 0;
        std::uint32_t label = 0;
        std::vector<Count> counts;  // of each class
    };

    // One side of a split that is kept.
    struct Side {
        Leaf leaf;
        Cost floor = 0;    // of any split of it
        Cost budget = -1;  // what it may cost; negative: it is not asked for that
        Cost prefix_budget = -1;
        std::vector<Word> literals;

        // With one level left, counts say all there is to know.
        struct Stump {
            std::int32_t feature;
            Leaf yes, no;
        };
        std::vector<Stump> stumps;
        Cost greedy = kInfinite;  // of the greedy tree
    };

    struct Split {
        std::int32_t feature = -1;  // -1: not kept
        Side side[2];
    };

    // What the kind of the set decides. The bound of the set, before the root is expanded and after all nodes are:
    virtual void set_bound(Cost bound, Side& root) const = 0;
    virtual void set_bound(Cost bound, GraphNode& root) const = 0;
    // Where prefixes go on, end, or are no more (RESPLIT):
    virtual Role role_at(std::size_t /*level*/) const { return Role::plain; }
    // whether a split is kept for its prefixes, with their budgets below it,
    virtual bool keeps_prefix(std::size_t /*worker*/, OpenSplit& /*split*/, const GraphNode& /*node*/,
                              Split& /*out*/) const {
        return false;
    }
    // and whether a prefix may end at a node, so that trees there may cost as much as greedy.
    virtual bool wants_greedy(const GraphNode& /*node*/) const { return false; }
    virtual void set_fill(Cost /*greedy*/, GraphNode& /*node*/) const {}

    // V of both children of a split of `node`; true when together they are within the budget.
    bool values(std::size_t worker, OpenSplit& split, const GraphNode& node, std::size_t lookahead,
                Cost budget, Cost (&best)[2]) const {
        return session_.search.values(worker, split, levels_left(node) - 1, lookahead, budget, best);
    }
    Cost leaf_cost_of(const GraphNode& node) const { return problem_.cost(node.loss, 1); }

private:
    using Path = std::vector<std::pair<std::int32_t, bool>>;

    std::size_t levels_left(const GraphNode& node) const { return depth_ - node.level; }
    bool may_be_trivial() const;
    Cost greedy_cost(std::size_t worker, const Node& rows, std::size_t levels) const;
    Cost greedy_cost(std::size_t worker, const View& view, const Count* counts, const Leaf& all) const;

    // Leaves.
    Leaf leaf_of(std::vector<Count> counts) const;
    Leaf leaf_of(const View& view, const Count* counts, std::size_t column) const;
    Leaf rest_of(const Leaf& all, const Leaf& part) const;

    // Nodes.
    std::uint32_t add_node(const Leaf& leaf, std::size_t level);
    std::uint32_t leaf_node(const Leaf& leaf, std::size_t level);
    std::uint32_t node_for(const Side& side, std::size_t level, const Path& path);
    void add_stumps(std::uint32_t id, const Side& side);
    void add_tree(const Tree& tree);
    void join_edges();

    // Expanding nodes.
    void expand_all(const std::vector<std::uint32_t>& ids);
    std::vector<Split> expand(std::uint32_t id, std::size_t worker, bool share);
    void try_split(std::size_t worker, const Node& rows, const GraphNode& node, std::size_t f, Split& out);
    void describe(std::size_t worker, OpenSplit& split, std::size_t level, int side, Side& out);
    void link(std::uint32_t id, const std::vector<Split>& splits);
    Node& rows_of(std::size_t worker, const Path& path);
    void charge(std::size_t bytes);

    struct Stack {  // the nodes along a path
        Path path;
        std::vector<std::unique_ptr<Node>> nodes;
    };

    Session& session_;
    const Problem& problem_;
    const std::size_t depth_;
    Graph graph_;
    std::vector<std::vector<GraphEdge>> edges_;         // of each node
    std::vector<Path> paths_;                           // to nodes that wait
    std::vector<std::uint32_t> waiting_;                // nodes of the next level
    std::map<std::vector<Word>, std::uint32_t> known_;  // nodes of the next level, by their literals
    std::map<std::pair<std::vector<Count>, bool>, std::uint32_t> leaves_;
    std::vector<Stack> stacks_;  // of each thread
    std::size_t charged_ = 0;
};

}  // namespace splitsecond
