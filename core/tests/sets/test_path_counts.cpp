// What trees ask on paths from their root, against the list of all trees of a set.
#include "sets/path_counts.hpp"

#include <algorithm>
#include <cstddef>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "support/check.hpp"
#include "support/data.hpp"
#include "support/listed_trees.hpp"
#include "support/random_sets.hpp"

namespace splitsecond {
namespace {

struct Seen {
    Digit number = 0;
    Cost cost = kInfinite;

    friend bool operator==(const Seen&, const Seen&) = default;
};
using Paths = std::map<std::string, Seen>;  // by questions and answers, such as "3y1n=" for a leaf

std::string asked(std::int32_t feature) {
    return feature == PathStep::kLeaf ? "=" : feature == PathStep::kOthers ? "*" : std::to_string(feature);
}

// Adds the first places of a tree.
void add_paths(const GraphTree& tree, Cost cost, std::size_t node, const std::string& way, std::size_t levels,
               Paths& out) {
    const std::string here = way + asked(tree.feature[node]);
    Seen& seen = out[here];
    ++seen.number;
    seen.cost = std::min(seen.cost, cost);
    if (tree.feature[node] < 0 || levels == 1) return;
    add_paths(tree, cost, static_cast<std::size_t>(tree.left[node]), here + "y", levels - 1, out);
    add_paths(tree, cost, static_cast<std::size_t>(tree.right[node]), here + "n", levels - 1, out);
}

Paths paths_of(const Graph& graph, const PathCounts& counts) {
    Paths out;
    std::vector<std::string> names;
    for (std::size_t i = 0; i < counts.steps.size(); ++i) {
        const PathStep& step = counts.steps[i];
        std::string above;
        if (step.parent != PathStep::kNone)
            above = names[static_cast<std::size_t>(step.parent)] + (step.is_no ? "n" : "y");
        names.push_back(above + asked(step.feature));
        CHECK(is_zero(counts.numbers.data() + i * graph.digits() + 1, graph.digits() - 1));
        out[names.back()] = {counts.numbers[i * graph.digits()], step.cost};
    }
    return out;
}

void check_all(Graph& graph) {
    Paths listed;
    for (const GraphTree& tree : all_trees(graph)) add_paths(tree, cost_of(graph, tree), 0, "", 3, listed);
    Limits limits;
    CHECK(paths_of(graph, count_paths(graph, {1000, 1000, 1000}, limits)) == listed);
    CHECK(limits.holds_nothing());
}

// With few questions listed, those of each place still add up to the trees of the place.
void check_sums(const Graph& graph) {
    Limits limits;
    const PathCounts counts = count_paths(graph, {1, 2, 1}, limits);
    std::map<std::pair<std::int32_t, bool>, Digit> sums;
    const auto number = [&](std::size_t i) { return counts.numbers[i * graph.digits()]; };
    for (std::size_t i = 0; i < counts.steps.size(); ++i)
        sums[{counts.steps[i].parent, counts.steps[i].is_no}] += number(i);
    for (const auto& [place, sum] : sums)
        CHECK_EQ(sum, place.first < 0 ? graph.n_trees()[0] : number(static_cast<std::size_t>(place.first)));
}

void test_random_sets(Random& random) {
    for (int i = 0; i < 200; ++i) {
        const check::Context context("problem ", i);
        auto [data, set] = random_set(random);
        check_all(set.graph);
        check_sums(set.graph);
        Filter filter;
        filter.uses.assign(data.n_columns, 0);
        filter.uses[0] = 1;
        Limits limits;
        Graph some;
        CHECK(set.graph.filtered(filter, some, limits));
        check_all(some);  // several nodes stand for one place
        check_sums(some);
    }
}

}  // namespace
}  // namespace splitsecond

int main() {
    using namespace splitsecond;
    Random random(31);
    test_random_sets(random);
    return check::report();
}
