#include "sets/path_counts.hpp"

#include <algorithm>
#include <map>
#include <utility>

namespace splitsecond {

// Goes down the graph level by level. At a node that a path leads to, times[i] is the number of trees of the set that go
// on there with a given tree of key i, and best[i] the first key of the root that such a tree has.
class PathCounter {
public:
    PathCounter(const Graph& graph, const std::vector<std::size_t>& max_kept, Limits& limits)
        : graph_(graph), n_(graph.digits_), max_kept_(max_kept), limits_(limits) {}

    PathCounts run() {
        limits_.completes([&] { count_levels(); });
        limits_.release(charged_);
        return std::move(out_);
    }

private:
    static constexpr std::uint32_t kNoKey = UINT32_MAX;

    struct Arrival {
        std::uint32_t node;
        std::vector<Digit> times;
        std::vector<std::uint32_t> best;
    };
    struct Place {  // of a tree; in filtered sets several nodes stand for it
        std::int32_t parent;
        bool is_no;
        std::vector<Arrival> arrivals;
    };
    struct Found {  // trees that ask a question at a place
        std::vector<Digit> number;
        std::uint32_t best = kNoKey;
        std::vector<Arrival> sides[2];
    };
    using Questions = std::map<std::int32_t, Found>;

    const std::vector<Key>& keys_of(std::uint32_t node) const { return graph_.histograms_[node].keys; }
    const Digit* number_of(std::uint32_t node, std::size_t key) const {
        return graph_.histograms_[node].numbers.data() + key * n_;
    }

    // Sums are no more than the trees of the set, so they fit. Mostly a number is one word.
    void add_product(Digit* sum, const Digit* a, const Digit* b) const {
        if (n_ == 1)
            *sum += *a * *b;
        else
            multiply_add(sum, a, b, n_);
    }

    void count_levels() {
        std::vector<Place> places;
        places.push_back({PathStep::kNone, false, {whole_set()}});
        for (std::size_t level = 0; level < max_kept_.size() && !places.empty(); ++level) {
            const bool is_last = level + 1 == max_kept_.size();
            std::vector<Place> below;
            for (const Place& place : places) {
                Questions questions;
                for (const Arrival& arrival : place.arrivals)
                    if (!visit(arrival, is_last, questions)) return;
                if (place.parent != PathStep::kNone) follow(place);
                list(place, max_kept_[level], questions, is_last, below);
            }
            places = std::move(below);
        }
    }
    // A parent is followed once both of its sides are listed; they come one after the other.
    void follow(const Place& place) {
        if (place.is_no) out_.steps[static_cast<std::size_t>(place.parent)].is_followed = true;
    }

    Arrival whole_set() const {
        const std::size_t n_keys = keys_of(graph_.root).size();
        Arrival all{graph_.root, std::vector<Digit>(n_keys * n_, 0), std::vector<std::uint32_t>(n_keys)};
        for (std::size_t i = 0; i < n_keys; ++i) {
            all.times[i * n_] = 1;
            all.best[i] = static_cast<std::uint32_t>(i);
        }
        return all;
    }
    Arrival nowhere(std::uint32_t node) const {
        const std::size_t n_keys = keys_of(node).size();
        return {node, std::vector<Digit>(n_keys * n_, 0), std::vector<std::uint32_t>(n_keys, kNoKey)};
    }

    // Adds what trees ask at a node. False when stopped.
    bool visit(const Arrival& from, bool is_last, Questions& questions) {
        const GraphNode& node = graph_.nodes[from.node];
        if (node.leaf) {
            const std::size_t place = graph_.find(from.node, graph_.leaf_key(node));
            if (place != SIZE_MAX && from.best[place] != kNoKey)
                count(questions[PathStep::kLeaf], from.times.data() + place * n_, from.best[place]);
        }
        for (std::size_t e = node.edge_begin; e < node.edge_end; ++e) {
            const GraphEdge& edge = graph_.edges[e];
            Arrival yes = nowhere(edge.yes), no = nowhere(edge.no);
            if (!pass_down(from, edge, yes, no)) return false;
            std::vector<Digit> number(n_, 0);
            std::uint32_t best = kNoKey;
            for (std::size_t i = 0; i < yes.best.size(); ++i) {
                add_product(number.data(), yes.times.data() + i * n_, number_of(edge.yes, i));
                best = std::min(best, yes.best[i]);
            }
            if (best == kNoKey) continue;
            Found& found = questions[edge.feature];
            count(found, number.data(), best);
            if (is_last) continue;
            keep(found.sides[0], std::move(yes));
            keep(found.sides[1], std::move(no));
        }
        return true;
    }
    void count(Found& found, const Digit* number, std::uint32_t best) const {
        found.number.resize(n_, 0);
        add(found.number.data(), number, n_);
        found.best = std::min(found.best, best);
    }
    void keep(std::vector<Arrival>& side, Arrival&& arrival) {
        const std::size_t bytes =
            arrival.times.size() * sizeof(Digit) + arrival.best.size() * sizeof(std::uint32_t);
        limits_.charge(bytes);
        charged_ += bytes;
        side.push_back(std::move(arrival));
    }

