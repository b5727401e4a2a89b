// Sets of trees as graphs: small ones by hand, and Rashomon sets against a list of all trees.
#include "sets/graph.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "sets/rashomon.hpp"
#include "support/check.hpp"
#include "support/data.hpp"
#include "support/listed_trees.hpp"
#include "support/oracle.hpp"
#include "support/random_sets.hpp"
#include "support/small_graph.hpp"

namespace splitsecond {
namespace {

// ---- by hand ----------------------------------------------------------------------------------------

void test_by_hand() {
    const std::string leaf = "=0 ", split = "0 =1 =0 ", trivial = "1 =0 =0 ";
    const auto expect = [](bool keep_trivial, Cost bound, const std::vector<std::string>& shapes) {
        const check::Context context("bound ", bound, keep_trivial ? ", all" : "");
        Limits limits;
        Graph graph = small_graph(keep_trivial, bound);
        CHECK(graph.count(limits));
        CHECK_EQ(shapes_of(graph), shapes);
        CHECK_EQ(graph.n_trees(), std::vector<Digit>{shapes.size()});
    };
    expect(false, 2, {});
    expect(false, 3, {split});
    expect(false, 4, {split, leaf});
    expect(false, 100, {split, leaf});
    expect(true, 4, {split, leaf});
    expect(true, 5, {split, leaf, trivial});

    Limits limits;
    Graph graph = small_graph(true, 5);
    CHECK(!graph.is_counted());
    CHECK(graph.count(limits));
    CHECK(graph.is_counted());
    CHECK_EQ(graph.histogram().size(), 3u);
    const Key best = graph.histogram()[0].first;
    CHECK(best == (Key{3, 2, kInfinite}));
    CHECK(trees_of(graph, 5, 2).size() == 1);
    CHECK(trees_of(graph, 5, 3).empty());
    GraphTree none;
    CHECK(!graph.append_tree(std::vector<Digit>{3}.data(), none));
    CHECK(none.feature.empty());
    for (const GraphTree& tree : all_trees(graph)) CHECK(graph.holds(tree));
    CHECK(!small_graph(false, 5).holds(all_trees(graph)[2]));
    CHECK(!small_graph(true, 3).holds(all_trees(graph)[1]));

    // One row with feature 0 alone, one with none: two trees of three say 0 for both, one says 1 and 0.
    const std::uint64_t column[] = {1}, other[] = {0};
    std::vector<Digit> votes;
    CHECK(graph.vote({column, other}, 2, votes, limits));
    CHECK_EQ(votes, (std::vector<Digit>{2, 1, 3, 0}));

    // As numbers, leaves say 10 times the label of their node, and one more.
    std::vector<double> values;
    for (const GraphNode& node : graph.nodes) values.push_back(10.0 * node.label + 1);
    std::vector<Spread> spreads;
    CHECK(graph.vote_numbers({column, other}, 2, values.data(), spreads, limits));
    CHECK_LE(std::abs(spreads[0].mean - 13.0 / 3), 1e-12);
    CHECK_LE(std::abs(spreads[0].variance() - 200.0 / 9), 1e-12);
    CHECK_EQ(spreads[0].minimum, 1.0);
    CHECK_EQ(spreads[0].maximum, 11.0);
    CHECK_EQ(spreads[1].mean, 1.0);
    CHECK_EQ(spreads[1].variance(), 0.0);
}

void test_stopped() {
    Limits late(0.0), none;
    Graph graph = small_graph(true, 5), out;
    CHECK(!graph.count(late));
    CHECK(!graph.is_counted());
    CHECK(graph.count(none));
    CHECK(!graph.filtered({}, out, late));
    std::vector<Digit> votes;
    const std::uint64_t column[] = {1};
    CHECK(!graph.vote({column, column}, 2, votes, late));
}

// A chain: `levels` splits, one below the other, each by one of two features, so that there are 2^levels trees;
// with twins, both children of a split go on like this.
Graph chain(std::size_t levels, bool twins) {
    Graph graph;
    graph.objective.price = {0, 0};
    graph.keep_trivial = true;
    graph.n_classes = 1;
    for (std::uint32_t i = 0; i <= levels; ++i) {
        GraphNode node;
        node.level = i;
        node.leaf = i == levels;
        node.budget = 0;
        node.edge_begin = graph.edges.size();
        for (std::int32_t side = 0; side < 2 && i < levels; ++side)
            graph.edges.push_back({side, twins ? i + 1 : static_cast<std::uint32_t>(levels), i + 1});
        node.edge_end = graph.edges.size();
        graph.nodes.push_back(node);
        graph.counts.push_back(1);
    }
    graph.restore();
    return graph;
}

void test_numbers_of_many_words() {
    Limits none, late(0.0);
    for (const std::size_t levels : {63, 64, 70, 127, 128, 200}) {
        const check::Context context(levels, " levels");
        Graph graph = chain(levels, false);
        CHECK(graph.count(none));
        std::vector<Digit> expected(graph.digits(), 0);
        CHECK_LT(levels / 64, expected.size());
        expected[levels / 64] = Digit{1} << levels % 64;
        CHECK_EQ(graph.n_trees(), expected);
        CHECK(!graph.count_better(0, late));  // and what was known stays
        CHECK_EQ(graph.n_trees(), expected);
        subtract(expected.data(), std::vector<Digit>{1, 0, 0, 0}.data(), graph.digits());
        // All trees have one leaf for a row that never says yes, whatever their number.
        const std::uint64_t none_has[] = {0};
        std::vector<double> values(graph.nodes.size(), 1e300);
        std::vector<Spread> spreads;
        values.back() = -2.5;
        CHECK(graph.vote_numbers({none_has, none_has}, 1, values.data(), spreads, none));
        CHECK_EQ(spreads[0].mean, -2.5);
        CHECK_EQ(spreads[0].maximum, -2.5);
        CHECK_EQ(spreads[0].variance(), 0.0);
        GraphTree last;
        CHECK(graph.append_tree(expected.data(), last));
        CHECK_EQ(last.feature.size(), 2 * levels + 1);
        CHECK_EQ(std::count(last.feature.begin(), last.feature.end(), 1),
                 static_cast<std::ptrdiff_t>(levels));
    }
    Graph endless = chain(40, true);  // 2^(2^40 - 1) trees
    CHECK(!endless.count(none));
    CHECK(none.reason() == Status::memory_limit);
}

// ---- by brute force ---------------------------------------------------------------------------------

struct Listed {
    std::string shape;
    Cost cost;
};

// All trees, straight from the definitions in SPEC.md.
class Brute {
public:
    Brute(const Data& data, Price price, bool keep_trivial)
        : data_(data), price_(price), keep_(keep_trivial), oracle_(data, price) {}

