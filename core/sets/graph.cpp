#include "sets/graph.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <unordered_map>
#include <utility>

#include "sets/numbering.hpp"

namespace splitsecond {
namespace {

struct KeyHash {
    std::size_t operator()(const Key& key) const {
        std::uint64_t hash = static_cast<std::uint64_t>(key.cost) * 0x9E3779B97F4A7C15u;
        hash = (hash ^ (hash >> 29) ^ static_cast<std::uint64_t>(key.leaves)) * 0xD6E8FEB86659FD93u;
        hash = (hash ^ (hash >> 32) ^ static_cast<std::uint64_t>(key.prefix)) * 0x9E3779B97F4A7C15u;
        return static_cast<std::size_t>(hash ^ (hash >> 31));
    }
};

using Rows = std::vector<std::uint32_t>;

}  // namespace

Graph::Graph() = default;
Graph::Graph(Graph&&) noexcept = default;
Graph& Graph::operator=(Graph&&) noexcept = default;
Graph::~Graph() = default;

// ---- what a tree costs ----------------------------------------------------------------------------

Cost Graph::prefix_cost(const GraphNode& node, Cost cost, Cost below) const {
    if (node.role == Role::plain) return kInfinite;
    const Cost here = cost <= node.fill ? node.stop : kInfinite;
    const Cost best = node.role == Role::prefix ? std::min(here, below) : here;
    return best <= node.prefix_budget ? best : kInfinite;  // what cannot count any more is all one
}

Key Graph::leaf_key(const GraphNode& node) const {
    const Cost cost = price.of(node.errors, 1);
    return {cost, 1, prefix_cost(node, cost, kInfinite)};
}

Key Graph::combine(const GraphNode& node, const Key& yes, const Key& no) const {
    const Cost cost = yes.cost + no.cost;
    const Cost below = yes.prefix >= kInfinite || no.prefix >= kInfinite ? kInfinite : yes.prefix + no.prefix;
    return {cost, yes.leaves + no.leaves, prefix_cost(node, cost, below)};
}

bool Graph::keeps(const GraphNode& node, const Key& key) const {
    return key.leaves <= max_leaves && (key.cost <= node.budget || key.prefix <= node.prefix_budget);
}

// Only a leaf has one leaf, so that these keys tell whether both children are leaves.
bool Graph::leaves_out(const GraphEdge& edge, const Key& yes, const Key& no) const {
    return !keep_trivial && yes.leaves == 1 && no.leaves == 1 &&
           nodes[edge.yes].label == nodes[edge.no].label;
}

// ---- counting -------------------------------------------------------------------------------------

std::vector<std::uint32_t> Graph::bottom_up() const {
    std::vector<std::uint32_t> order(nodes.size());
    std::iota(order.begin(), order.end(), 0u);
    const auto height = [&](std::uint32_t id) {  // nodes without edges come first, wherever they are shared
        return nodes[id].edge_begin == nodes[id].edge_end ? UINT32_MAX : nodes[id].level;
    };
    std::stable_sort(order.begin(), order.end(),
                     [&](std::uint32_t a, std::uint32_t b) { return height(a) > height(b); });
    return order;
}

// One word for each number is mostly enough. Where it is not, counting begins again with more.
bool Graph::count(Limits& limits) {
    constexpr std::size_t kMostDigits = 4096;  // no set that can be built needs as many
    numbering_.reset();
    digits_ = 1;
    Counted done;
    while ((done = fill_histograms(limits)) == Counted::too_few_digits && digits_ < kMostDigits) digits_ *= 2;
    if (done == Counted::too_few_digits) limits.out_of_memory();
    if (done != Counted::all) histograms_.clear();
    return done == Counted::all;
}

Graph::Counted Graph::fill_histograms(Limits& limits) {
    histograms_.clear();  // and what was counted with fewer digits is freed
    histograms_.resize(nodes.size());
    std::size_t bytes = 0;
    const auto fill_all = [&] {
        for (const std::uint32_t id : bottom_up()) {
            const Counted done = fill_histogram(id, limits);
            if (done != Counted::all) return done;
            const std::size_t more = histograms_[id].keys.size() * (sizeof(Key) + digits_ * sizeof(Digit));
            limits.charge(more);
            bytes += more;
        }
        std::vector<Digit> sum(digits_, 0);
        return sum_up(sum) ? Counted::all : Counted::too_few_digits;
    };
    Counted done = Counted::stopped;
    limits.completes([&] { done = fill_all(); });
    limits.release(bytes);
    return done;
}

std::size_t Graph::bytes() const {
    return nodes.size() * sizeof(GraphNode) + edges.size() * sizeof(GraphEdge) +
           counts.size() * sizeof(Count);
}

// Budgets are what the bound leaves, and follow it down; those of leaves and of what fills a prefix do not.
void Graph::lower_budgets(Cost by) {
    const bool whole = nodes[root].role == Role::plain;
    for (std::size_t id = 0; id < nodes.size(); ++id)
        if (id == root || nodes[id].edge_begin != nodes[id].edge_end)
            (whole ? nodes[id].budget : nodes[id].prefix_budget) -= by;
}

bool Graph::count_better(Cost less, Limits& limits) {
    const Cost by = less - lowered_;
    const std::size_t digits = digits_;
    std::vector<Histogram> before = std::move(histograms_);
    std::size_t bytes = 0;
    for (const Histogram& known : before)
        bytes += known.keys.size() * sizeof(Key) + known.numbers.size() * sizeof(Digit);
    lower_budgets(by);
    bool done = false;
    try {
        limits.charge(bytes);
        done = count(limits);
        limits.release(bytes);
    } catch (const LimitReached&) {
    }
    if (done) {
        lowered_ = less;
        return true;
    }
    lower_budgets(-by);
    histograms_ = std::move(before);
    digits_ = digits;
    return false;
}

Graph::Counted Graph::fill_histogram(std::uint32_t id, Limits& limits) {
    const GraphNode& node = nodes[id];
    std::unordered_map<Key, std::size_t, KeyHash> places;
    std::vector<Key> keys;
    std::vector<Digit> numbers;
    const auto number_of = [&](const Key& key) {
        const auto [place, is_new] = places.try_emplace(key, keys.size());
        if (is_new) {
            keys.push_back(key);
            numbers.resize(numbers.size() + digits_, 0);
        }
        return numbers.data() + place->second * digits_;
    };
    if (node.leaf && keeps(node, leaf_key(node))) add_one(number_of(leaf_key(node)), digits_);
    const Cost most = std::max(node.budget, node.prefix_budget);  // a prefix costs no less than its trees
    constexpr std::size_t kPairsPerLook = 1 << 14;
    std::size_t pairs = 0;
    for (std::size_t e = node.edge_begin; e < node.edge_end; ++e) {
        if (limits.stop()) return Counted::stopped;
        const Histogram& yes = histograms_[edges[e].yes];
        const Histogram& no = histograms_[edges[e].no];
        for (std::size_t i = 0; i < yes.keys.size(); ++i) {
            pairs += no.keys.size();
            if (pairs >= kPairsPerLook) {
                pairs = 0;
                if (!limits.has_room(keys.size() * (2 * sizeof(Key) + digits_ * sizeof(Digit))))
                    limits.out_of_memory();
                if (limits.stop()) return Counted::stopped;
            }
            for (std::size_t j = 0; j < no.keys.size(); ++j) {
                if (yes.keys[i].cost + no.keys[j].cost > most) break;
                if (leaves_out(edges[e], yes.keys[i], no.keys[j])) continue;
                const Key key = combine(node, yes.keys[i], no.keys[j]);
                if (keeps(node, key) && !multiply_add(number_of(key), yes.numbers.data() + i * digits_,
                                                      no.numbers.data() + j * digits_, digits_))
                    return Counted::too_few_digits;
            }
        }
    }
    std::vector<std::size_t> order(keys.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return keys[a] < keys[b]; });
    Histogram& out = histograms_[id];
    out.keys.reserve(order.size());
    out.numbers.reserve(order.size() * digits_);
    for (const std::size_t i : order) {
        out.keys.push_back(keys[i]);
        out.numbers.insert(out.numbers.end(), numbers.begin() + static_cast<std::ptrdiff_t>(i * digits_),
                           numbers.begin() + static_cast<std::ptrdiff_t>((i + 1) * digits_));
    }
    return Counted::all;
}

