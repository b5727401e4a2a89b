// What a search knows without searching: leaves, the last level, and the cache. And its threads.
#include <algorithm>

#include "search/block_counter.hpp"
#include "search/divide.hpp"
#include "search/recursion.hpp"
#include "search/worker.hpp"

namespace splitsecond {

// ---- what is known without a search ---------------------------------------------------------------

Bounds Search::known_bounds(Worker& worker, OpenSplit& split, int side, std::size_t depth,
                            std::size_t lookahead) {
    const Cost leaf = split.leaf_cost(side), floor = split.split_floor(side);
    if (depth == 0 || leaf <= floor) return {leaf, leaf, -1};
    if (depth == 1 && lookahead >= 1) return solve_one_level(problem_, split.view(), split.counts(side));
    if (!remembers(lookahead)) return {floor, leaf, -1};
    return look_up(worker, split.key(side, depth, lookahead), {floor, leaf, -1});
}

Bounds Search::look_up(Worker& worker, const Subproblem& key, const Bounds& otherwise) {
    if (!problem_.speed.cache) return otherwise;
    const auto found = cache_.find(key);
    if (!found) return otherwise;
    ++worker.statistics.cache_hits;
    return *found;
}

std::int32_t Search::known_split(const Node& node, std::size_t depth, std::size_t lookahead) const {
    const Count* counts = node.counts.data();
    if (depth == 0 || leaf_cost(problem_, node.view(), counts) <= split_floor(problem_, node.view(), counts))
        return -1;
    if (depth == 1) return solve_one_level(problem_, node.view(), counts).feature;
    const auto found = cache_.find(node.key(depth, levels_searched(depth, lookahead)));
    return found ? found->feature : -1;
}

// ---- threads --------------------------------------------------------------------------------------

Search::Search(const Problem& problem, Workers& workers, bool shares_subproblems, Completion completion)
    : problem_(problem),
      threads_(workers),
      cache_(problem.limits, workers.count() > 1),
      shares_subproblems_(shares_subproblems),
      completion_(completion),
      levels_(problem, workers) {
    for (std::size_t i = 0; i < workers.count(); ++i) workers_.push_back(std::make_unique<Worker>(problem));
}

Search::~Search() = default;

bool Search::is_worth_sharing(const Node& node) const {
    constexpr std::size_t kManyWords = 1 << 18;
    return threads_.count() > 1 && node.view().n_words() * node.view().stride >= kManyWords;
}

void Search::count_root(Node& root) {
    if (!is_worth_sharing(root)) return splitsecond::count_root(problem_, root);
    BlockCounter counter(problem_, root.view(), threads_);
    splitsecond::count_root(problem_, root, &counter);
}

void Search::divide(const Node& node, std::int32_t feature, Node& yes, Node& no) {
    if (node.counter == nullptr && is_worth_sharing(node))
        return splitsecond::divide(problem_, node, node.view().place_of(feature), threads_, yes, no);
    OpenSplit& open = split();
    open.open_on(node, feature);
    open.take(0, yes);
    open.take(1, no);
}

Tree Search::greedy_tree(const Node& node, std::size_t depth) {
    if (depth > 0 && levels_.batch_size(node, depth + 1) > 0) return levels_.build(node, depth);
    Tree tree(node.view().n_classes);
    workers_[0]->greedy.build(node.view(), nullptr, node.counts.data(), depth, tree);
    return tree;
}

Greedy& Search::greedy(std::size_t worker) { return workers_[worker]->greedy; }

OpenSplit& Search::split(std::size_t worker) { return workers_[worker]->level(0).split; }

Candidates::Scratch& Search::scratch(std::size_t worker) { return workers_[worker]->level(0).scratch; }

bool Search::count_pairs(std::size_t worker, Node& node) {
    return node.count_pairs(problem_, workers_[worker]->statistics);
}

Statistics Search::statistics() const {
    Statistics sum;
    for (const auto& worker : workers_) sum += worker->statistics;
    sum.cache_entries = cache_.size();
    return sum;
}

}  // namespace splitsecond
