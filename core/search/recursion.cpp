#include "search/recursion.hpp"

#include <algorithm>

#include "search/worker.hpp"

namespace splitsecond {

// ---- the definition -------------------------------------------------------------------------------

Bounds Search::value(Node& node, std::size_t depth, std::size_t lookahead, Cost budget) {
    const Cost leaf = leaf_cost(problem_, node.view(), node.counts.data());
    const Cost floor = split_floor(problem_, node.view(), node.counts.data());
    if (depth == 0 || leaf <= floor) return {leaf, leaf, -1};
    lookahead = levels_searched(depth, lookahead);
    const Subproblem key = node.key(depth, lookahead);
    Bounds result = look_up(*workers_[0], key, {floor, leaf, -1});
    if (result.exact() || problem_.limits.stop()) return result;
    try {
        if (needs_pairs(depth, lookahead) && !count_pairs(0, node)) return result;
        const Bounds found = minimise(*workers_[0], 0, node, depth, lookahead, budget);
        result = {std::max(found.lower, floor), found.upper, found.feature};
        cache_.store(key, result);
    } catch (const LimitReached&) {
    }
    return result;
}

// V of a child, given what is known of it (known_bounds knows leaves and the last level).
Bounds Search::child_value(Worker& worker, std::size_t level, OpenSplit& split, int side, std::size_t depth,
                           std::size_t lookahead, Cost budget, const Bounds& known) {
    if (known.exact() || known.lower > budget || problem_.limits.stopped()) return known;
    Bounds result;
    if (lookahead == 0) {  // greedy(D, d)
        ++worker.statistics.completions;
        const Word* rows = depth == 1 ? nullptr : split.rows(side);  // counts suffice for one level
        const Cost cost = worker.greedy.value(split.view(), rows, split.counts(side), depth, budget);
        if (problem_.limits.stopped()) return known;
        result = {cost, cost <= budget ? cost : known.upper, -1};
    } else if (depth == 2 && lookahead == 2) {  // the last two levels at once
        const PairMatrix* pairs = split.pairs(side);
        if (pairs == nullptr) return known;
        result = solve_two_levels(problem_, split.view(), split.counts(side), *pairs,
                                  worker.level(level).scratch.scan);
    } else {  // the minimum over features
        // Completions count the rows of most of their nodes' children just once: skipping a third of the words, which
        // hold rows of the sibling, costs less than gathering the others.
        const Node* child = split.enter(side, needs_pairs(depth, lookahead), lookahead == 1);
        if (child == nullptr) return known;
        // Completions cost little beside the rows gathered: looking further than asked spares gathering them
        // again for another path with a larger budget.
        const Cost more = lookahead == 1 && shares_subproblems_ ? problem_.objective.price.leaf / 2 : 0;
        const bool follows = completion_ == Completion::lickety && lookahead < depth;
        // Where the first split leads may cost less than what it was judged by: a budget cannot rule it out.
        result = minimise(worker, level + 1, *child, depth, lookahead, follows ? kInfinite : budget + more);
        if (follows && !problem_.limits.stopped())
            result = follow(worker, level + 1, *child, depth, lookahead, result);
        if (follows && problem_.limits.stopped()) return known;
    }
    result.lower = std::max(result.lower, known.lower);
    if (remembers(lookahead)) cache_.store(split.key(side, depth, lookahead), result);
    return result;
}

// W of a node, given the first split of its tree: the same lookahead again on both sides.
Bounds Search::follow(Worker& worker, std::size_t level, const Node& node, std::size_t depth,
                      std::size_t lookahead, const Bounds& first) {
    const Cost leaf = leaf_cost(problem_, node.view(), node.counts.data());
    if (first.feature < 0) return {leaf, leaf, -1};
    OpenSplit& split = worker.level(level).split;
    split.open_on(node, first.feature);
    Cost sum = 0;
    for (int side = 0; side < 2; ++side) {
        const std::size_t below = levels_searched(depth - 1, lookahead);
        const Bounds known = known_bounds(worker, split, side, depth - 1, below);
        sum += child_value(worker, level, split, side, depth - 1, below, kInfinite, known).upper;
    }
    return sum < leaf ? Bounds{sum, sum, first.feature} : Bounds{leaf, leaf, -1};
}

// ---- the minimum over features --------------------------------------------------------------------

Bounds Search::minimise(Worker& worker, std::size_t level, const Node& node, std::size_t depth,
                        std::size_t lookahead, Cost budget) {
    ++worker.statistics.subproblems;
    const View& view = node.view();
    Candidates::Scratch& scratch = worker.level(level).scratch;
    if (depth == 1) return solve_one_level(problem_, view, node.counts.data());
    if (depth == 2 && lookahead == 2)
        return solve_two_levels(problem_, view, node.counts.data(), node.pairs, scratch.scan);

    Candidates candidates(problem_, node, lookahead == depth, scratch);
    const std::vector<std::size_t>& order = candidates.order;
    const bool outermost = level == 0;
    const auto try_next = [&](std::size_t i, Worker& by) {
        try_feature(by, level, node, order[i], depth, lookahead, budget, candidates);
        if (outermost) problem_.limits.step();
    };
    if (outermost) problem_.limits.start_loop(order.size());
    if (outermost && lookahead == 1 && !shares_subproblems_ && levels_.batch_size(node, depth) > 0) {
        levels_.try_all(node, depth, candidates, worker.statistics);
        return candidates.prove();
    }
    // Below this many word operations, waking threads costs more than it brings. A feature costs a count, or many
    // more where its children are searched in turn.
    constexpr std::size_t kWorthSharing = 1 << 20;
    const std::size_t counts = lookahead == 1 ? view.n_features : view.n_features * view.n_features;
    candidates.shared = outermost && view.n_words() * view.stride * counts >= kWorthSharing;
    if (candidates.shared)
        threads_.run(order.size(), [&](std::size_t i, std::size_t w) { try_next(i, *workers_[w]); });
    else
        for (std::size_t i = 0; i < order.size(); ++i) try_next(i, worker);
    return candidates.prove();
}

// Evaluates the split of `node` on its feature f, as far as needed to know whether it is the best.
void Search::try_feature(Worker& worker, std::size_t level, const Node& node, std::size_t f,
                         std::size_t depth, std::size_t lookahead, Cost budget, Candidates& candidates) {
    const auto id = static_cast<std::int32_t>(node.view().features[f]);
    Cost lower[2], limit;
    {  // what other features have taught meanwhile
        const auto lock = lock_if(candidates.shared, candidates.mutex);
        for (int side = 0; side < 2; ++side) lower[side] = candidates.lower[side][f];
        limit = candidates.limit(id, budget);
    }
    if (lower[0] + lower[1] > limit || problem_.limits.stopped()) return;
    // With pair counts, completions take a microsecond: not each of them needs to read the clock.
    const bool check_clock = !node.has_pairs || lookahead > 1 || f % 16 == 0;
    if (check_clock && problem_.limits.stop()) return;

    const bool optimal = lookahead == depth;
    OpenSplit& split = worker.level(level).split;
    Cost upper = kInfinite;          // until it is found
    problem_.limits.completes([&] {  // what is proved meanwhile stays true
        split.open(node, f);
        Cost leaf[2];
        for (int side = 0; side < 2; ++side) {
            leaf[side] = split.leaf_cost(side);
            lower[side] = std::max(lower[side], std::min(leaf[side], split.split_floor(side)));
        }
        // Worth a scan of the counts only where it can tell.
        const Cost sum = lower[0] + lower[1];
        if (!node.has_pairs && depth > 2 && sum <= limit && sum + 2 * problem_.objective.price.leaf > limit)
            for (int side = 0; side < 2; ++side)
                lower[side] = std::max(
                    lower[side], three_leaf_bound(problem_, worker.greedy, node.view(), split.counts(side)));
        // With pair counts the lighter child first: it is cheaper, and the other's follow by subtraction.
        // Otherwise the one of larger loss: the sooner the sum is too large, the better.
        const bool yes_first = optimal ? split.weight(0) <= split.weight(1) : leaf[0] >= leaf[1];
        upper =
            solve_children(worker, level, split, depth - 1, lookahead - 1, limit, yes_first ? 0 : 1, lower);
    });

    const auto lock = lock_if(candidates.shared, candidates.mutex);
    candidates.raise(f, lower);
    // Beyond the limit a cost may be right but is no choice: equal ones were not looked at.
    if (upper <= limit) candidates.offer(upper, id);
    if (optimal && problem_.uses_similar_support() && !problem_.limits.stopped())
        candidates.raise_similar(problem_, node, f, split.counts(0));
}

// The sum of V of both children as far as they are within the budget, with their lower bounds raised.
Cost Search::solve_children(Worker& worker, std::size_t level, OpenSplit& split, std::size_t depth,
                            std::size_t lookahead, Cost budget, int first, Cost (&lower)[2]) {
    const int order[2] = {first, 1 - first};
    Bounds known[2];
    // What is known of one child may spare a search of the other.
    for (const int side : order) {
        if (lower[0] + lower[1] > budget) return kInfinite;
        known[side] = known_bounds(worker, split, side, depth, lookahead);
        lower[side] = std::max(lower[side], known[side].lower);
    }
    Cost sum = 0;
    for (const int side : order) {
        if (lower[0] + lower[1] > budget) return kInfinite;
        const Bounds found =
            child_value(worker, level, split, side, depth, lookahead, budget - lower[1 - side], known[side]);
        lower[side] = std::max(lower[side], found.lower);
        sum += found.upper;
    }
    return sum;
}

// ---- all splits of a node -------------------------------------------------------------------------

bool Search::values(std::size_t worker_index, OpenSplit& split, std::size_t depth, std::size_t lookahead,
                    Cost budget, Cost (&values)[2]) {
    Worker& worker = *workers_[worker_index];
    for (int side = 0; side < 2; ++side)
        values[side] = depth > 1 ? three_leaf_bound(problem_, worker.greedy, split.view(), split.counts(side))
                                 : std::min(split.leaf_cost(side), split.split_floor(side));
    const int lighter = split.weight(0) <= split.weight(1) ? 0 : 1;  // it is cheaper
    solve_children(worker, 0, split, depth, lookahead, budget, lighter, values);
    return values[0] + values[1] <= budget && !problem_.limits.stopped();
}

}  // namespace splitsecond