// Adds up the root's trees; false if their number does not fit.
bool Graph::sum_up(std::vector<Digit>& sum) const {
    const std::vector<Digit>& numbers = histograms_[root].numbers;
    for (std::size_t i = 0; i < numbers.size(); i += digits_)
        if (!add(sum.data(), numbers.data() + i, digits_)) return false;
    return true;
}

std::vector<Digit> Graph::n_trees() const {
    std::vector<Digit> sum(digits_, 0);
    sum_up(sum);
    return sum;
}

std::vector<std::pair<Key, std::vector<Digit>>> Graph::histogram() const {
    std::vector<std::pair<Key, std::vector<Digit>>> out;
    const Histogram& all = histograms_[root];
    for (std::size_t i = 0; i < all.keys.size(); ++i) {
        const auto begin = all.numbers.begin() + static_cast<std::ptrdiff_t>(i * digits_);
        out.emplace_back(all.keys[i],
                         std::vector<Digit>(begin, begin + static_cast<std::ptrdiff_t>(digits_)));
    }
    return out;
}

// ---- finding trees ------------------------------------------------------------------------------------

std::size_t Graph::find(std::uint32_t node, const Key& key) const {
    const std::vector<Key>& keys = histograms_[node].keys;
    const auto place = std::lower_bound(keys.begin(), keys.end(), key);
    return place == keys.end() || !(*place == key) ? SIZE_MAX
                                                   : static_cast<std::size_t>(place - keys.begin());
}

