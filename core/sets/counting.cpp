// Counting the trees of a graph: histograms by (cost, leaves, prefix cost), bottom up (Algorithm 7 of the paper counts
// RESPLIT's set).
#include <algorithm>
#include <numeric>
#include <unordered_map>

#include "sets/graph.hpp"
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

}  // namespace

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
    constexpr std::size_t kMaxDigits = 4096;  // no set that can be built needs as many
    numbering_.reset();
    digits_ = 1;
    Counted done;
    while ((done = fill_histograms(limits)) == Counted::too_few_digits && digits_ < kMaxDigits) digits_ *= 2;
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

// Budgets are what the bound leaves, and follow it down; those of leaves and of what fills a prefix do not.
void Graph::lower_budgets(Cost by) {
    const bool whole = nodes[root].prefix.role == Role::plain;
    for (std::size_t id = 0; id < nodes.size(); ++id)
        if (id == root || nodes[id].edge_begin != nodes[id].edge_end)
            (whole ? nodes[id].budget : nodes[id].prefix.budget) -= by;
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
    if (node.leaf && within_budget(node, leaf_key(node))) add_one(number_of(leaf_key(node)), digits_);
    const Cost max_cost = std::max(node.budget, node.prefix.budget);  // a prefix costs no less than its trees
    constexpr std::size_t kPairsPerPoll = 1 << 14;
    std::size_t pairs = 0;
    for (std::size_t e = node.edge_begin; e < node.edge_end; ++e) {
        if (limits.stop()) return Counted::stopped;
        const Histogram& yes = histograms_[edges[e].yes];
        const Histogram& no = histograms_[edges[e].no];
        for (std::size_t i = 0; i < yes.keys.size(); ++i) {
            pairs += no.keys.size();
            if (pairs >= kPairsPerPoll) {
                pairs = 0;
                if (!limits.has_room(keys.size() * (2 * sizeof(Key) + digits_ * sizeof(Digit))))
                    limits.out_of_memory();
                if (limits.stop()) return Counted::stopped;
            }
            for (std::size_t j = 0; j < no.keys.size(); ++j) {
                if (yes.keys[i].cost + no.keys[j].cost > max_cost) break;
                if (is_trivial_split(edges[e], yes.keys[i], no.keys[j])) continue;
                const Key key = combine(node, yes.keys[i], no.keys[j]);
                if (within_budget(node, key) &&
                    !multiply_add(number_of(key), yes.numbers.data() + i * digits_,
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

}  // namespace splitsecond
