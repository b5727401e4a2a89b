#include "sets/walked_set.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "sets/hashing.hpp"

namespace splitsecond {
namespace {

// Numbers found by the hash of what they stand for.
class HashIndex {
public:
    void clear() {
        slots_.clear();
        size_ = 0;
    }
    // The number with this hash for which is_same holds; make() gives it if there is none yet.
    template <class IsSame, class Make>
    std::uint32_t find(std::uint64_t hash, const IsSame& is_same, const Make& make) {
        if (2 * (size_ + 1) > slots_.size()) grow();
        std::size_t place = hash & (slots_.size() - 1);
        for (; slots_[place].number != kEmpty; place = (place + 1) & (slots_.size() - 1))
            if (slots_[place].hash == hash && is_same(slots_[place].number)) return slots_[place].number;
        const std::uint32_t number = make();
        slots_[place] = {hash, number};
        ++size_;
        return number;
    }
    static constexpr std::size_t bytes_each() {
        return 4 * sizeof(Slot);
    }  // when half of it was just doubled

private:
    static constexpr std::uint32_t kEmpty = UINT32_MAX;
    struct Slot {
        std::uint64_t hash = 0;
        std::uint32_t number = kEmpty;
    };
    void grow() {
        const std::vector<Slot> before =
            std::exchange(slots_, std::vector<Slot>(std::max<std::size_t>(64, 2 * slots_.size())));
        for (const Slot& slot : before) {
            if (slot.number == kEmpty) continue;
            std::size_t place = slot.hash & (slots_.size() - 1);
            while (slots_[place].number != kEmpty) place = (place + 1) & (slots_.size() - 1);
            slots_[place] = slot;
        }
    }

    std::vector<Slot> slots_;
    std::size_t size_ = 0;
};

}  // namespace

// Goes down the graph level by level. The masks of two levels are kept.
class WalkedSet::Walk {
public:
    Walk(WalkedSet& set, const MeasuredRows& rows, const std::int32_t* ranks, Limits& limits)
        : set_(set),
          rows_(rows),
          ranks_(ranks),
          limits_(limits),
          n_words_(rows.n_words()),
          sides_(2 * rows.n_words()),
          weights_(rows.n_channels()) {}

