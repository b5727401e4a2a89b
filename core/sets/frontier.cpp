// The frontier of a criterion: for each state, the trees that no other tree of the state beats, bottom up.
//
// A tree beats another when it has no higher training cost, prefix cost (RESPLIT), number of leaves (where it is
// limited) and value: budgets and sums only fall with these. Leaves are apart: next to another leaf they may be a
// trivial split, so that a leaf beats no tree.
#include <algorithm>
#include <cmath>
#include <utility>

#include "sets/walked_set.hpp"

namespace splitsecond {
namespace {

constexpr std::uint32_t kNoBranch = UINT32_MAX;

struct Entry {
    Key key;
    double value;
    std::uint32_t branch = kNoBranch;  // of its state, from the first; kNoBranch: a leaf
    std::uint32_t yes = 0;             // entries of the children
    std::uint32_t no = 0;
};

// Entries none of which beats another, in order of their cost.
class Front {
public:
    explicit Front(bool by_cost_only) : by_cost_only_(by_cost_only) {}

    void offer(const Entry& entry) {
        const auto after =
            std::upper_bound(entries_.begin(), entries_.end(), entry.key.cost,
                             [](Cost cost, const Entry& other) { return cost < other.key.cost; });
        if (by_cost_only_) {  // values fall: the entry before is the best of those that cost no more
            if (after != entries_.begin() && std::prev(after)->value <= entry.value) return;
        } else if (std::any_of(entries_.begin(), after,
                               [&](const Entry& other) { return beats(other, entry); })) {
            return;
        }
        auto first = after;
        while (first != entries_.begin() && std::prev(first)->key.cost == entry.key.cost) --first;
        const auto place = static_cast<std::size_t>(first - entries_.begin());
        if (by_cost_only_) {
            auto last = first;
            while (last != entries_.end() && last->value >= entry.value) ++last;
            entries_.erase(first, last);
        } else {
            entries_.erase(std::remove_if(first, entries_.end(),
                                          [&](const Entry& other) { return beats(entry, other); }),
                           entries_.end());
        }
        entries_.insert(entries_.begin() + static_cast<std::ptrdiff_t>(place), entry);
    }
    const std::vector<Entry>& entries() const { return entries_; }
    void clear() { entries_.clear(); }

private:
    static bool beats(const Entry& a, const Entry& b) {
        return a.key.cost <= b.key.cost && a.value <= b.value && a.key.leaves <= b.key.leaves &&
               a.key.prefix <= b.key.prefix;
    }

    bool by_cost_only_;
    std::vector<Entry> entries_;
};

}  // namespace

class WalkedSet::Fronts {
public:
    Fronts(const WalkedSet& set, const Prices& prices, Limits& limits)
        : set_(set), graph_(set.graph_), prices_(prices), limits_(limits), begins_(set.states_.size() + 1) {}
    ~Fronts() { limits_.release(charged_); }

    Frontier run() {
        Frontier out;
        bool done = false;
        limits_.completes([&] { done = fill_all(); });
        if (!done) return bound_of_root();
        out.is_exact = set_.is_complete_;
        Front best(true);
        const auto [begin, end] = entries_of(0);
        for (std::uint32_t i = 0; i < end - begin; ++i) {
            Entry entry = begin[i];
            entry.yes = i;
            best.offer(entry);
        }
        for (const Entry& entry : best.entries()) {
            add(out, entry);
            if (!out.is_exact) continue;
            write(0, entry.yes, out.trees.feature.size(), out.trees);
            out.ends.push_back(static_cast<std::int64_t>(out.trees.feature.size()));
        }
        return out;
    }

private:
    static void add(Frontier& out, const Entry& entry) {
        out.costs.push_back(entry.key.cost);
        out.leaves.push_back(entry.key.leaves);
        out.values.push_back(entry.value);
    }
    Frontier bound_of_root() const {
        Frontier out;
        out.is_exact = false;
        if (!graph_.histograms_[graph_.root].keys.empty()) add(out, bound_of(0));
        return out;
    }

    // Better than all trees of a state, whatever they are.
    Entry bound_of(std::uint32_t state) const {
        const std::vector<Key>& keys = graph_.histograms_[set_.states_[state].node].keys;
        Entry entry{keys.front(), std::floor(set_.value(state, prices_.least) * prices_.grid) / prices_.grid};
        for (const Key& key : keys) {
            entry.key.leaves = std::min(entry.key.leaves, key.leaves);
            entry.key.prefix = std::min(entry.key.prefix, key.prefix);
        }
        // Not a leaf: those are never beside another where that would be a trivial split.
        entry.key.leaves = std::max<Cost>(entry.key.leaves, 2);
        return entry;
    }

