#include "search/level_search.hpp"

#include <algorithm>
#include "search/block_counter.hpp"

namespace splitsecond {
namespace {

constexpr std::size_t kFirstBatch = 8;  // their best rules out many that follow
// Bytes of counts; each thread has its own of some of them. Elsewhere (node.counter) every pass costs a transfer.
constexpr std::size_t kMaxBytes = std::size_t{1} << 26, kMaxRemoteBytes = std::size_t{1} << 28;

bool counts_yes(const View& view, const Count* counts, std::size_t f) {
    return 2 * weight_at(view, counts, f) <= weight_at(view, counts, view.ones());
}

// What counts for a node.
class Counting {
public:
    Counting(const Problem& problem, const Node& node, Workers& workers) : counter_(node.counter.get()) {
        if (counter_ != nullptr) return;
        own_ = std::make_unique<BlockCounter>(problem, node.view(), workers);
        counter_ = own_.get();
    }
    LevelCounter& operator*() const { return *counter_; }

private:
    std::unique_ptr<BlockCounter> own_;
    LevelCounter* counter_;
};

}  // namespace

LevelSearch::LevelSearch(const Problem& problem, Workers& workers)
    : problem_(problem),
      workers_(workers),
      counts_{Buffer<Count>(problem.limits), Buffer<Count>(problem.limits)} {
    for (std::size_t i = 0; i < workers.count(); ++i) greedy_.emplace_back(problem);
}

std::size_t LevelSearch::batch_size(const Node& node, std::size_t depth) const {
    constexpr std::size_t kDeepest = 8;  // that is planned for: bounds leave few nodes further down
    const View& view = node.view();
    const std::size_t nodes = std::size_t{3} << (std::min(depth, kDeepest) - 2);
    const std::size_t bytes = nodes * view.n_counts() * sizeof(Count);
    std::size_t size = (node.counter != nullptr ? kMaxRemoteBytes : kMaxBytes) / bytes;
    while (size > 0 && !problem_.limits.has_room((1 + workers_.count()) * size * bytes)) size /= 2;
    if (node.counter != nullptr) return std::max<std::size_t>(size, 1);
    switch (problem_.speed.levels) {
        case LevelUse::never: return 0;
        case LevelUse::always: return std::max<std::size_t>(size, 1);
        case LevelUse::where_faster: break;
    }
    // Rows that the caches hold are as fast for one candidate after the other, whose bounds are better then; threads
    // share a cache.
    const std::size_t cached = std::size_t{1} << (workers_.count() == 1 ? 24 : 22);  // bytes
    const bool pays = depth > 2 && depth <= kDeepest && view.n_words() * view.stride * sizeof(Word) > cached;
    return pays ? size : 0;
}

void LevelSearch::try_all(const Node& node, std::size_t depth, Candidates& candidates,
                          Statistics& statistics) {
    const Counting counting(problem_, node, workers_);
    const std::size_t most = batch_size(node, depth);
    const std::size_t n = candidates.order.size();
    std::size_t size = std::min(most, kFirstBatch);
    for (std::size_t begin = 0; begin < n && !problem_.limits.stop(); begin += size, size = most) {
        const std::size_t end = std::min(begin + size, n);
        try_batch(node, *counting, depth, begin, end, candidates);
        statistics.completions += 2 * (end - begin);
    }
}

// ---- a batch of candidates ------------------------------------------------------------------------

void LevelSearch::try_batch(const Node& node, LevelCounter& counter, std::size_t depth, std::size_t begin,
                            std::size_t end, Candidates& candidates) {
    const View& view = node.view();
    pairs_.clear();
    grown_.clear();
    for (std::size_t i = begin; i < end; ++i) {
        const std::size_t f = candidates.order[i];
        const auto id = static_cast<std::int32_t>(view.features[f]);
        if (candidates.lower[0][f] + candidates.lower[1][f] <= candidates.limit(id, kInfinite))
            pairs_.push_back({-1, f, node.counts.data()});
        problem_.limits.step();
    }
    const std::size_t n_candidates = pairs_.size();
    std::size_t first = 0;
    for (std::size_t level = 1; level < depth && first < pairs_.size(); ++level) {
        if (!count_children(view, counter, first, level)) return;
        measure(view, first);
        for (std::size_t i = 0; level == 1 && i < n_candidates; ++i)
            for (std::size_t side = 0; side < 2; ++side) {
                Cost& lower = grown_[2 * i + side].lower;
                lower = std::max(lower, candidates.lower[side][pairs_[i].feature]);
            }
        spread_budgets(view, candidates);
        look(view, first, depth - level);
        fold();
        for (std::size_t i = 0; i < n_candidates; ++i)
            candidates.offer(grown_[2 * i].upper + grown_[2 * i + 1].upper,
                             static_cast<std::int32_t>(view.features[pairs_[i].feature]));
        spread_budgets(view, candidates);
        first = add_children(first);
    }
    for (std::size_t i = 0; i < n_candidates; ++i)
        candidates.raise(pairs_[i].feature, {grown_[2 * i].lower, grown_[2 * i + 1].lower});
}

// Counts the children of the pairs from the first on: one of each pair, and the other by subtraction.
bool LevelSearch::count_children(const View& view, LevelCounter& counter, std::size_t first,
                                 std::size_t level) {
    const std::size_t n = pairs_.size() - first, n_counts = view.n_counts();
    grown_.resize(2 * pairs_.size());
    literals_.resize(n * level);
    for (std::size_t i = 0; i < n; ++i) {
        const Pair& pair = pairs_[first + i];
        std::size_t node = 2 * (first + i) + (counts_yes(view, pair.counts, pair.feature) ? 0 : 1);
        for (std::size_t place = level; place-- > 0;) {
            literals_[i * level + place] = literal_of(node);
            node = static_cast<std::size_t>(pairs_[node / 2].parent);
        }
    }
    Buffer<Count>& counts = counts_[level % 2];
    counts.resize(2 * n * n_counts);
    if (!counter.count({n, level, literals_.data()}, counts.data())) return false;
    workers_.run(n, [&](std::size_t i, std::size_t) {
        const Pair& pair = pairs_[first + i];
        Count* counted = counts.data() + i * n_counts;
        Count* rest = counts.data() + (n + i) * n_counts;
        problem_.kernels().subtract(pair.counts, counted, n_counts, rest);
        const bool yes = counts_yes(view, pair.counts, pair.feature);
        grown_[2 * (first + i)].counts = yes ? counted : rest;
        grown_[2 * (first + i) + 1].counts = yes ? rest : counted;
    });
    return true;
}

// The literal that a node adds to its path.
std::int32_t LevelSearch::literal_of(std::size_t node) const {
    return static_cast<std::int32_t>(2 * pairs_[node / 2].feature + 1 - node % 2);
}

// What the nodes' counts say of them as leaves.
void LevelSearch::measure(const View& view, std::size_t first) {
    for (std::size_t i = 2 * first; i < grown_.size(); ++i) {
        Grown& node = grown_[i];
        node.leaf = node.upper = leaf_cost(problem_, view, node.counts);
        node.lower = std::min(node.leaf, split_floor(problem_, view, node.counts));
    }
}

// Has the nodes choose their splits, as far as they may matter.
void LevelSearch::look(const View& view, std::size_t first, std::size_t depth) {
    workers_.run(grown_.size() - 2 * first, [&](std::size_t i, std::size_t worker) {
        Grown& node = grown_[2 * first + i];
        if (node.settled() || problem_.limits.stopped()) return;
        const Greedy::Look found = greedy_[worker].look(view, node.counts, depth, node.budget);
        node.lower = std::max(node.lower, found.lower);
        node.feature = found.feature;
        if (found.feature < 0 && found.lower <= node.budget) node.upper = found.lower;
    });
}

// Bounds of nodes from those of their children, bottom up.
void LevelSearch::fold() {
    for (std::size_t i = pairs_.size(); i-- > 0;) {
        if (pairs_[i].parent < 0) continue;
        Grown& parent = grown_[static_cast<std::size_t>(pairs_[i].parent)];
        const Grown &yes = grown_[2 * i], &no = grown_[2 * i + 1];
        parent.lower = std::max(parent.lower, std::min(parent.leaf, yes.lower + no.lower));
        parent.upper = std::min(parent.upper, yes.upper + no.upper);
    }
}

// What each node may cost at most to matter, top down: a split must beat the leaf, and leaves its sibling what that
// needs at least.
void LevelSearch::spread_budgets(const View& view, const Candidates& candidates) {
    for (std::size_t i = 0; i < pairs_.size(); ++i) {
        Cost limit = -1;
        if (pairs_[i].parent < 0) {
            limit = candidates.limit(static_cast<std::int32_t>(view.features[pairs_[i].feature]), kInfinite);
        } else {
            const Grown& parent = grown_[static_cast<std::size_t>(pairs_[i].parent)];
            if (!parent.settled()) limit = std::min(parent.budget, parent.leaf - 1);
        }
        Grown &yes = grown_[2 * i], &no = grown_[2 * i + 1];
        yes.budget = limit - no.lower;
        no.budget = limit - yes.lower;
    }
}

// The pairs of the next level: the children of those nodes from the first pair on that still matter. Returns the first.
std::size_t LevelSearch::add_children(std::size_t first) {
    const std::size_t next = pairs_.size();
    for (std::size_t i = 2 * first; i < 2 * next; ++i) {
        const Grown& node = grown_[i];
        if (node.feature >= 0 && !node.settled())
            pairs_.push_back(
                {static_cast<std::int32_t>(i), static_cast<std::size_t>(node.feature), node.counts});
    }
    return next;
}

// ---- the greedy tree ------------------------------------------------------------------------------

// Greedy::build, a level at a time.
Tree LevelSearch::build(const Node& root, std::size_t depth) {
    const View& view = root.view();
    const Counting counting(problem_, root, workers_);
    const auto choose = [&](Greedy& greedy, const Count* counts, std::size_t depth_left) {
        if (depth_left == 0 || leaf_cost(problem_, view, counts) <= split_floor(problem_, view, counts))
            return std::ptrdiff_t{-1};
        return greedy.choose(view, counts, depth_left);
    };
    pairs_.clear();
    grown_.clear();
    const std::ptrdiff_t best = choose(greedy_[0], root.counts.data(), depth);
    if (best >= 0) pairs_.push_back({-1, static_cast<std::size_t>(best), root.counts.data()});
    std::vector<Count> classes;  // of each node
    std::size_t first = 0;
    for (std::size_t level = 1; first < pairs_.size(); ++level) {
        if (problem_.limits.stop() || !count_children(view, *counting, first, level)) throw LimitReached{};
        measure(view, first);
        workers_.run(grown_.size() - 2 * first, [&](std::size_t i, std::size_t worker) {
            Grown& node = grown_[2 * first + i];
            node.feature = choose(greedy_[worker], node.counts, depth - level);
        });
        for (std::size_t i = 2 * first; i < grown_.size(); ++i) {
            // Whatever it costs, it has to be made: no bound says that it is settled.
            grown_[i].lower = -1;
            grown_[i].budget = 0;
            for (std::size_t c = 0; c < view.n_classes; ++c)
                classes.push_back(grown_[i].counts[c * view.stride + view.ones()]);
        }
        first = add_children(first);
    }
    fold();

    std::vector<std::int32_t> pair_below(grown_.size(), -1);
    for (std::size_t i = 1; i < pairs_.size(); ++i)
        pair_below[static_cast<std::size_t>(pairs_[i].parent)] = static_cast<std::int32_t>(i);
    Tree tree(view.n_classes);
    const std::size_t place = tree.add_leaf(root.counts.data() + view.ones(), view.stride);
    if (best >= 0 && grown_[0].upper + grown_[1].upper < leaf_cost(problem_, view, root.counts.data()))
        emit(view, 0, place, pair_below, classes, tree);
    return tree;
}

// Makes the node at `place` of the tree, its last so far, the split of a pair.
void LevelSearch::emit(const View& view, std::size_t pair, std::size_t place,
                       const std::vector<std::int32_t>& pair_below, const std::vector<Count>& classes,
                       Tree& tree) const {
    tree.feature[place] = static_cast<std::int32_t>(view.features[pairs_[pair].feature]);
    for (std::size_t side = 0; side < 2; ++side) {
        const std::size_t node = 2 * pair + side;
        const std::size_t child = tree.add_leaf(classes.data() + node * view.n_classes, 1);
        (side == 0 ? tree.left : tree.right)[place] = static_cast<std::int32_t>(child);
        if (grown_[node].upper < grown_[node].leaf)
            emit(view, static_cast<std::size_t>(pair_below[node]), child, pair_below, classes, tree);
    }
}

}  // namespace splitsecond