    std::vector<Listed> exact(std::size_t depth, Cost epsilon) {
        const Cost bound = oracle_.optimal(oracle_.all(), depth) + epsilon;
        std::vector<Listed> kept;
        for (const Listed& tree : trees({oracle_.all(), {}}, depth))
            if (tree.cost <= bound) kept.push_back(tree);
        return kept;
    }

    std::vector<Listed> resplit(std::size_t depth, std::size_t lookahead, Cost epsilon) {
        const Cost bound = oracle_.value(oracle_.all(), depth, lookahead).cost + epsilon;
        std::map<std::string, Cost> found;
        for (const Prefix& prefix : prefixes({oracle_.all(), {}}, depth, lookahead)) {
            if (prefix.cost > bound) continue;
            for (const Listed& tree : prefix.filled)
                if (keep_ || !has_trivial_split(tree.shape)) found.emplace(tree.shape, tree.cost);
        }
        std::vector<Listed> kept;
        for (const auto& [shape, cost] : found) kept.push_back({shape, cost});
        return kept;
    }

private:
    struct Place {
        Oracle::Rows rows;
        std::vector<std::pair<std::size_t, bool>> path;
    };
    struct Prefix {
        Cost cost;
        std::vector<Listed> filled;  // all trees that grow out of it
    };

    std::size_t label(const Place& place) const {
        std::vector<Cost> totals(data_.n_classes, 0);
        for (std::size_t i = 0; i < data_.n_rows; ++i)
            if (std::all_of(place.path.begin(), place.path.end(),
                            [&](const auto& step) { return data_.at(i, step.first) == step.second; }))
                totals[data_.class_of(i)] += data_.weight(i);
        return static_cast<std::size_t>(std::max_element(totals.begin(), totals.end()) - totals.begin());
    }

