#include "rashomon.hpp"

#include <algorithm>
#include <atomic>
#include <cassert>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "cluster.hpp"
#include "grower.hpp"
#include "search.hpp"
#include "workers.hpp"

namespace splitsecond {
namespace {

// Of the time that is left when the reference tree is known, what goes to looking for the other trees.
constexpr double kBuildingShare = 0.7;

struct Leaf {
    Cost errors = 0;
    Cost weight = 0;
    std::uint32_t label = 0;
    std::vector<Count> counts;  // of each class
};

Leaf leaf_of(std::vector<Count> counts) {
    Leaf leaf;
    for (std::size_t c = 0; c < counts.size(); ++c) {
        leaf.weight += counts[c];
        if (counts[c] > counts[leaf.label]) leaf.label = static_cast<std::uint32_t>(c);
    }
    leaf.errors = leaf.weight - counts[leaf.label];
    leaf.counts = std::move(counts);
    return leaf;
}

// Of the rows that have a column.
Leaf leaf_of(const View& view, const Count* counts, std::size_t column) {
    std::vector<Count> with(view.n_classes);
    for (std::size_t c = 0; c < view.n_classes; ++c) with[c] = counts[c * view.stride + column];
    return leaf_of(std::move(with));
}

// Of the rows of a leaf that are not in another.
Leaf rest_of(const Leaf& all, const Leaf& part) {
    std::vector<Count> rest(all.counts);
    for (std::size_t c = 0; c < rest.size(); ++c) rest[c] -= part.counts[c];
    return leaf_of(std::move(rest));
}

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

class Builder {
public:
    Builder(const Problem& problem, const RashomonOptions& options, Search& search, Workers& threads,
            Node& root, std::size_t depth)
        : problem_(problem),
          options_(options),
          search_(search),
          threads_(threads),
          root_(root),
          depth_(depth) {
        for (std::size_t w = 0; w < threads.count(); ++w) stacks_.emplace_back();
    }

    Graph build(Cost bound) {
        graph_.price = problem_.price;
        graph_.n_classes = root_.view().n_classes;
        graph_.keep_trivial = options_.keep_trivial;
        Side all;
        all.leaf = leaf_of(root_.view(), root_.counts.data(), root_.view().ones());
        all.floor = split_floor(problem_, root_.view(), root_.counts.data());
        all.literals = root_.literals;
        (options_.lookahead ? all.prefix_budget : all.budget) = bound;
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
        GraphNode& top = graph_.nodes[graph_.root];
        top.budget = options_.lookahead ? -1 : std::min(top.budget, bound);  // prefix cost alone decides
        top.prefix_budget = std::min(top.prefix_budget, bound);
        join_edges();
        return std::move(graph_);
    }

private:
    using Path = std::vector<std::pair<std::int32_t, bool>>;

    std::size_t levels_left(const GraphNode& node) const { return depth_ - node.level; }

    Role role_at(std::size_t level) const {
        if (!options_.lookahead || level > *options_.lookahead) return Role::plain;
        return level < *options_.lookahead ? Role::prefix : Role::horizon;
    }

    // ---- nodes --------------------------------------------------------------------------------------

    std::uint32_t add_node(const Leaf& leaf, std::size_t level) {
        GraphNode node;
        node.level = static_cast<std::uint32_t>(level);
        node.leaf = true;
        node.label = leaf.label;
        node.errors = leaf.errors;
        node.weight = leaf.weight;
        graph_.nodes.push_back(node);
        graph_.counts.insert(graph_.counts.end(), leaf.counts.begin(), leaf.counts.end());
        edges_.emplace_back();
        paths_.emplace_back();
        return static_cast<std::uint32_t>(graph_.nodes.size() - 1);
    }

    // A node that can only be a leaf: one for all that look alike.
    std::uint32_t leaf_node(const Leaf& leaf, std::size_t level) {
        const bool prefix = role_at(level) != Role::plain;
        const auto [place, is_new] = leaves_.try_emplace({leaf.counts, prefix}, 0);
        if (is_new) {
            place->second = add_node(leaf, level);
            GraphNode& node = graph_.nodes.back();
            node.budget = problem_.price.of(leaf.errors, 1);
            if (prefix) {  // greedy does nothing else here
                node.role = Role::horizon;
                node.stop = node.fill = node.prefix_budget = node.budget;
            }
        }
        return place->second;
    }