    // False when stopped: the states that are left are not walked.
    bool run() {
        std::vector<std::uint64_t> masks(rows_.all(), rows_.all() + n_words_);
        std::vector<std::uint32_t> level;
        if (!set_.is_only_leaf(0)) level.push_back(0);
        while (!level.empty()) {
            known_.clear();
            next_.clear();
            next_masks_.clear();
            for (std::size_t i = 0; i < level.size(); ++i)
                if (!visit(level[i], masks.data() + i * n_words_)) return false;
            std::swap(level, next_);
            std::swap(masks, next_masks_);
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
        if (set_.graph_.nodes[node].edge_begin == set_.graph_.nodes[node].edge_end)
            return leaf_state_of(node, mask);
        const auto is_same = [&](std::uint32_t place) {
            return set_.states_[next_[place]].node == node &&
                   std::equal(mask, mask + n_words_, next_masks_.data() + place * n_words_);
        };
        const auto make = [&] {
            charge(n_words_ * sizeof(std::uint64_t) + sizeof(std::uint32_t));
            next_masks_.insert(next_masks_.end(), mask, mask + n_words_);
            weigh(node, mask);
            next_.push_back(add_state(node));
            return static_cast<std::uint32_t>(next_.size() - 1);
        };
        return next_[known_.find(hash_of(node, mask, n_words_), is_same, make)];
    }
    std::uint32_t leaf_state_of(std::uint32_t node, const std::uint64_t* mask) {
        weigh(node, mask);
        const auto is_same = [&](std::uint32_t state) {
            return set_.states_[state].node == node &&
                   std::equal(weights_.begin(), weights_.end(),
                              set_.weights_.data() + state * weights_.size());
        };
        const auto* words = reinterpret_cast<const std::uint64_t*>(weights_.data());
        return leaves_.find(hash_of(node, words, weights_.size()), is_same, [&] { return add_state(node); });
    }
    void weigh(std::uint32_t node, const std::uint64_t* mask) {
        rows_.weigh(mask, ranks_ == nullptr ? 0 : ranks_[node], weights_.data());
    }
    std::uint32_t add_state(std::uint32_t node) {
        charge(sizeof(State) + weights_.size() * sizeof(std::int64_t) + HashIndex::bytes_each());
        return set_.add_state(node, weights_);
    }
    void charge(std::size_t bytes) {
        limits_.charge(bytes);
        charged_ += bytes;
    }

    WalkedSet& set_;
    const MeasuredRows& rows_;
    const std::int32_t* ranks_;
    Limits& limits_;
    const std::size_t n_words_;
    std::vector<std::uint64_t> sides_;   // of the edge at hand: yes, no
    std::vector<std::int64_t> weights_;  // of the state at hand
    std::vector<std::uint32_t> next_;    // states of the next level that are no mere leaves
    std::vector<std::uint64_t> next_masks_;
    HashIndex known_;   // places in next_
    HashIndex leaves_;  // states that are mere leaves
    std::size_t charged_ = 0;
};

WalkedSet::WalkedSet(const Graph& graph, const MeasuredRows& rows, Limits& limits, const std::int32_t* ranks)
    : graph_(graph),
      n_channels_(static_cast<std::ptrdiff_t>(rows.n_channels())),
      n_of_all_rows_(static_cast<std::ptrdiff_t>(rows.n_of_all_rows())) {
    std::vector<std::int64_t> all(rows.n_channels());
    rows.weigh(rows.all(), ranks == nullptr ? 0 : ranks[graph.root], all.data());
    add_state(graph.root, all);  // is there whatever the limits
    Walk walk(*this, rows, ranks, limits);
    limits.completes([&] { is_complete_ = walk.run(); });
    limits.release(walk.charged());
}

std::uint32_t WalkedSet::add_state(std::uint32_t node, const std::vector<std::int64_t>& weights) {
    weights_.insert(weights_.end(), weights.begin(), weights.end());
    states_.push_back({node});  // last: without memory for the one, the other must not be there
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
    return std::rint(value(state, prices.values + row * n_channels_) * prices.grid) / prices.grid;
}

// With a grid so fine that no sum over the leaves of a tree needs more than 52 bits.
Prices WalkedSet::on_grid(Prices prices) const {
    const std::size_t n = prices.by_node ? graph_.nodes.size() : graph_.n_labels();
    double highest = 0;
    for (std::ptrdiff_t k = 0; k < n_channels_; ++k) {
        double price = 0;
        for (std::size_t row = 0; row < n; ++row)
            price =
                std::max(price, std::abs(prices.values[static_cast<std::ptrdiff_t>(row) * n_channels_ + k]));
        // Rows below what a leaf says may be more than those below what the root would say, but not more than all.
        const std::ptrdiff_t whole = k < n_of_all_rows_ ? k : k - n_of_all_rows_;
        highest += price * static_cast<double>(weights_[static_cast<std::size_t>(whole)]);
    }
    int exponent = 0;  // highest < 2^exponent
    std::frexp(highest, &exponent);
    prices.grid = std::ldexp(1.0, std::clamp(51 - exponent, -900, 900));
    return prices;
}

// ---- the mean ---------------------------------------------------------------------------------------

// Which share of the set's trees has a leaf in each state, top down: times[i] is the share of trees that go on in a state
// with a given tree of key i. All terms are positive, so that doubles are exact to a few of their last bits.
class WalkedSet::LeafShares {
public:
    LeafShares(const WalkedSet& set, Limits& limits)
        : set_(set),
          graph_(set.graph_),
          limits_(limits),
          times_(set.states_.size()),
          numbers_(graph_.nodes.size()) {}
    ~LeafShares() { limits_.release(charged_); }