    std::optional<Place> side(const Place& place, std::size_t feature, bool yes) const {
        Place out{oracle_.part(place.rows, static_cast<int>(feature), yes), place.path};
        out.path.emplace_back(feature, yes);
        if (out.rows.empty()) return std::nullopt;
        return out;
    }

    static bool is_leaf(const std::string& shape) { return shape[0] == '='; }
    static bool has_trivial_split(const std::string& shape) {
        // Two equal leaves in a row may be siblings or not: only right after a feature they are.
        for (std::size_t i = 0; i < shape.size();) {
            const std::size_t end = shape.find(' ', i) + 1;
            if (shape[i] != '=' && end < shape.size() && shape[end] == '=') {
                const std::string leaf = shape.substr(end, shape.find(' ', end) + 1 - end);
                if (shape.compare(end + leaf.size(), leaf.size(), leaf) == 0) return true;
            }
            i = end;
        }
        return false;
    }

    std::vector<Listed> trees(const Place& place, std::size_t depth) {
        std::vector<Listed> found = {{leaf_text(label(place)), oracle_.leaf(place.rows)}};
        for (std::size_t f = 0; depth > 0 && f < data_.n_columns; ++f) {
            const auto yes = side(place, f, true), no = side(place, f, false);
            if (!yes || !no) continue;
            const std::vector<Listed> others = trees(*no, depth - 1);
            for (const Listed& a : trees(*yes, depth - 1))
                for (const Listed& b : others)
                    if (keep_ || !is_leaf(a.shape) || a.shape != b.shape)
                        found.push_back({std::to_string(f) + " " + a.shape + b.shape, a.cost + b.cost});
        }
        return found;
    }

    std::vector<Prefix> prefixes(const Place& place, std::size_t depth, std::size_t lookahead) {
        const bool ends = depth == 0 || lookahead == 0;
        const Cost greedy = oracle_.value(place.rows, depth, 0).cost;
        std::vector<Prefix> found = {{ends ? greedy : oracle_.leaf(place.rows), {}}};
        for (const Listed& tree : trees(place, depth))
            if (tree.cost <= greedy) found[0].filled.push_back(tree);
        for (std::size_t f = 0; !ends && f < data_.n_columns; ++f) {
            const auto yes = side(place, f, true), no = side(place, f, false);
            if (!yes || !no) continue;
            const std::vector<Prefix> others = prefixes(*no, depth - 1, lookahead - 1);
            for (const Prefix& a : prefixes(*yes, depth - 1, lookahead - 1))
                for (const Prefix& b : others) {
                    Prefix joined{a.cost + b.cost, {}};
                    for (const Listed& x : a.filled)
                        for (const Listed& y : b.filled)
                            joined.filled.push_back(
                                {std::to_string(f) + " " + x.shape + y.shape, x.cost + y.cost});
                    found.push_back(std::move(joined));
                }
        }
        return found;
    }

