// Criteria over all trees of a set, against the list of its trees with rows of their own.
#include "sets/walked_set.hpp"

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "sets/rashomon.hpp"
#include "support/check.hpp"
#include "support/data.hpp"
#include "support/listed_trees.hpp"

namespace splitsecond {
namespace {

// Rows to measure on: any answers, channels and weights.
struct Measured {
    std::size_t n_rows;
    std::size_t n_channels;
    std::vector<std::vector<std::uint64_t>> columns;
    std::vector<std::int32_t> channels;
    std::vector<std::int64_t> weights;
    std::vector<std::int64_t> sums;   // where rows have numbers: weight times these
    std::vector<std::int32_t> ranks;  // which are these

    Measured(Random& random, std::size_t n_columns)
        : n_rows(random.below(150)), n_channels(random.between(1, 4)) {
        const bool is_weighted = random.chance(50);
        for (std::size_t j = 0; j < n_columns; ++j) {
            std::vector<std::uint64_t>& column = columns.emplace_back((n_rows + 63) / 64 + 1, 0);
            for (std::size_t i = 0; i < n_rows; ++i)
                if (random.chance(50)) column[i / 64] |= std::uint64_t{1} << i % 64;
        }
        for (std::size_t i = 0; i < n_rows; ++i) {
            channels.push_back(random.chance(10) ? -1 : static_cast<std::int32_t>(random.below(n_channels)));
            weights.push_back(is_weighted ? static_cast<std::int64_t>(random.below(9)) : 1);
        }
        if (!random.chance(50)) return;
        for (std::size_t i = 0; i < n_rows; ++i) {
            ranks.push_back(static_cast<std::int32_t>(random.below(7)));
            sums.push_back(weights[i] * ranks[i]);
        }
    }
    bool has_numbers() const { return !ranks.empty(); }
    std::size_t n_weights() const { return (has_numbers() ? 4 : 1) * n_channels; }
    // What a row adds to each of these, in a leaf of this rank.
    std::vector<double> weights_of(std::size_t row, std::int32_t rank) const {
        std::vector<double> out(n_weights(), 0);
        if (channels[row] < 0) return out;
        const auto channel = static_cast<std::size_t>(channels[row]);
        out[channel] = static_cast<double>(weights[row]);
        if (!has_numbers()) return out;
        const double below = ranks[row] < rank ? 1 : 0;
        out[n_channels + channel] = static_cast<double>(sums[row]);
        out[2 * n_channels + channel] = below * static_cast<double>(weights[row]);
        out[3 * n_channels + channel] = below * static_cast<double>(sums[row]);
        return out;
    }
    bool answer(std::size_t row, std::int32_t feature) const {
        return (columns[static_cast<std::size_t>(feature)][row / 64] >> row % 64 & 1) != 0;
    }
    MeasuredRows rows() const {
        std::vector<const std::uint64_t*> bits;
        for (const auto& column : columns) bits.push_back(column.data());
        RowNumbers numbers;
        if (has_numbers()) numbers = {sums.data(), ranks.data()};
        return {bits, n_rows, channels.data(), n_channels, weights.data(), numbers};
    }
};

struct Criterion {
    std::vector<double> values, least;
    std::vector<std::int32_t> ranks;  // of what leaves say, by node; empty: rows have no numbers
    bool by_node;
    std::size_t n_channels;

    Criterion(Random& random, const Graph& graph, const Measured& measured)
        : by_node(random.chance(50)), n_channels(measured.n_weights()) {
        const std::size_t n = by_node ? graph.nodes.size() : graph.n_labels();
        least.assign(n_channels, std::numeric_limits<double>::infinity());
        for (std::size_t i = 0; i < n * n_channels; ++i) {
            values.push_back(static_cast<double>(random.below(12)) - 4);
            least[i % n_channels] = std::min(least[i % n_channels], values.back());
        }
        if (!measured.has_numbers()) return;
        for (std::size_t i = 0; i < graph.nodes.size(); ++i)
            ranks.push_back(static_cast<std::int32_t>(random.below(8)));
        for (std::size_t k = n_channels / 2; k < n_channels; ++k) {  // of some of the rows
            least[k - n_channels / 2] += std::min(0.0, least[k]);
            least[k] = 0;
        }
    }
    const std::int32_t* rank_data() const { return ranks.empty() ? nullptr : ranks.data(); }
    Prices prices() const { return {values.data(), by_node, least.data()}; }