// The key of the part of a tree that begins at `place`, if it is among the trees of a node.
std::optional<Key> Graph::find_tree(std::uint32_t id, const FlatTree& tree, std::size_t place) const {
    const GraphNode& node = nodes[id];
    if (tree.feature[place] < 0) {
        if (node.leaf && keeps(node, leaf_key(node))) return leaf_key(node);
        return std::nullopt;
    }
    for (std::size_t e = node.edge_begin; e < node.edge_end; ++e) {
        if (edges[e].feature != tree.feature[place]) continue;
        const auto yes = find_tree(edges[e].yes, tree, static_cast<std::size_t>(tree.left[place]));
        const auto no = find_tree(edges[e].no, tree, static_cast<std::size_t>(tree.right[place]));
        if (!yes || !no || leaves_out(edges[e], *yes, *no)) continue;
        const Key key = combine(node, *yes, *no);
        if (keeps(node, key)) return key;
    }
    return std::nullopt;
}

bool Graph::append_tree(const Digit* number, FlatTree& out) {
    if (!numbering_) numbering_ = std::make_unique<Numbering>(*this);
    return numbering_->append_tree(*this, number, out);
}

// ---- filtering ------------------------------------------------------------------------------------

bool Graph::filtered(const Filter& filter, Graph& out, Limits& limits) const {
    enum Mode : std::uint32_t { any, must, never };  // ask one of filter.uses
    const auto chosen = [](const std::vector<char>& features, std::int32_t f) {
        return !features.empty() && features[static_cast<std::size_t>(f)] != 0;
    };
    out.price = price;
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
    if (top.role == Role::plain)
        top.budget = std::min(top.budget, filter.budget);
    else
        top.prefix_budget = std::min(top.prefix_budget, filter.budget);
    return out.count(limits);
}

// ---- voting ---------------------------------------------------------------------------------------

// Goes down the graph level by level with the rows that take each way. Ways that lead the same rows to the
// same node go on as one: there are many orders to ask the same questions in. weights[i] says how many trees
// of the set continue there with a given tree of key i.
class Graph::Voter {
public:
    Voter(const Graph& graph, const std::vector<const std::uint64_t*>& columns, std::vector<Digit>& votes,
          Limits& limits)
        : graph_(graph), columns_(columns), votes_(votes), limits_(limits) {}