    const Data& data_;
    Price price_;
    bool keep_;
    Oracle oracle_;
};

std::vector<Digit> expected_number(const Graph& graph, std::size_t n) {
    std::vector<Digit> number(graph.digits(), 0);
    number[0] = n;
    return number;
}

void check_against(Graph& graph, const std::vector<Listed>& expected) {
    std::map<std::string, Cost> costs;
    for (const Listed& tree : expected) costs.emplace(tree.shape, tree.cost);
    CHECK_EQ(graph.n_trees(), expected_number(graph, expected.size()));
    Cost last = 0;
    std::set<std::string> seen;
    for (const GraphTree& tree : all_trees(graph)) {
        const std::string shape = shape_of(graph, tree);
        const auto known = costs.find(shape);
        CHECK(seen.insert(shape).second);
        CHECK(graph.holds(tree));
        CHECK(known != costs.end());
        if (known == costs.end()) return;
        CHECK_EQ(cost_of(graph, tree), known->second);
        CHECK_LE(last, known->second);
        last = known->second;
    }
    CHECK_EQ(seen.size(), expected.size());
}

// Filters and votes of a graph against its own list of trees.
void check_queries(Random& random, const Data& data, Graph& graph) {
    const std::vector<GraphTree> trees = all_trees(graph);
    Filter filter;
    const std::size_t feature = random.below(data.n_columns);
    std::vector<char> chosen(data.n_columns, 0);
    chosen[feature] = 1;
    const bool uses = random.chance(50), avoids = !uses && random.chance(50);
    if (uses) filter.uses = chosen;
    if (avoids) filter.avoid = chosen;
    if (random.chance(30)) filter.max_leaves = static_cast<Cost>(random.between(1, 4));
    if (random.chance(30)) filter.min_weight = static_cast<Cost>(random.between(1, 5));
    std::set<std::string> expected;
    for (const GraphTree& tree : trees) {
        Cost leaves = 0, least = kInfinite;
        bool asks = false;
        for (std::size_t i = 0; i < tree.feature.size(); ++i) {
            asks = asks || tree.feature[i] == static_cast<std::int32_t>(feature);
            if (tree.feature[i] >= 0) continue;
            ++leaves;
            least = std::min(least, graph.nodes[tree.node[i]].weight);
        }
        if ((!uses || asks) && (!avoids || !asks) && leaves <= filter.max_leaves &&
            least >= filter.min_weight)
            expected.insert(shape_of(graph, tree));
    }
    Limits limits;
    Graph narrowed;
    CHECK(graph.filtered(filter, narrowed, limits));
    const std::vector<std::string> found = shapes_of(narrowed);
    CHECK_EQ(found.size(), expected.size());
    CHECK(std::set<std::string>(found.begin(), found.end()) == expected);

    // New rows: all that could be.
    const std::size_t n_rows = std::size_t{1} << data.n_columns;
    std::vector<std::vector<std::uint64_t>> bits(data.n_columns,
                                                 std::vector<std::uint64_t>((n_rows + 63) / 64, 0));
    std::vector<const std::uint64_t*> columns;
    for (std::size_t j = 0; j < data.n_columns; ++j) {
        for (std::size_t i = 0; i < n_rows; ++i) bits[j][i / 64] |= (i >> j & 1) << i % 64;
        columns.push_back(bits[j].data());
    }
    std::vector<Digit> votes, counted(n_rows * data.n_classes * graph.digits(), 0);
    CHECK(graph.vote(columns, n_rows, votes, limits));
    for (const GraphTree& tree : trees)
        for (std::size_t i = 0; i < n_rows; ++i) {
            std::size_t at = 0;
            while (tree.feature[at] >= 0)
                at = static_cast<std::size_t>(i >> tree.feature[at] & 1 ? tree.left[at] : tree.right[at]);
            ++counted[(i * data.n_classes + graph.nodes[tree.node[at]].label) * graph.digits()];
        }
    CHECK(votes == counted);
}

void test_against_brute_force(Random& random) {
    for (int i = 0; i < 400; ++i) {
        const check::Context context("problem ", i);
        Data data = make_data(
            random, {.n_rows = random.between(1, 30),
                     .n_columns = random.between(1, 4),
                     .n_classes = random.between(2, 4),
                     .weights = random.one_of<Weights>({Weights::none, Weights::few, Weights::many})});
        SetOptions options;
        options.max_depth = random.between(0, data.n_columns == 4 ? 2 : 3);
        options.objective.price = random_price(random, data);
        options.keep_trivial = options.max_depth < 3 && random.chance(25);
        options.n_threads = random.one_of<std::size_t>({1, 1, 2, 4});
        const Cost epsilon =
            random.one_of<Cost>({0, 1, 2 * options.objective.price.loss, options.objective.price.leaf,
                                 3 * options.objective.price.of(2, 1), kInfinite / 8});
        Brute brute(data, options.objective.price, options.keep_trivial);
        RashomonSet set = solved(data, options, epsilon);
        check_against(set.graph, brute.exact(options.max_depth, epsilon));
        check_queries(random, data, set.graph);
        const std::size_t depth = std::min(options.max_depth, data.n_columns);
        const std::size_t lookahead = random.between(0, depth);
        options.lookahead = lookahead;
        const check::Context ahead("lookahead ", lookahead);
        set = solved(data, options, epsilon);
        check_against(set.graph, brute.resplit(options.max_depth, lookahead, epsilon));
        check_queries(random, data, set.graph);
    }
}

// ---- threads and limits -----------------------------------------------------------------------------

Data wide_data(Random& random) {
    return make_data(random,
                     {.n_rows = 600, .n_columns = 20, .n_classes = 3, .weights = Weights::few, .noise = 40});
}

void test_same_set_with_threads(const Data& data) {
    for (const std::optional<std::size_t> lookahead :
         {std::optional<std::size_t>{}, std::optional<std::size_t>{1}, std::optional<std::size_t>{2}}) {
        SetOptions options;
        options.max_depth = 4;
        options.lookahead = lookahead;
        options.objective.price = {1, 12};
        RashomonSet alone = solved(data, options, 10);
        const std::vector<GraphTree> trees = trees_of(alone.graph, 500);
        CHECK_LT(1u, trees.size());
        for (const std::size_t n_threads : {2, 4}) {
            const check::Context context(n_threads, " threads");
            options.n_threads = n_threads;
            RashomonSet shared = solved(data, options, 10);
            CHECK_EQ(shared.graph.n_trees(), alone.graph.n_trees());
            const std::vector<GraphTree> same = trees_of(shared.graph, 500);
            CHECK_EQ(same.size(), trees.size());
            for (std::size_t i = 0; i < std::min(trees.size(), same.size()); ++i)
                CHECK_EQ(shape_of(shared.graph, same[i]), shape_of(alone.graph, trees[i]));
        }
    }
}

// Stopped anywhere, a set holds nothing that the whole set does not, and the reference tree always.
void test_stopped_sets(const Data& data) {
    int parts = 0;
    for (const bool ahead : {false, true})
        for (const std::size_t n_threads : {1, 4}) {
            SetOptions options;
            options.max_depth = 3;
            if (ahead) options.lookahead = 2;
            options.objective.price = {1, 12};
            options.n_threads = n_threads;
            RashomonSet complete = solved(data, options, 60);
            for (std::size_t sixteenths = 0; sixteenths <= 18; ++sixteenths) {
                const std::size_t budget = complete.peak_bytes * sixteenths / 16;
                const check::Context context("budget ", budget, " of ", complete.peak_bytes);
                Limits limits(Limits::kNoDeadline, budget);
                RashomonSet part = solved(data, options, 60, limits);
                CHECK_LE(part.peak_bytes, budget);
                const std::vector<GraphTree> trees = trees_of(part.graph, 300);
                CHECK(!trees.empty());
                CHECK_EQ(cost_of(part.graph, trees[0]),
                         options.objective.price.of(part.reference_loss, part.reference_leaves));
                if (part.reference_loss == complete.reference_loss &&
                    part.reference_leaves == complete.reference_leaves) {
                    for (const GraphTree& tree : trees) CHECK(complete.graph.holds(tree));
                    parts += part.status == Status::memory_limit && trees.size() > 1;
                }
                limits.charge(budget);  // throws unless everything was given back
            }
        }
    CHECK_LT(0, parts);
}

// With a lower bound the same trees are left as when the others are struck out, and back again.
void test_better_parts(const Data& data) {
    for (const bool ahead : {false, true}) {
        SetOptions options;
        options.max_depth = 3;
        if (ahead) options.lookahead = 2;
        options.objective.price = {1, 12};
        RashomonSet set = solved(data, options, 60);
        const auto everything = set.graph.histogram();
        CHECK_LT(100u, everything.size());
        for (const Cost less : {5, 60, 59, 0, 30, 61, 1, 0}) {
            const check::Context context("less by ", less, ahead ? ", RESPLIT" : "");
            auto expected = everything;
            std::erase_if(expected, [&](const auto& entry) {
                return (ahead ? entry.first.prefix : entry.first.cost) > set.bound - less;
            });
            Limits none;
            CHECK(set.graph.count_better(less, none));
            CHECK(set.graph.histogram() == expected);
        }
        Limits stopped(0);  // what was counted before stays
        CHECK(!set.graph.count_better(30, stopped));
        CHECK(set.graph.histogram() == everything);
        const std::vector<Digit> n_trees = set.graph.n_trees();
        CHECK_EQ(all_trees(set.graph).size(), n_trees[0]);
    }
}

}  // namespace
}  // namespace splitsecond

int main() {
    using namespace splitsecond;
    Random random(13);
    test_by_hand();
    test_stopped();
    test_numbers_of_many_words();
    test_against_brute_force(random);
    const Data wide = wide_data(random);
    test_same_set_with_threads(wide);
    test_stopped_sets(wide);
    test_better_parts(wide);
    return check::report();
}
