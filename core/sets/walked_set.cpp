#include "sets/walked_set.hpp"

#include <algorithm>
#include <utility>

namespace splitsecond {
namespace {

std::uint64_t hash_of(std::uint64_t seed, const std::uint64_t* words, std::size_t n) {
    std::uint64_t hash = seed * 0x9E3779B97F4A7C15u;
    for (std::size_t w = 0; w < n; ++w) {
        hash = (hash ^ words[w]) * 0xD6E8FEB86659FD93u;
        hash ^= hash >> 32;
    }
    return hash;
}

}  // namespace

// Goes down the graph level by level. The masks of two levels are kept.
class WalkedSet::Walk {
public:
    Walk(WalkedSet& set, const MeasuredRows& rows, Limits& limits)
        : set_(set), rows_(rows), limits_(limits), n_words_(rows.n_words()), sides_(2 * rows.n_words()) {}

    // False when stopped: the states that are left are not walked.
    bool run() {
        masks_.assign(rows_.all(), rows_.all() + n_words_);
        std::size_t begin = 0;
        while (begin < set_.states_.size()) {
            const std::size_t end = set_.states_.size();
            next_masks_.clear();
            next_.clear();
            std::size_t place = 0;  // of the mask, among those of the level
            for (std::size_t state = begin; state < end; ++state) {
                const auto id = static_cast<std::uint32_t>(state);
                if (!set_.is_only_leaf(id) && !visit(id, masks_.data() + place++ * n_words_)) return false;
            }
            std::swap(masks_, next_masks_);
            begin = end;
        }
        return true;
    }
    std::size_t charged() const { return charged_; }

private:
    bool visit(std::uint32_t id, const std::uint64_t* mask) {
        if (limits_.stop()) return false;
        const Graph& graph = set_.graph_;
        const GraphNode& node = graph.nodes[set_.states_[id].node];
        const std::size_t branch_begin = set_.branches_.size();
        for (std::size_t e = node.edge_begin; e < node.edge_end; ++e) {
            const GraphEdge& edge = graph.edges[e];
            if (graph.histograms_[edge.yes].keys.empty() || graph.histograms_[edge.no].keys.empty()) continue;
            const std::uint64_t* column = rows_.column(edge.feature);
            std::uint64_t* yes = sides_.data();
            std::uint64_t* no = yes + n_words_;
            for (std::size_t w = 0; w < n_words_; ++w) {
                yes[w] = mask[w] & column[w];
                no[w] = mask[w] & ~column[w];
            }
            const std::uint32_t yes_state = state_of(edge.yes, yes);
            set_.branches_.push_back({e, yes_state, state_of(edge.no, no)});
        }
        charge((set_.branches_.size() - branch_begin) * sizeof(Branch));
        State& state = set_.states_[id];
        state.is_walked = true;
        state.branch_begin = branch_begin;
        state.branch_end = set_.branches_.size();
        return true;
    }