    std::uint32_t node_for(const Side& side, std::size_t level, const Path& path) {
        if (level == depth_ || side.floor > std::max(side.budget, side.prefix_budget))
            return leaf_node(side.leaf, level);
        const auto [place, is_new] = known_.try_emplace(side.literals, 0);
        if (is_new) {
            place->second = add_node(side.leaf, level);
            graph_.nodes.back().role = role_at(level);
            paths_.back() = path;
            if (level + 1 < depth_ || level == 0) waiting_.push_back(place->second);
        }
        GraphNode& node = graph_.nodes[place->second];
        const bool more = side.budget > node.budget || side.prefix_budget > node.prefix_budget;
        node.budget = std::max(node.budget, side.budget);
        node.prefix_budget = std::max(node.prefix_budget, side.prefix_budget);
        if (more && level + 1 == depth_ && level > 0) add_stumps(place->second, side);
        return place->second;
    }

    // The last level needs no rows, only the counts that its parent has at hand.
    void add_stumps(std::uint32_t id, const Side& side) {
        set_fill(graph_.nodes[id], side.greedy);
        const Cost most = std::max(graph_.nodes[id].budget, graph_.nodes[id].prefix_budget);
        std::vector<GraphEdge> edges;
        for (const Side::Stump& stump : side.stumps) {
            if (problem_.price.of(stump.yes.errors + stump.no.errors, 2) > most) continue;
            const std::uint32_t yes = leaf_node(stump.yes, depth_);
            edges.push_back({stump.feature, yes, leaf_node(stump.no, depth_)});
        }
        edges_[id] = std::move(edges);
    }

    // What trees here may cost to grow out of a prefix that ends here, and what that prefix costs here.
    void set_fill(GraphNode& node, Cost greedy) const {
        const Cost leaf = problem_.price.of(node.errors, 1);
        node.stop = node.role == Role::prefix ? leaf : greedy;
        if (node.role == Role::plain || node.stop > node.prefix_budget) return;
        node.fill = greedy;
        node.budget = std::max(node.budget, greedy);
    }

    // ---- looking at nodes ---------------------------------------------------------------------------

    void expand_all(const std::vector<std::uint32_t>& ids) {
        constexpr std::size_t kBatch = 256;
        for (std::size_t begin = 0; begin < ids.size(); begin += kBatch) {
            const std::size_t n = std::min(kBatch, ids.size() - begin);
            std::vector<std::vector<Split>> found(n);
            const bool share_nodes = n >= 2 * threads_.count();
            if (share_nodes)
                threads_.run(n, [&](std::size_t i, std::size_t worker) {
                    found[i] = expand(ids[begin + i], worker, false);
                });
            for (std::size_t i = 0; i < n; ++i) {
                if (!share_nodes) found[i] = expand(ids[begin + i], 0, true);
                link(ids[begin + i], found[i]);
            }
        }
    }

    // Finds the splits of a node that are kept; changes nothing but the node's own budget and fill.
    std::vector<Split> expand(std::uint32_t id, std::size_t worker, bool share) {
        std::vector<Split> splits;
        GraphNode& node = graph_.nodes[id];
        const std::size_t levels = levels_left(node);
        problem_.limits.completes([&] {
            if (problem_.limits.stop()) return;
            Node& rows = rows_of(worker, paths_[id]);
            if (levels > 1 && !search_.count_pairs(worker, rows)) return;
            if (node.role != Role::plain && node.prefix_budget >= 0)
                set_fill(node, search_.greedy(worker).value(rows.view(), nullptr, rows.counts.data(), levels,
                                                            kInfinite));
            splits.resize(rows.view().n_features);
            const auto look_at = [&](std::size_t f, std::size_t w) {
                const auto work = [&] { look(w, rows, node, f, splits[f]); };
                if (!problem_.limits.completes(work)) splits[f].feature = -1;
            };
            if (share)
                threads_.run(splits.size(), look_at);
            else
                for (std::size_t f = 0; f < splits.size(); ++f) look_at(f, worker);
        });
        return splits;
    }