    bool run(const Rows& rows) {
        const std::size_t n = graph_.digits_;
        std::vector<Digit> each(graph_.histograms_[graph_.root].keys.size() * n, 0);
        for (std::size_t i = 0; i < each.size(); i += n) each[i] = 1;
        next_.emplace(std::pair(graph_.root, rows), std::move(each));
        while (!next_.empty()) {
            const auto now = std::exchange(next_, {});
            for (const auto& [place, weights] : now)
                if (!visit(place.first, place.second, weights)) return false;
        }
        return true;
    }

private:
    bool visit(std::uint32_t id, const Rows& rows, const std::vector<Digit>& weights) {
        const std::size_t n = graph_.digits_;
        const GraphNode& node = graph_.nodes[id];
        if (limits_.stop()) return false;
        if (node.leaf) {
            const std::size_t place = graph_.find(id, graph_.leaf_key(node));
            if (place != SIZE_MAX && !is_zero(weights.data() + place * n, n))
                for (const std::uint32_t row : rows)
                    add(votes_.data() + (row * graph_.n_classes + node.label) * n, weights.data() + place * n,
                        n);
        }
        for (std::size_t e = node.edge_begin; e < node.edge_end; ++e) {
            const GraphEdge& edge = graph_.edges[e];
            Rows side[2];
            const std::uint64_t* column = columns_[static_cast<std::size_t>(edge.feature)];
            for (const std::uint32_t row : rows)
                side[column[row / 64] >> row % 64 & 1 ? 0 : 1].push_back(row);
            for (const int s : {0, 1})
                if (!side[s].empty() && !descend(id, edge, s == 0, side[s], weights)) return false;
        }
        return true;
    }

    bool descend(std::uint32_t id, const GraphEdge& edge, bool to_yes, Rows& rows,
                 const std::vector<Digit>& weights) {
        const std::size_t n = graph_.digits_;
        const std::uint32_t child = to_yes ? edge.yes : edge.no;
        const Histogram& here = graph_.histograms_[child];
        const Histogram& other = graph_.histograms_[to_yes ? edge.no : edge.yes];
        std::vector<Digit> below(here.keys.size() * n, 0);
        bool any = false;
        for (std::size_t i = 0; i < here.keys.size(); ++i)
            for (std::size_t j = 0; j < other.keys.size(); ++j) {
                const Key& yes = to_yes ? here.keys[i] : other.keys[j];
                const Key& no = to_yes ? other.keys[j] : here.keys[i];
                if (graph_.leaves_out(edge, yes, no)) continue;
                const Key key = graph_.combine(graph_.nodes[id], yes, no);
                const std::size_t place = graph_.find(id, key);
                if (place == SIZE_MAX || is_zero(weights.data() + place * n, n)) continue;
                multiply_add(below.data() + i * n, weights.data() + place * n, other.numbers.data() + j * n,
                             n);
                any = true;
            }
        if (!any) return true;
        const GraphNode& node = graph_.nodes[child];
        if (node.edge_begin == node.edge_end) return visit(child, rows, below);
        std::vector<Digit>& sum = next_[std::pair(child, std::move(rows))];
        if (sum.empty())
            sum = std::move(below);
        else
            for (std::size_t i = 0; i < below.size(); i += n) add(sum.data() + i, below.data() + i, n);
        return true;
    }

    const Graph& graph_;
    const std::vector<const std::uint64_t*>& columns_;
    std::vector<Digit>& votes_;
    Limits& limits_;
    std::map<std::pair<std::uint32_t, Rows>, std::vector<Digit>> next_;
};

bool Graph::vote(const std::vector<const std::uint64_t*>& columns, std::size_t n_rows,
                 std::vector<Digit>& votes, Limits& limits) const {
    constexpr std::size_t kMostHeld = std::size_t{1} << 24;  // rows at all nodes of a level together
    const std::size_t block = std::max<std::size_t>(256, kMostHeld / nodes.size());
    votes.assign(n_rows * n_classes * digits_, 0);
    for (std::size_t begin = 0; begin < n_rows; begin += block) {
        Rows rows(std::min(block, n_rows - begin));
        std::iota(rows.begin(), rows.end(), static_cast<std::uint32_t>(begin));
        if (!Voter(*this, columns, votes, limits).run(rows)) return false;
    }
    return true;
}

}  // namespace splitsecond