    // The state of a node and rows, made if there is none.
    std::uint32_t state_of(std::uint32_t node, const std::uint64_t* mask) {
        const bool only_leaf = set_.graph_.nodes[node].edge_begin == set_.graph_.nodes[node].edge_end;
        if (only_leaf) return leaf_state_of(node, mask);
        auto& known = next_[hash_of(node, mask, n_words_)];
        for (const auto& [state, place] : known)
            if (set_.states_[state].node == node &&
                std::equal(mask, mask + n_words_, next_masks_.data() + place * n_words_))
                return state;
        const std::size_t place = n_words_ == 0 ? 0 : next_masks_.size() / n_words_;
        charge(n_words_ * sizeof(std::uint64_t));
        next_masks_.insert(next_masks_.end(), mask, mask + n_words_);
        known.emplace_back(add_state(node, mask), place);
        return known.back().first;
    }
    std::uint32_t leaf_state_of(std::uint32_t node, const std::uint64_t* mask) {
        const auto n = static_cast<std::size_t>(set_.n_channels_);
        weights_.resize(n);
        rows_.weigh(mask, weights_.data());
        auto& known = leaves_[hash_of(node, reinterpret_cast<const std::uint64_t*>(weights_.data()), n)];
        for (const std::uint32_t state : known)
            if (set_.states_[state].node == node &&
                std::equal(weights_.begin(), weights_.end(), set_.weights_.data() + state * n))
                return state;
        known.push_back(add_state(node, mask));
        return known.back();
    }
    std::uint32_t add_state(std::uint32_t node, const std::uint64_t* mask) {
        constexpr std::size_t kInTable = 64;  // what its place in a table takes
        charge(sizeof(State) + static_cast<std::size_t>(set_.n_channels_) * sizeof(std::int64_t) + kInTable);
        return set_.add_state(node, rows_, mask);
    }
    void charge(std::size_t bytes) {
        limits_.charge(bytes);
        charged_ += bytes;
    }

    WalkedSet& set_;
    const MeasuredRows& rows_;
    Limits& limits_;
    const std::size_t n_words_;
    std::vector<std::uint64_t> sides_;  // of the edge at hand: yes, no
    std::vector<std::uint64_t> masks_, next_masks_;
    // By hash: states of the next level with the places of their masks; states of mere leaves.
    std::unordered_map<std::uint64_t, std::vector<std::pair<std::uint32_t, std::size_t>>> next_;
    std::unordered_map<std::uint64_t, std::vector<std::uint32_t>> leaves_;
    std::vector<std::int64_t> weights_;
    std::size_t charged_ = 0;
};

WalkedSet::WalkedSet(const Graph& graph, const MeasuredRows& rows, Limits& limits)
    : graph_(graph), n_channels_(static_cast<std::ptrdiff_t>(rows.n_channels())) {
    add_state(graph.root, rows, rows.all());  // is there whatever the limits
    Walk walk(*this, rows, limits);
    limits.completes([&] { is_complete_ = walk.run(); });
    limits.release(walk.charged());
}

std::uint32_t WalkedSet::add_state(std::uint32_t node, const MeasuredRows& rows, const std::uint64_t* mask) {
    states_.push_back({node});
    weights_.resize(states_.size() * static_cast<std::size_t>(n_channels_));
    rows.weigh(mask, weights_.data() + weights_.size() - n_channels_);
    return static_cast<std::uint32_t>(states_.size() - 1);
}

double WalkedSet::value(std::uint32_t state, const double* prices) const {
    const std::int64_t* weights = weights_.data() + state * n_channels_;
    double sum = 0;
    for (std::ptrdiff_t k = 0; k < n_channels_; ++k)
        if (weights[k] != 0) sum += prices[k] * static_cast<double>(weights[k]);
    return sum;
}

double WalkedSet::leaf_value(std::uint32_t state, const Prices& prices) const {
    const std::uint32_t node = states_[state].node;
    const std::uint32_t row = prices.by_node ? node : graph_.nodes[node].label;
    return value(state, prices.values + row * n_channels_);
}

// ---- the mean ---------------------------------------------------------------------------------------

// How many trees of the set have a leaf in each state, top down: times[i] says how many go on in a state with a given
// tree of key i.
class WalkedSet::LeafShares {
public:
    LeafShares(const WalkedSet& set, Limits& limits)
        : set_(set),
          graph_(set.graph_),
          n_(set.graph_.digits_),
          limits_(limits),
          times_(set.states_.size()) {}
    ~LeafShares() { limits_.release(charged_); }