    void look(std::size_t worker, const Node& rows, const GraphNode& node, std::size_t f, Split& split) {
        if (problem_.limits.stop()) return;
        const Cost all = weight_at(rows.view(), rows.counts.data(), rows.view().ones());
        const Cost with = weight_at(rows.view(), rows.counts.data(), f);
        if (with == 0 || with == all) return;
        const std::size_t levels = levels_left(node);
        Cost best[2];
        bool kept = false;
        if (search_.sides(worker, rows, f, levels, levels - 1, node.budget, best)) {
            kept = true;
            for (int side = 0; side < 2; ++side) split.side[side].budget = node.budget - best[1 - side];
        }
        if (node.role == Role::prefix && node.prefix_budget >= 0) {
            const std::size_t lookahead = *options_.lookahead - node.level - 1;
            if (search_.sides(worker, rows, f, levels, lookahead, node.prefix_budget, best)) {
                kept = true;
                for (int side = 0; side < 2; ++side)
                    split.side[side].prefix_budget = node.prefix_budget - best[1 - side];
            }
        }
        if (!kept) return;
        split.feature = static_cast<std::int32_t>(rows.view().features[f]);
        for (int side = 0; side < 2; ++side) read(worker, rows, node.level + 1, side, split.side[side]);
    }

    // Takes down what the search has at hand about a child.
    void read(std::size_t worker, const Node& rows, std::size_t level, int side, Side& out) {
        const Child& child = search_.child(worker, rows, side);
        const View& view = rows.view();
        const Count* counts = child.counts.data();
        out.leaf = leaf_of(view, counts, view.ones());
        out.floor = split_floor(problem_, view, counts);
        out.literals = child.literals;
        if (level + 1 != depth_) return;
        // Where a prefix may end, greedy trees may raise the budget of the node.
        const Cost most = role_at(level) == Role::plain ? out.budget : kInfinite;
        for (std::size_t j = 0; j < view.n_features; ++j) {
            const Cost weight = weight_at(view, counts, j);
            if (weight == 0 || weight == out.leaf.weight) continue;
            const LeafErrors errors = leaf_errors(view, counts, j);
            if (problem_.price.of(errors.yes + errors.no, 2) > most) continue;
            const Leaf yes = leaf_of(view, counts, j);
            out.stumps.push_back({static_cast<std::int32_t>(view.features[j]), yes, rest_of(out.leaf, yes)});
        }
        if (role_at(level) != Role::plain)
            out.greedy = search_.greedy(worker).value(view, nullptr, counts, 1, kInfinite);
    }

    void link(std::uint32_t id, const std::vector<Split>& splits) {
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
                                     root_.literals.size() * sizeof(Word) + 4 * sizeof(GraphEdge);
        charge((graph_.nodes.size() - before) * per_node + edges_[id].size() * sizeof(GraphEdge));
    }

    void charge(std::size_t bytes) {
        problem_.limits.charge(bytes);
        charged_ += bytes;
    }

    // The rows of a node. Nodes that are looked at one after the other share most of their path.
    Node& rows_of(std::size_t worker, const Path& path) {
        Stack& stack = stacks_[worker];
        std::size_t shared = 0;
        while (shared < path.size() && shared < stack.path.size() && path[shared] == stack.path[shared])
            ++shared;
        stack.path.resize(shared);
        while (stack.nodes.size() < path.size())
            stack.nodes.push_back(std::make_unique<Node>(problem_.limits));
        for (std::size_t i = shared; i < path.size(); ++i) {
            const Node& above = i == 0 ? root_ : *stack.nodes[i - 1];
            search_.take(worker, above, path[i].first, path[i].second, *stack.nodes[i]);
            stack.path.push_back(path[i]);
        }
        return path.empty() ? root_ : *stack.nodes[path.size() - 1];
    }

    void join_edges() {
        for (std::size_t id = 0; id < graph_.nodes.size(); ++id) {
            graph_.nodes[id].edge_begin = graph_.edges.size();
            graph_.edges.insert(graph_.edges.end(), edges_[id].begin(), edges_[id].end());
            graph_.nodes[id].edge_end = graph_.edges.size();
        }
    }

    struct Stack {
        Path path;
        std::vector<std::unique_ptr<Node>> nodes;
    };