    bool pass_down(const Arrival& from, const GraphEdge& edge, Arrival& to_yes, Arrival& to_no) {
        const GraphNode& node = graph_.nodes[from.node];
        const Cost max_cost = std::max(node.budget, node.prefix.budget);
        const std::vector<Key>& keys = keys_of(from.node);
        const std::vector<Key>& yes = keys_of(edge.yes);
        const std::vector<Key>& no = keys_of(edge.no);
        for (std::size_t i = 0; i < yes.size(); ++i) {
            if (limits_.stop()) return false;
            std::size_t place = 0;  // rises with j: keys are in order of cost, then leaves
            for (std::size_t j = 0; j < no.size(); ++j) {
                if (yes[i].cost + no[j].cost > max_cost) break;
                if (graph_.is_trivial_split(edge, yes[i], no[j])) continue;
                const std::size_t found = find_from(keys, graph_.combine(node, yes[i], no[j]), place);
                if (found == SIZE_MAX || from.best[found] == kNoKey) continue;
                const Digit* times = from.times.data() + found * n_;
                add_product(to_yes.times.data() + i * n_, times, number_of(edge.no, j));
                add_product(to_no.times.data() + j * n_, times, number_of(edge.yes, i));
                to_yes.best[i] = std::min(to_yes.best[i], from.best[found]);
                to_no.best[j] = std::min(to_no.best[j], from.best[found]);
            }
        }
        return true;
    }

    // Writes down the steps of a place, and the places below those that are kept.
    void list(const Place& place, std::size_t max_kept, Questions& questions, bool is_last,
              std::vector<Place>& below) {
        std::vector<Questions::value_type*> order;
        for (auto& each : questions) order.push_back(&each);
        std::stable_sort(order.begin(), order.end(), [&](const auto* a, const auto* b) {
            return less(b->second.number.data(), a->second.number.data(), n_);
        });
        Found others;
        std::int64_t n_others = 0;
        std::size_t kept = 0;
        for (Questions::value_type* each : order) {
            auto& [feature, found] = *each;
            if (feature != PathStep::kLeaf && kept == max_kept) {
                count(others, found.number.data(), found.best);
                ++n_others;
                continue;
            }
            const auto step = static_cast<std::int32_t>(out_.steps.size());
            write(place, feature, 1, found);
            if (feature == PathStep::kLeaf) continue;
            ++kept;
            if (is_last) continue;
            below.push_back({step, false, std::move(found.sides[0])});
            below.push_back({step, true, std::move(found.sides[1])});
        }
        if (n_others > 0) write(place, PathStep::kOthers, n_others, others);
    }
    void write(const Place& place, std::int32_t feature, std::int64_t questions, const Found& found) {
        const Key& best = keys_of(graph_.root)[found.best];
        out_.steps.push_back({feature, place.parent, place.is_no, questions, best.cost, best.leaves});
        out_.numbers.insert(out_.numbers.end(), found.number.begin(), found.number.end());
    }

    const Graph& graph_;
    const std::size_t n_;  // words of a number
    const std::vector<std::size_t>& max_kept_;
    Limits& limits_;
    PathCounts out_;
    std::size_t charged_ = 0;
};

PathCounts count_paths(const Graph& graph, const std::vector<std::size_t>& max_kept, Limits& limits) {
    return PathCounter(graph, max_kept, limits).run();
}

}  // namespace splitsecond