    double of(const Graph& graph, const Measured& measured, const GraphTree& tree) const {
        double sum = 0;
        for (std::size_t i = 0; i < measured.n_rows; ++i) {
            std::size_t place = 0;
            while (tree.feature[place] >= 0)
                place = static_cast<std::size_t>(measured.answer(i, tree.feature[place]) ? tree.left[place]
                                                                                         : tree.right[place]);
            const std::uint32_t row = by_node ? tree.node[place] : graph.nodes[tree.node[place]].label;
            const std::vector<double> weights =
                measured.weights_of(i, ranks.empty() ? 0 : ranks[tree.node[place]]);
            for (std::size_t k = 0; k < n_channels; ++k) sum += values[row * n_channels + k] * weights[k];
        }
        return sum;
    }
};

// The trees of a frontier, cut apart.
std::vector<GraphTree> trees_of(const Frontier& frontier) {
    std::vector<GraphTree> out;
    std::size_t begin = 0;
    for (const std::int64_t end : frontier.ends) {
        GraphTree& tree = out.emplace_back();
        for (std::size_t i = begin; i < static_cast<std::size_t>(end); ++i) {
            tree.feature.push_back(frontier.trees.feature[i]);
            tree.left.push_back(frontier.trees.left[i]);
            tree.right.push_back(frontier.trees.right[i]);
            tree.node.push_back(frontier.trees.node[i]);
        }
        begin = static_cast<std::size_t>(end);
    }
    return out;
}

void check_frontier(Graph& graph, const Measured& measured, const Criterion& criterion, WalkedSet& walked) {
    Limits limits;
    std::map<Cost, double> lowest;  // by cost
    double sum = 0;
    const std::vector<GraphTree> trees = all_trees(graph);
    for (const GraphTree& tree : trees) {
        const double value = criterion.of(graph, measured, tree);
        const auto [place, is_new] = lowest.emplace(cost_of(graph, tree), value);
        if (!is_new) place->second = std::min(place->second, value);
        sum += value;
    }
    std::vector<Cost> costs;
    std::vector<double> values;
    for (const auto& [cost, value] : lowest)
        if (values.empty() || value < values.back()) costs.push_back(cost), values.push_back(value);
    const Frontier frontier = walked.frontier(criterion.prices(), limits);
    CHECK(frontier.is_exact);
    CHECK_EQ(frontier.costs, costs);
    CHECK_EQ(frontier.values, values);
    const std::vector<GraphTree> found = trees_of(frontier);
    CHECK_EQ(found.size(), values.size());
    for (std::size_t i = 0; i < found.size(); ++i) {
        CHECK(graph.holds(found[i]));
        CHECK_EQ(criterion.of(graph, measured, found[i]), values[i]);
        CHECK_EQ(cost_of(graph, found[i]), costs[i]);
    }
    const std::optional<double> mean = walked.mean(criterion.prices(), limits);
    CHECK(mean.has_value() == !trees.empty());
    if (mean) CHECK_LE(std::abs(*mean - sum / static_cast<double>(trees.size())), 1e-9);
}

void check_bound(Random& random, Graph& graph, const Measured& measured, const Criterion& criterion,
                 const WalkedSet& walked) {
    Limits limits;
    const std::vector<GraphTree> trees = all_trees(graph);
    if (trees.empty()) return;
    const double bound =
        criterion.of(graph, measured, trees[random.below(trees.size())]) - (random.chance(20) ? 0.5 : 0);
    Graph within;
    CHECK(walked.at_most(criterion.prices(), bound, within, limits));
    std::size_t expected = 0;
    for (const GraphTree& tree : trees) {
        const bool is_in = criterion.of(graph, measured, tree) <= bound;
        expected += is_in ? 1 : 0;
        CHECK_EQ(within.holds(tree), is_in);
    }
    CHECK_EQ(all_trees(within).size(), expected);
}

// What limits leave is a bound of what is true.
void check_limits(Graph& graph, const Measured& measured, const Criterion& criterion) {
    Limits none;
    const MeasuredRows rows = measured.rows();
    WalkedSet whole(graph, rows, none, criterion.rank_data());
    const Frontier exact = whole.frontier(criterion.prices(), none);
    if (exact.values.empty()) return;
    for (const std::size_t bytes : {0u, 500u, 2000u, 8000u}) {
        Limits tight(Limits::kNoDeadline, bytes), all;
        WalkedSet walked(graph, rows, tight, criterion.rank_data());
        CHECK(tight.holds_nothing());
        CHECK_EQ(walked.totals(), whole.totals());
        const Frontier bound = walked.frontier(criterion.prices(), all);
        CHECK_EQ(bound.is_exact, walked.is_complete());
        CHECK_LE(bound.values.back(), exact.values.back());
        CHECK_LE(bound.costs.front(), exact.costs.front());
        Graph out;
        if (walked.is_complete()) continue;
        CHECK(!walked.mean(criterion.prices(), all));
        CHECK(!walked.at_most(criterion.prices(), 1e9, out, all));
        CHECK(bound.ends.empty());
    }
    Limits late(0.0), tight(Limits::kNoDeadline, 100);
    CHECK(!WalkedSet(graph, rows, late, criterion.rank_data()).is_complete() || graph.edges.empty());
    CHECK(!whole.frontier(criterion.prices(), late).is_exact);
    CHECK(!whole.mean(criterion.prices(), late) || graph.edges.empty());
    Graph out;
    CHECK(!whole.at_most(criterion.prices(), 1e9, out, late));
    const Frontier bound = whole.frontier(criterion.prices(), tight);
    CHECK_LE(bound.values.back(), exact.values.back());
    CHECK(tight.holds_nothing());
}

void test_random(std::uint64_t seed) {
    const check::Context context("seed ", seed);
    Random random(seed);
    const Data data = make_data(random, {random.between(4, 40), random.between(2, 5), random.between(2, 3),
                                         random.chance(30) ? Weights::few : Weights::none});
    SetOptions options;
    options.max_depth = random.between(0, 3) + (random.chance(30) ? 1 : 0);
    options.objective.price = {100, static_cast<Cost>(random.one_of<std::size_t>({10, 60, 150}))};
    options.keep_trivial = random.chance(30);
    if (random.chance(50)) options.lookahead = random.below(3);
    const auto epsilon = static_cast<Cost>(random.below(6000));
    options.bound = [&](Cost errors, Cost leaves) {
        return options.objective.price.of(errors, leaves) + epsilon;
    };
    Limits limits;
    Graph graph = std::move(rashomon_set(data.table(), data.target(), options, limits).graph);
    if (random.chance(25)) {
        Filter filter;
        filter.max_leaves = static_cast<Cost>(random.between(1, 4));
        Graph fewer;
        CHECK(graph.filtered(filter, fewer, limits));
        graph = std::move(fewer);
    }
    if (all_trees(graph).size() > 4000) return;
    const Measured measured(random, data.n_columns);
    const MeasuredRows rows = measured.rows();
    const Criterion criterion(random, graph, measured);
    WalkedSet walked(graph, rows, limits, criterion.rank_data());
    CHECK(walked.is_complete());
    CHECK(limits.holds_nothing());
    check_frontier(graph, measured, criterion, walked);
    check_bound(random, graph, measured, criterion, walked);
    check_limits(graph, measured, criterion);
}

}  // namespace
}  // namespace splitsecond

int main() {
    for (std::uint64_t seed = 0; seed < 1000; ++seed) splitsecond::test_random(seed);
    return check::report();
}