    const Problem& problem_;
    const RashomonOptions& options_;
    Search& search_;
    Workers& threads_;
    Node& root_;
    const std::size_t depth_;
    Graph graph_;
    std::vector<std::vector<GraphEdge>> edges_;         // of each node
    std::vector<Path> paths_;                           // to nodes that wait
    std::vector<std::uint32_t> waiting_;                // nodes of the next level
    std::map<std::vector<Word>, std::uint32_t> known_;  // nodes of the next level, by their literals
    std::map<std::pair<std::vector<Count>, bool>, std::uint32_t> leaves_;
    std::vector<Stack> stacks_;
    std::size_t charged_ = 0;
};

// A set of one tree, for when there is no time or room for more.
Graph graph_of(const Tree& tree, const Price& price) {
    Graph graph;
    graph.price = price;
    graph.n_classes = tree.n_classes;
    graph.keep_trivial = true;
    std::vector<std::uint32_t> level(tree.size(), 0);
    for (std::size_t i = 0; i < tree.size(); ++i) {
        const Count* counts = tree.counts.data() + i * tree.n_classes;
        const Leaf leaf = leaf_of({counts, counts + tree.n_classes});
        GraphNode node;
        node.level = level[i];
        node.leaf = tree.feature[i] < 0;
        node.label = leaf.label;
        node.errors = leaf.errors;
        node.weight = leaf.weight;
        node.budget = kInfinite / 2;
        graph.counts.insert(graph.counts.end(), leaf.counts.begin(), leaf.counts.end());
        node.edge_begin = graph.edges.size();
        if (!node.leaf) {
            const auto yes = static_cast<std::uint32_t>(tree.left[i]);
            const auto no = static_cast<std::uint32_t>(tree.right[i]);
            level[yes] = level[no] = level[i] + 1;
            graph.edges.push_back({tree.feature[i], yes, no});
        }
        node.edge_end = graph.edges.size();
        graph.nodes.push_back(node);
    }
    return graph;
}

// Makes sure that a part of a set holds the reference tree, which belongs to it and is the best known.
void add_reference(const Tree& tree, Graph& graph) {
    if (tree.feature[0] < 0 || graph.holds({tree.feature, tree.left, tree.right, {}})) return;
    const Graph alone = graph_of(tree, graph.price);  // below the root its nodes stay its own
    std::vector<Cost> cost(tree.size());
    for (std::size_t i = tree.size(); i-- > 0;) {
        const GraphNode& node = alone.nodes[i];
        cost[i] = node.leaf ? graph.price.of(node.errors, 1)
                            : cost[static_cast<std::size_t>(tree.left[i])] +
                                  cost[static_cast<std::size_t>(tree.right[i])];
    }
    const auto id_of = [first = graph.nodes.size() - 1](std::int32_t i) {
        return static_cast<std::uint32_t>(first + static_cast<std::size_t>(i));
    };
    for (std::size_t i = 0; i < tree.size(); ++i) {
        GraphNode node = alone.nodes[i];
        const GraphNode& top = graph.nodes[graph.root];
        node.edge_begin = i == 0 ? top.edge_end : graph.edges.size();
        if (!node.leaf)
            graph.edges.insert(graph.edges.begin() + static_cast<std::ptrdiff_t>(node.edge_begin),
                               {tree.feature[i], id_of(tree.left[i]), id_of(tree.right[i])});
        node.edge_end = node.edge_begin + (node.leaf ? 0 : 1);
        if (i == 0) {
            for (GraphNode& other : graph.nodes)
                if (other.edge_begin >= node.edge_begin && &other != &top)
                    ++other.edge_begin, ++other.edge_end;
            ++graph.nodes[graph.root].edge_end;
            continue;
        }
        if (top.role != Role::plain) {  // the reference is its own prefix, completed by greedy
            node.role = Role::horizon;
            node.stop = cost[i];
            node.fill = node.prefix_budget = node.budget;
        }
        graph.nodes.push_back(node);
        const auto counts = alone.counts.begin() + static_cast<std::ptrdiff_t>(i * alone.n_classes);
        graph.counts.insert(graph.counts.end(), counts,
                            counts + static_cast<std::ptrdiff_t>(alone.n_classes));
    }
}

// Counts as much of the set as the limits allow: where there are any, the best trees first, and then more and
// more of it, since the whole may be too much.
bool count(Graph& graph, Cost slack, Limits& limits) {
    const std::size_t bytes = graph.bytes();
    bool counted = false;
    try {
        limits.charge(bytes);
        for (const int halvings : {12, 6, 2, 0}) {
            if (halvings > 0 && !limits.limited()) continue;
            if (!graph.count_better(slack - (slack >> halvings), limits)) break;
            counted = true;
        }
        limits.release(bytes);
    } catch (const LimitReached&) {
    }
    return counted;
}

// Finds V of the root's children as far as a set within the bound needs it, given the cost of a tree and the
// bound that it would set. V of the root follows from what the cache then knows; if it were found first,
// children that are worse than the best but within the bound would be searched twice.
void look_ahead(Search& search, Workers& workers, Limits& limits, Node& root, std::size_t depth,
                std::size_t lookahead, Cost known, Cost bound) {
    const Cost slack = bound - known;
    std::atomic<Cost> least = known;
    const auto look = [&](std::size_t f, std::size_t worker) {
        Cost values[2];
        if (!search.sides(worker, root, f, depth, lookahead - 1, least + slack, values)) return;
        Cost now = least;
        while (values[0] + values[1] < now && !least.compare_exchange_weak(now, values[0] + values[1])) {
        }
    };
    limits.completes([&] {  // what is not known then will be looked for again
        if (!search.count_pairs(0, root)) return;
        const std::vector<std::size_t> order = search.ranked(root);
        workers.run(order.size(), [&](std::size_t i, std::size_t worker) {
            limits.completes([&] { look(order[i], worker); });
        });
    });
}

void build_packed(View& view, const RashomonOptions& options, Limits& limits, Limits& whole,
                  RashomonSet& set) {
    const Problem problem{options.price, options.speed, limits, options.exact_last_split};
    Node root(limits);
    root.own = std::move(view);
    count_root(problem, root);
    const std::size_t depth = std::min({options.max_depth, root.own.n_features, std::size_t{65535}});
    Workers workers(options.n_threads, limits);
    Search search(problem, workers, true);
    Grower grower(problem, search);

    Tree reference = grower.greedy(root, depth);
    cluster_rows(problem, reference, root.own);
    if (options.speed.equivalent_points) {
        mark_unavoidable(problem.kernels(), root.own, limits);
        count_root(problem, root);
    }
    RashomonOptions chosen = options;
    if (chosen.lookahead) chosen.lookahead = std::min(*chosen.lookahead, depth);
    const std::size_t lookahead = chosen.lookahead.value_or(depth);
    const auto offer = [&](Tree tree) {  // a search that was stopped may find less than was known
        if (tree.cost(options.price) <= reference.cost(options.price)) reference = std::move(tree);
    };
    if (lookahead > 1) {
        if (!chosen.lookahead) offer(grower.lickety(root, depth, false));
        look_ahead(search, workers, limits, root, depth, lookahead, reference.cost(options.price),
                   options.bound(reference.errors(), reference.leaves()));
    }
    offer(chosen.lookahead ? grower.split(root, depth, lookahead, false)
                           : grower.optimal(root, depth, reference));
    set.reference_errors = reference.errors();
    set.reference_leaves = reference.leaves();
    set.graph = graph_of(reference, options.price);
    set.bound = options.bound(set.reference_errors, set.reference_leaves);
    if (limits.stopped()) return;  // there may be a better reference
    set.proved = true;

    limits.keep_time(kBuildingShare);
    Builder builder(problem, chosen, search, workers, root, depth);
    Graph graph = builder.build(set.bound);
    set.statistics = search.statistics();
    if (limits.stopped()) add_reference(reference, graph);
    if (!count(graph, set.bound - reference.cost(options.price), whole)) return;
    const bool nothing = graph.histogram().empty();  // stopped before any tree was complete
    if (!nothing || !limits.stopped()) set.graph = std::move(graph);
}

}  // namespace

RashomonSet rashomon_set(const Table& table, const Target& target, RashomonOptions options, Limits& whole) {
    Limits limits = whole.again();  // for all but counting, which is done when these have stopped
    if (options.speed.kernels == nullptr) options.speed.kernels = &find_kernels("auto");
    check(table, target);
    RashomonSet set;
    try {
        View view(limits);
        set.not_binary = pack(*options.speed.kernels, table, target, limits, view, true);
        if (set.not_binary) return set;
        set.packed = !limits.stopped();
        if (set.packed) build_packed(view, options, limits, whole, set);
    } catch (const LimitReached&) {
    }
    if (set.graph.nodes.empty()) {
        const Tree leaf = lone_leaf(target, table.n_rows);
        set.reference_errors = leaf.errors();
        set.reference_leaves = 1;
        set.bound = options.bound(set.reference_errors, 1);
        set.graph = graph_of(leaf, options.price);
    }
    assert(limits.holds_nothing());
    set.status = limits.stopped() ? limits.reason() : whole.reason();
    Limits none;
    if (!set.graph.is_counted()) set.graph.count(none);
    set.peak_bytes = std::max(limits.peak_bytes(), whole.peak_bytes());
    set.seconds = limits.seconds();
    return set;
}

}  // namespace splitsecond