    bool fill_all() {
        const bool by_cost_only =
            graph_.nodes[graph_.root].prefix.role == Role::plain && graph_.max_leaves >= kInfinite;
        Front front(by_cost_only);
        const auto n = static_cast<std::uint32_t>(set_.states_.size());
        for (std::uint32_t id = n; id-- > 0;)  // the root is last, whatever it is
            if (id > 0 && set_.is_only_leaf(id) && !fill(id, front)) return false;
        for (std::uint32_t id = n; id-- > 0;)
            if ((id == 0 || !set_.is_only_leaf(id)) && !fill(id, front)) return false;
        return true;
    }

    bool fill(std::uint32_t id, Front& front) {
        if (limits_.stop()) return false;
        const State& state = set_.states_[id];
        const GraphNode& node = graph_.nodes[state.node];
        const std::size_t begin = entries_.size();
        front.clear();
        if (node.leaf && graph_.within_budget(node, graph_.leaf_key(node)))
            entries_.push_back({graph_.leaf_key(node), set_.leaf_value(id, prices_)});
        if (!state.is_walked && !set_.is_only_leaf(id) && !graph_.histograms_[state.node].keys.empty())
            front.offer(bound_of(id));
        for (std::size_t b = state.branch_begin; b < state.branch_end; ++b)
            offer_branch(node, set_.branches_[b], static_cast<std::uint32_t>(b - state.branch_begin), front);
        entries_.insert(entries_.end(), front.entries().begin(), front.entries().end());
        const std::size_t bytes = (entries_.size() - begin) * sizeof(Entry);
        limits_.charge(bytes);
        charged_ += bytes;
        begins_[id] = {begin, entries_.size()};
        return true;
    }

    void offer_branch(const GraphNode& node, const Branch& branch, std::uint32_t place, Front& front) const {
        const GraphEdge& edge = graph_.edges[branch.edge];
        const Cost max_cost = std::max(node.budget, node.prefix.budget);
        const auto [yes, yes_end] = entries_of(branch.yes);
        const auto [no, no_end] = entries_of(branch.no);
        for (const Entry* a = yes; a != yes_end; ++a)
            for (const Entry* b = no; b != no_end; ++b) {
                if (a->key.cost + b->key.cost > max_cost) {
                    if (b->branch == kNoBranch) continue;  // a leaf is before all others, whatever it costs
                    break;
                }
                if (graph_.is_trivial_split(edge, a->key, b->key)) continue;
                const Key key = graph_.combine(node, a->key, b->key);
                if (graph_.within_budget(node, key))
                    front.offer({key, a->value + b->value, place, static_cast<std::uint32_t>(a - yes),
                                 static_cast<std::uint32_t>(b - no)});
            }
    }

    std::pair<const Entry*, const Entry*> entries_of(std::uint32_t state) const {
        return {entries_.data() + begins_[state].first, entries_.data() + begins_[state].second};
    }

    void write(std::uint32_t id, std::uint32_t entry_place, std::size_t begin, GraphTree& out) const {
        const Entry& entry = entries_of(id).first[entry_place];
        const std::size_t place = out.feature.size();
        for (auto* list : {&out.feature, &out.left, &out.right}) list->push_back(-1);
        out.node.push_back(set_.states_[id].node);
        if (entry.branch == kNoBranch) return;
        const Branch& branch = set_.branches_[set_.states_[id].branch_begin + entry.branch];
        out.feature[place] = graph_.edges[branch.edge].feature;
        out.left[place] = static_cast<std::int32_t>(out.feature.size() - begin);
        write(branch.yes, entry.yes, begin, out);
        out.right[place] = static_cast<std::int32_t>(out.feature.size() - begin);
        write(branch.no, entry.no, begin, out);
    }

    const WalkedSet& set_;
    const Graph& graph_;
    const Prices& prices_;
    Limits& limits_;
    std::vector<Entry> entries_;
    std::vector<std::pair<std::size_t, std::size_t>> begins_;  // of each state, and where they end
    std::size_t charged_ = 0;
};

Frontier WalkedSet::frontier(const Prices& prices, Limits& limits) const {
    const Prices given = on_grid(prices);
    return Fronts(*this, given, limits).run();
}

}  // namespace splitsecond
