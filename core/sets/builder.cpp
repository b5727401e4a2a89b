#include "sets/builder.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "sets/tree_graph.hpp"

namespace splitsecond {

SetBuilder::SetBuilder(Session& session, const SetOptions& options)
    : session_(session), problem_(session.problem), depth_(session.depth), stacks_(session.workers.count()) {
    graph_.objective = problem_.objective;
    graph_.n_classes = session.root.view().n_classes;
    graph_.keep_trivial = options.keep_trivial;
}

Graph SetBuilder::build(Cost bound, const Tree& reference) {
    const Node& root = session_.root;
    Side all;
    all.leaf = leaf_of(root.view(), root.counts.data(), root.view().ones());
    all.floor = split_floor(problem_, root.view(), root.counts.data());
    all.literals = root.literals;
    set_bound(bound, all);
    graph_.root = node_for(all, 0, {});
    try {
        for (std::size_t level = 0; level < depth_ && !waiting_.empty(); ++level) {
            const std::vector<std::uint32_t> now = std::exchange(waiting_, {});
            known_.clear();
            expand_all(now);
        }
    } catch (const LimitReached&) {
    }
    problem_.limits.release(charged_);
    set_bound(bound, graph_.nodes[graph_.root]);
    join_edges();
    if (problem_.limits.stopped() && reference.feature[0] >= 0 && !graph_.holds(reference)) {
        add_tree(reference);
        join_edges();
    }
    return std::move(graph_);
}

// ---- leaves ---------------------------------------------------------------------------------------

SetBuilder::Leaf SetBuilder::leaf_of(std::vector<Count> counts) const {
    const auto weight_of = [&](std::size_t c) { return counts[c]; };
    Leaf leaf;
    leaf.weight = weight_of_rows(problem_.objective, counts.size(), weight_of);
    leaf.label = problem_.objective.prediction(counts.size(), weight_of);
    leaf.loss = problem_.objective.leaf_loss(counts.size(), weight_of);
    leaf.counts = std::move(counts);
    return leaf;
}

// Of the rows that have a column.
SetBuilder::Leaf SetBuilder::leaf_of(const View& view, const Count* counts, std::size_t column) const {
    std::vector<Count> with(view.n_classes);
    for (std::size_t c = 0; c < view.n_classes; ++c) with[c] = counts[c * view.stride + column];
    return leaf_of(std::move(with));
}

// Of the rows of a leaf that are not in another.
SetBuilder::Leaf SetBuilder::rest_of(const Leaf& all, const Leaf& part) const {
    std::vector<Count> rest(all.counts);
    for (std::size_t c = 0; c < rest.size(); ++c) rest[c] -= part.counts[c];
    return leaf_of(std::move(rest));
}

// ---- nodes ----------------------------------------------------------------------------------------

std::uint32_t SetBuilder::add_node(const Leaf& leaf, std::size_t level) {
    GraphNode node;
    node.level = static_cast<std::uint32_t>(level);
    node.leaf = true;
    node.label = leaf.label;
    node.loss = leaf.loss;
    node.weight = leaf.weight;
    graph_.nodes.push_back(node);
    graph_.counts.insert(graph_.counts.end(), leaf.counts.begin(), leaf.counts.end());
    edges_.emplace_back();
    paths_.emplace_back();
    return static_cast<std::uint32_t>(graph_.nodes.size() - 1);
}

// A node that can only be a leaf: one for all that look alike.
std::uint32_t SetBuilder::leaf_node(const Leaf& leaf, std::size_t level) {
    const bool in_prefix = role_at(level) != Role::plain;
    const auto [place, is_new] = leaves_.try_emplace({leaf.counts, in_prefix}, 0);
    if (is_new) {
        place->second = add_node(leaf, level);
        GraphNode& node = graph_.nodes.back();
        node.budget = leaf_cost_of(node);
        if (in_prefix) node.prefix = {Role::horizon, node.budget, node.budget, node.budget};
    }
    return place->second;
}

std::uint32_t SetBuilder::node_for(const Side& side, std::size_t level, const Path& path) {
    if (level == depth_ || side.floor > std::max(side.budget, side.prefix_budget))
        return leaf_node(side.leaf, level);
    const auto [place, is_new] = known_.try_emplace(side.literals, 0);
    if (is_new) {
        place->second = add_node(side.leaf, level);
        graph_.nodes.back().prefix.role = role_at(level);
        paths_.back() = path;
        if (level + 1 < depth_ || level == 0) waiting_.push_back(place->second);
    }
    GraphNode& node = graph_.nodes[place->second];
    const bool more = side.budget > node.budget || side.prefix_budget > node.prefix.budget;
    node.budget = std::max(node.budget, side.budget);
    node.prefix.budget = std::max(node.prefix.budget, side.prefix_budget);
    if (more && level + 1 == depth_ && level > 0) add_stumps(place->second, side);
    return place->second;
}

// The last level needs no rows, only the counts that its parent has at hand.
void SetBuilder::add_stumps(std::uint32_t id, const Side& side) {
    set_fill(side.greedy, graph_.nodes[id]);
    const Cost budget = std::max(graph_.nodes[id].budget, graph_.nodes[id].prefix.budget);
    std::vector<GraphEdge> edges;
    for (const Side::Stump& stump : side.stumps) {
        if (problem_.cost(stump.yes.loss + stump.no.loss, 2) > budget) continue;
        const std::uint32_t yes = leaf_node(stump.yes, depth_);
        edges.push_back({stump.feature, yes, leaf_node(stump.no, depth_)});
    }
    edges_[id] = std::move(edges);
}

// Adds a tree as one more split of the root; below it, its nodes stay its own.
void SetBuilder::add_tree(const Tree& tree) {
    const Graph alone = graph_of(tree, problem_.objective);
    std::vector<Cost> cost(tree.size());
    for (std::size_t i = tree.size(); i-- > 0;)
        cost[i] = tree.feature[i] < 0 ? leaf_cost_of(alone.nodes[i])
                                      : cost[static_cast<std::size_t>(tree.left[i])] +
                                            cost[static_cast<std::size_t>(tree.right[i])];
    const std::size_t first = graph_.nodes.size();
    const bool in_prefix = graph_.nodes[graph_.root].prefix.role != Role::plain;
    for (std::size_t i = 1; i < tree.size(); ++i) {
        GraphNode node = alone.nodes[i];
        // The tree is its own prefix, completed by greedy.
        if (in_prefix) node.prefix = {Role::horizon, node.budget, cost[i], node.budget};
        graph_.nodes.push_back(node);
        graph_.counts.insert(graph_.counts.end(), tree.counts_of(i), tree.counts_of(i) + tree.n_classes);
        edges_.emplace_back();
    }
    const auto id_of = [&](std::int32_t i) {  // of a node but the root
        return static_cast<std::uint32_t>(first + static_cast<std::size_t>(i) - 1);
    };
    for (std::size_t i = 0; i < tree.size(); ++i)
        if (tree.feature[i] >= 0)
            edges_[i == 0 ? graph_.root : id_of(static_cast<std::int32_t>(i))].push_back(
                {tree.feature[i], id_of(tree.left[i]), id_of(tree.right[i])});
}

void SetBuilder::join_edges() {
    graph_.edges.clear();
    for (std::size_t id = 0; id < graph_.nodes.size(); ++id) {
        graph_.nodes[id].edge_begin = graph_.edges.size();
        graph_.edges.insert(graph_.edges.end(), edges_[id].begin(), edges_[id].end());
        graph_.nodes[id].edge_end = graph_.edges.size();
    }
}

// ---- expanding nodes ------------------------------------------------------------------------------

void SetBuilder::expand_all(const std::vector<std::uint32_t>& ids) {
    constexpr std::size_t kBatch = 256;
    for (std::size_t begin = 0; begin < ids.size(); begin += kBatch) {
        const std::size_t n = std::min(kBatch, ids.size() - begin);
        std::vector<std::vector<Split>> found(n);
        const bool share_nodes = n >= 2 * session_.workers.count();
        if (share_nodes)
            session_.workers.run(n, [&](std::size_t i, std::size_t worker) {
                found[i] = expand(ids[begin + i], worker, false);
            });
        for (std::size_t i = 0; i < n; ++i) {
            if (!share_nodes) found[i] = expand(ids[begin + i], 0, true);
            link(ids[begin + i], found[i]);
        }
    }
}

// Finds the splits of a node that are kept; changes nothing but the node's own budget and fill.
std::vector<SetBuilder::Split> SetBuilder::expand(std::uint32_t id, std::size_t worker, bool share) {
    std::vector<Split> splits;
    GraphNode& node = graph_.nodes[id];
    const std::size_t levels = levels_left(node);
    problem_.limits.completes([&] {
        if (problem_.limits.stop()) return;
        Node& rows = rows_of(worker, paths_[id]);
        if (levels > 1 && !session_.search.count_pairs(worker, rows)) return;
        if (wants_greedy(node)) {
            const Cost greedy = greedy_cost(worker, rows, levels);
            if (problem_.limits.stopped()) return;  // it is only as far as it had come
            set_fill(greedy, node);
        }
        splits.resize(rows.view().n_features);
        const auto try_next = [&](std::size_t f, std::size_t w) {
            const auto work = [&] { try_split(w, rows, node, f, splits[f]); };
            if (!problem_.limits.completes(work)) splits[f].feature = -1;
        };
        if (share)
            session_.workers.run(splits.size(), try_next);
        else
            for (std::size_t f = 0; f < splits.size(); ++f) try_next(f, worker);
    });
    return splits;
}

void SetBuilder::try_split(std::size_t worker, const Node& rows, const GraphNode& node, std::size_t f,
                           Split& out) {
    if (problem_.limits.stop()) return;
    if (!Admissible(problem_, rows.view(), rows.counts.data())(f)) return;
    OpenSplit& split = session_.search.split(worker);
    split.open(rows, f);
    Cost best[2];
    const bool keeps = values(worker, split, node, levels_left(node) - 1, node.budget, best);
    if (keeps)
        for (int side = 0; side < 2; ++side) out.side[side].budget = node.budget - best[1 - side];
    if (!keeps_prefix(worker, split, node, out) && !keeps) return;
    out.feature = static_cast<std::int32_t>(rows.view().features[f]);
    for (int side = 0; side < 2; ++side) describe(worker, split, node.level + 1, side, out.side[side]);
}

// Copies what is known of a child out of scratch memory.
void SetBuilder::describe(std::size_t worker, OpenSplit& split, std::size_t level, int side, Side& out) {
    const View& view = split.view();
    const Count* counts = split.counts(side);
    out.leaf = leaf_of(view, counts, view.ones());
    out.floor = split.split_floor(side);
    out.literals = split.literals(side);
    if (level + 1 != depth_) return;
    // Where a prefix may end, greedy trees may raise the budget of the node.
    const bool in_prefix = role_at(level) != Role::plain;
    const Cost budget = in_prefix ? kInfinite : out.budget;
    StumpScan& scan = session_.search.scratch(worker).scan;
    scan.run_leaves(problem_, view, counts);
    const Admissible admissible(problem_, view, counts);
    for (std::size_t j = 0; j < view.n_features; ++j) {
        if (problem_.cost(scan.leaf_yes[j] + scan.leaf_no[j], 2) > budget || !admissible(j)) continue;
        const Leaf yes = leaf_of(view, counts, j);
        out.stumps.push_back({static_cast<std::int32_t>(view.features[j]), yes, rest_of(out.leaf, yes)});
    }
    if (in_prefix) out.greedy = greedy_cost(worker, view, counts, out.leaf);
}

// Rounding may have a trivial split save more than its leaf costs (losses/rounded.hpp). Sets have none, so that
// their trees would all cost more than greedy.
bool SetBuilder::may_be_trivial() const {
    const auto saved = static_cast<Cost>(std::ceil(3 * problem_.objective.parameters.leaf_rounding));
    return !graph_.keep_trivial && !problem_.objective.is_exact() &&
           problem_.cost(saved, 0) > problem_.cost(0, 1);
}

Cost SetBuilder::greedy_cost(std::size_t worker, const Node& rows, std::size_t levels) const {
    Greedy& greedy = session_.search.greedy(worker);
    const View& view = rows.view();
    const Cost value = greedy.value(view, nullptr, rows.counts.data(), levels, kInfinite);
    if (!may_be_trivial()) return value;
    Tree tree(view.n_classes);
    greedy.build(view, nullptr, rows.counts.data(), levels, tree);
    if (problem_.limits.stopped()) return value;
    const Tree rest = without_trivial_splits(tree, problem_.objective);
    return std::max(value, rest.cost(problem_.objective));
}

// Of one level, from counts alone.
Cost SetBuilder::greedy_cost(std::size_t worker, const View& view, const Count* counts,
                             const Leaf& all) const {
    Greedy& greedy = session_.search.greedy(worker);
    const Cost value = greedy.value(view, nullptr, counts, 1, kInfinite);
    if (!may_be_trivial()) return value;
    const std::ptrdiff_t f = greedy.choose(view, counts, 1);
    if (f < 0) return value;
    const Leaf yes = leaf_of(view, counts, static_cast<std::size_t>(f)), no = rest_of(all, yes);
    const bool is_trivial = problem_.objective.is_trivial(view.n_classes, yes.counts.data(), no.counts.data(),
                                                          yes.label, no.label);
    return is_trivial ? std::max(value, problem_.cost(all.loss, 1)) : value;
}

void SetBuilder::link(std::uint32_t id, const std::vector<Split>& splits) {
    const std::size_t level = graph_.nodes[id].level + 1;
    const std::size_t before = graph_.nodes.size();
    for (const Split& split : splits) {
        if (split.feature < 0) continue;
        std::uint32_t child[2];
        for (int side = 0; side < 2; ++side) {
            Path path = paths_[id];
            path.emplace_back(split.feature, side == 0);
            child[side] = node_for(split.side[side], level, path);
        }
        edges_[id].push_back({split.feature, child[0], child[1]});
    }
    paths_[id] = {};
    const std::size_t per_node = sizeof(GraphNode) + 2 * sizeof(Path) + 8 * depth_ +
                                 session_.root.literals.size() * sizeof(Word) + 4 * sizeof(GraphEdge);
    charge((graph_.nodes.size() - before) * per_node + edges_[id].size() * sizeof(GraphEdge));
}

void SetBuilder::charge(std::size_t bytes) {
    problem_.limits.charge(bytes);
    charged_ += bytes;
}

// The rows of a node. Nodes that are expanded one after the other share most of their path.
Node& SetBuilder::rows_of(std::size_t worker, const Path& path) {
    Stack& stack = stacks_[worker];
    std::size_t shared = 0;
    while (shared < path.size() && shared < stack.path.size() && path[shared] == stack.path[shared]) ++shared;
    stack.path.resize(shared);
    while (stack.nodes.size() < path.size()) stack.nodes.push_back(std::make_unique<Node>(problem_.limits));
    for (std::size_t i = shared; i < path.size(); ++i) {
        const Node& above = i == 0 ? session_.root : *stack.nodes[i - 1];
        OpenSplit& split = session_.search.split(worker);
        split.open_on(above, path[i].first);
        split.take(path[i].second ? 0 : 1, *stack.nodes[i]);
        stack.path.push_back(path[i]);
    }
    return path.empty() ? session_.root : *stack.nodes[path.size() - 1];
}

}  // namespace splitsecond
