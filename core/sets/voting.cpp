// What all trees of a set predict for a row, how many of them which class, or the mean and spread of their numbers: every
// path of the graph is walked with the rows that take it, and the number of trees that contain the path.
#include <algorithm>
#include <map>
#include <numeric>
#include <utility>

#include "sets/graph.hpp"

namespace splitsecond {
namespace {

using Rows = std::vector<std::uint32_t>;

// Parts of all trees as doubles, however many there are.
class Shares {
public:
    explicit Shares(const std::vector<Digit>& all) : n_(all.size()) {
        std::size_t top = n_ - 1;
        while (top > 0 && all[top] == 0) --top;
        low_ = top > 2 ? top - 2 : 0;  // what is below three words is less than doubles tell
        whole_ = to_double(all.data() + low_, n_ - low_);
    }
    double of(const Digit* some) const { return to_double(some + low_, n_ - low_) / whole_; }

private:
    std::size_t n_;
    std::size_t low_;
    double whole_;
};

}  // namespace

// Mean and squares about it go on from one value to the next, so that large numbers do not cancel.
void Spread::add(double value, double share) {
    minimum = std::min(minimum, value);
    maximum = std::max(maximum, value);
    if (share == 0) return;  // of trees so few that doubles do not tell
    share_ += share;
    const double apart = value - mean;
    mean += share / share_ * apart;
    squares_ += share * apart * (value - mean);
}

double Spread::variance() const { return minimum < maximum ? squares_ / share_ : 0; }

// Goes down the graph level by level with the rows that take each way. Ways that lead the same rows to the
// same node go on as one: there are many orders to ask the same questions in. weights[i] says how many trees
// of the set continue there with a given tree of key i. on_leaf(node, rows, number) is told how many trees have a leaf
// there.
template <class OnLeaf>
class Graph::Voter {
public:
    Voter(const Graph& graph, const std::vector<const std::uint64_t*>& columns, const OnLeaf& on_leaf,
          Limits& limits)
        : graph_(graph), columns_(columns), on_leaf_(on_leaf), limits_(limits) {}

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
                on_leaf_(id, rows, weights.data() + place * n);
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
                if (graph_.is_trivial_split(edge, yes, no)) continue;
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
    const OnLeaf& on_leaf_;
    Limits& limits_;
    std::map<std::pair<std::uint32_t, Rows>, std::vector<Digit>> next_;
};

// A block of rows at a time.
template <class OnLeaf>
bool Graph::visit_leaves(const std::vector<const std::uint64_t*>& columns, std::size_t n_rows,
                         const OnLeaf& on_leaf, Limits& limits) const {
    constexpr std::size_t kMaxHeld = std::size_t{1} << 24;  // rows at all nodes of a level together
    const std::size_t block = std::max<std::size_t>(256, kMaxHeld / nodes.size());
    for (std::size_t begin = 0; begin < n_rows; begin += block) {
        Rows rows(std::min(block, n_rows - begin));
        std::iota(rows.begin(), rows.end(), static_cast<std::uint32_t>(begin));
        if (!Voter<OnLeaf>(*this, columns, on_leaf, limits).run(rows)) return false;
    }
    return true;
}

bool Graph::vote(const std::vector<const std::uint64_t*>& columns, std::size_t n_rows,
                 std::vector<Digit>& votes, Limits& limits) const {
    const std::size_t n_labels_here = n_labels();
    votes.assign(n_rows * n_labels_here * digits_, 0);
    const auto on_leaf = [&](std::uint32_t node, const Rows& rows, const Digit* number) {
        for (const std::uint32_t row : rows)
            add(votes.data() + (row * n_labels_here + nodes[node].label) * digits_, number, digits_);
    };
    return visit_leaves(columns, n_rows, on_leaf, limits);
}

bool Graph::vote_numbers(const std::vector<const std::uint64_t*>& columns, std::size_t n_rows,
                         const double* values, std::vector<Spread>& votes, Limits& limits) const {
    votes.assign(n_rows, {});
    const Shares shares(n_trees());
    const auto on_leaf = [&](std::uint32_t node, const Rows& rows, const Digit* number) {
        const double share = shares.of(number);
        for (const std::uint32_t row : rows) votes[row].add(values[node], share);
    };
    return visit_leaves(columns, n_rows, on_leaf, limits);
}

}  // namespace splitsecond