    // False when stopped, without trees, or for more trees than doubles can count.
    bool find(std::vector<double>& shares) {
        constexpr double kMaxTrees = 0x1p1000;
        const double all = to_double(graph_.n_trees().data(), graph_.digits_);
        if (!(all > 0 && all < kMaxTrees)) return false;
        const auto n_states = static_cast<std::uint32_t>(set_.states_.size());
        shares.assign(n_states, 0);
        times_of(0);
        std::fill(times_[0].begin(), times_[0].end(), 1 / all);
        for (std::uint32_t id = 0; id < n_states; ++id) {
            if (set_.is_only_leaf(id) || times_[id].empty()) continue;
            shares[id] = share(id);
            const State& state = set_.states_[id];
            for (std::size_t b = state.branch_begin; b < state.branch_end; ++b)
                if (!pass_down(id, set_.branches_[b])) return false;
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
    void charge(std::size_t n_doubles) {
        limits_.charge(n_doubles * sizeof(double));
        charged_ += n_doubles * sizeof(double);
    }
    double* times_of(std::uint32_t state) {
        if (times_[state].empty()) {
            charge(histogram(state).keys.size());
            times_[state].assign(histogram(state).keys.size(), 0);
        }
        return times_[state].data();
    }
    // How many trees a node has of each key.
    const double* numbers_of(std::uint32_t state) {
        std::vector<double>& numbers = numbers_[set_.states_[state].node];
        const std::size_t n = graph_.digits_;
        if (numbers.empty()) {
            const std::vector<Digit>& digits = histogram(state).numbers;
            charge(digits.size() / n);
            for (std::size_t i = 0; i < digits.size(); i += n)
                numbers.push_back(to_double(digits.data() + i, n));
        }
        return numbers.data();
    }
    void release(std::uint32_t state) {
        limits_.release(times_[state].size() * sizeof(double));
        charged_ -= times_[state].size() * sizeof(double);
        std::vector<double>().swap(times_[state]);
    }

    // Of all trees, those that have a leaf here.
    double share(std::uint32_t id) const {
        const std::uint32_t source = set_.states_[id].node;
        const GraphNode& node = graph_.nodes[source];
        if (!node.leaf || times_[id].empty()) return 0;
        const std::size_t place = graph_.find(source, graph_.leaf_key(node));
        return place == SIZE_MAX ? 0 : times_[id][place];
    }

    bool pass_down(std::uint32_t id, const Branch& branch) {
        const GraphNode& node = graph_.nodes[set_.states_[id].node];
        const Cost max_cost = std::max(node.budget, node.prefix.budget);
        const std::vector<Key>& keys = histogram(id).keys;
        const std::vector<Key>& yes = histogram(branch.yes).keys;
        const std::vector<Key>& no = histogram(branch.no).keys;
        double* yes_times = times_of(branch.yes);
        double* no_times = times_of(branch.no);
        const double* yes_numbers = numbers_of(branch.yes);
        const double* no_numbers = numbers_of(branch.no);
        for (std::size_t i = 0; i < yes.size(); ++i) {
            if (limits_.stop()) return false;
            std::size_t place = 0;  // rises with j: keys are in order of cost, then leaves
            double sum = 0;
            for (std::size_t j = 0; j < no.size(); ++j) {
                if (yes[i].cost + no[j].cost > max_cost) break;
                if (graph_.is_trivial_split(graph_.edges[branch.edge], yes[i], no[j])) continue;
                const std::size_t found = find_from(keys, graph_.combine(node, yes[i], no[j]), place);
                if (found == SIZE_MAX) continue;
                const double here = times_[id][found];
                sum += here * no_numbers[j];
                no_times[j] += here * yes_numbers[i];
            }
            yes_times[i] += sum;
        }
        return true;
    }

    const WalkedSet& set_;
    const Graph& graph_;
    Limits& limits_;
    std::vector<std::vector<double>> times_;    // by state
    std::vector<std::vector<double>> numbers_;  // by node
    std::size_t charged_ = 0;
};

std::optional<double> WalkedSet::mean(const Prices& prices, Limits& limits) {
    if (!is_complete_) return std::nullopt;
    const std::lock_guard lock(mutex_);
    if (leaf_shares_.empty()) {
        bool found = false;
        std::vector<double> shares;
        limits.completes([&] { found = LeafShares(*this, limits).find(shares); });
        if (!found) return std::nullopt;
        leaf_shares_ = std::move(shares);
    }
    double sum = 0;
    const Prices given = on_grid(prices);
    for (std::uint32_t id = 0; id < states_.size(); ++id)
        if (leaf_shares_[id] > 0) sum += leaf_shares_[id] * leaf_value(id, given);
    return sum;
}

}  // namespace splitsecond