    // False when stopped.
    bool find(std::vector<double>& shares) {
        const auto n_states = static_cast<std::uint32_t>(set_.states_.size());
        shares.assign(n_states, 0);
        Digit* each = times_of(0);
        for (std::size_t i = 0; i < times_[0].size(); i += n_) each[i] = 1;
        for (std::uint32_t id = 0; id < n_states; ++id) {
            if (set_.is_only_leaf(id) || times_[id].empty()) continue;
            shares[id] = share(id);
            const State& state = set_.states_[id];
            for (std::size_t b = state.branch_begin; b < state.branch_end; ++b) {
                if (limits_.stop()) return false;
                pass_down(id, set_.branches_[b]);
            }
            release(id);
        }
        for (std::uint32_t id = 0; id < n_states; ++id)
            if (set_.is_only_leaf(id)) shares[id] = share(id);
        return true;
    }

private:
    const Graph::Histogram& histogram(std::uint32_t state) const {
        return graph_.histograms_[set_.states_[state].node];
    }
    Digit* times_of(std::uint32_t state) {
        if (times_[state].empty()) {
            const std::size_t size = histogram(state).keys.size() * n_;
            limits_.charge(size * sizeof(Digit));
            charged_ += size * sizeof(Digit);
            times_[state].assign(size, 0);
        }
        return times_[state].data();
    }
    void release(std::uint32_t state) {
        limits_.release(times_[state].size() * sizeof(Digit));
        charged_ -= times_[state].size() * sizeof(Digit);
        std::vector<Digit>().swap(times_[state]);
    }

    // Of all trees, those that have a leaf here.
    double share(std::uint32_t id) const {
        const std::uint32_t source = set_.states_[id].node;
        const GraphNode& node = graph_.nodes[source];
        if (!node.leaf || times_[id].empty()) return 0;
        const std::size_t place = graph_.find(source, graph_.leaf_key(node));
        return place == SIZE_MAX ? 0 : ratio(times_[id].data() + place * n_, all_.data(), n_);
    }

    void pass_down(std::uint32_t id, const Branch& branch) {
        const GraphNode& node = graph_.nodes[set_.states_[id].node];
        const Cost max_cost = std::max(node.budget, node.prefix.budget);
        const Graph::Histogram& yes = histogram(branch.yes);
        const Graph::Histogram& no = histogram(branch.no);
        Digit* yes_times = times_of(branch.yes);
        Digit* no_times = times_of(branch.no);
        for (std::size_t i = 0; i < yes.keys.size(); ++i)
            for (std::size_t j = 0; j < no.keys.size(); ++j) {
                if (yes.keys[i].cost + no.keys[j].cost > max_cost) break;
                if (graph_.is_trivial_split(graph_.edges[branch.edge], yes.keys[i], no.keys[j])) continue;
                const std::size_t place =
                    graph_.find(set_.states_[id].node, graph_.combine(node, yes.keys[i], no.keys[j]));
                if (place == SIZE_MAX) continue;
                const Digit* here = times_[id].data() + place * n_;
                if (is_zero(here, n_)) continue;
                multiply_add(yes_times + i * n_, here, no.numbers.data() + j * n_, n_);
                multiply_add(no_times + j * n_, here, yes.numbers.data() + i * n_, n_);
            }
    }

    const WalkedSet& set_;
    const Graph& graph_;
    const std::size_t n_;  // digits
    Limits& limits_;
    const std::vector<Digit> all_ = graph_.n_trees();
    std::vector<std::vector<Digit>> times_;
    std::size_t charged_ = 0;
};

std::optional<double> WalkedSet::mean(const Prices& prices, Limits& limits) {
    if (!is_complete_) return std::nullopt;
    if (leaf_shares_.empty()) {
        bool found = false;
        std::vector<double> shares;
        limits.completes([&] { found = LeafShares(*this, limits).find(shares); });
        if (!found) return std::nullopt;
        leaf_shares_ = std::move(shares);
    }
    double sum = 0;
    for (std::uint32_t id = 0; id < states_.size(); ++id)
        if (leaf_shares_[id] > 0) sum += leaf_shares_[id] * leaf_value(id, prices);
    return sum;
}

}  // namespace splitsecond
