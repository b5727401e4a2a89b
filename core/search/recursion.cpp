#include "search/recursion.hpp"

#include <algorithm>

namespace splitsecond {

struct Search::Level {
    explicit Level(Limits& limits)
        : child{Child(limits), Child(limits)},
          rows{View(limits), View(limits)},
          pairs{PairMatrix(limits), PairMatrix(limits)},
          node(limits) {}

    std::size_t feature = 0;  // of the parent's view, whose children these are
    Child child[2];           // yes, no
    View rows[2];             // gathered rows and
    PairMatrix pairs[2];      // pair counts of the children, all in the parent's columns
    bool has_pairs[2] = {false, false};
    Node node;  // the child being searched
    StumpScan scan;
    Gains gains;
};

struct Search::Worker {
    explicit Worker(const Problem& problem) : greedy(problem), limits(problem.limits) {}

    Level& level(std::size_t i) {
        while (levels.size() <= i) levels.emplace_back(limits);
        return levels[i];
    }

    Greedy greedy;
    Statistics statistics;
    Limits& limits;
    std::deque<Level> levels;
};

struct Search::Choice {
    Bounds best;                     // lower is set at the end
    std::vector<std::size_t> order;  // features worth trying, most promising first
    std::vector<Cost> lower[2];      // proved for the yes- and no-child of each feature
    bool shared = false;             // threads try features at the same time
    std::mutex mutex;

    // What a split on feature `id` may cost at most to be chosen.
    Cost limit(std::int32_t id, Cost budget) const {
        return std::min(budget, id < best.feature ? best.upper : best.upper - 1);
    }
    void offer(Cost cost, std::int32_t id) {
        if (cost < best.upper || (cost == best.upper && id < best.feature)) {
            best.upper = cost;
            best.feature = id;
        }
    }
};

Search::Search(const Problem& problem, Workers& workers, bool remember_completions)
    : problem_(problem),
      threads_(workers),
      cache_(problem.limits, workers.count() > 1),
      remember_completions_(remember_completions) {
    for (std::size_t i = 0; i < workers.count(); ++i) workers_.push_back(std::make_unique<Worker>(problem));
}

Search::~Search() = default;

Greedy& Search::greedy(std::size_t worker) { return workers_[worker]->greedy; }

Statistics Search::statistics() const {
    Statistics sum;
    for (const auto& worker : workers_) sum += worker->statistics;
    sum.cache_entries = cache_.size();
    return sum;
}

// ---- the definition -------------------------------------------------------------------------------

Bounds Search::value(Node& node, std::size_t depth, std::size_t lookahead, Cost budget) {
    const Cost leaf = problem_.price.of(node_errors(node.view(), node.counts.data()), 1);
    const Cost floor = split_floor(problem_, node.view(), node.counts.data());
    if (depth == 0 || leaf <= floor) return {leaf, leaf, -1};
    lookahead = std::min(lookahead, depth);
    Worker& worker = *workers_[0];
    const Subproblem key{node.literals, static_cast<std::uint16_t>(depth),
                         static_cast<std::uint16_t>(lookahead)};
    Bounds result = look_up(worker, key, {floor, leaf, -1});
    if (result.exact() || problem_.limits.stop()) return result;
    try {
        if (needs_pairs(depth, lookahead) && !count_pairs(0, node)) return result;
        const Bounds found = search(worker, 0, node, depth, lookahead, budget);
        result = {std::max(found.lower, floor), found.upper, found.feature};
        cache_.store(key, result);
    } catch (const LimitReached&) {
    }
    return result;
}

// What the cache knows of a subproblem, or else what its counts tell.
Bounds Search::look_up(Worker& worker, const Subproblem& key, const Bounds& known) {
    if (!problem_.speed.cache) return known;
    const auto found = cache_.find(key);
    if (!found) return known;
    ++worker.statistics.cache_hits;
    return *found;
}

Bounds Search::known(Worker& worker, const Node& parent, Child& child, std::size_t depth,
                     std::size_t lookahead) {
    const Cost leaf = problem_.price.of(node_errors(parent.view(), child.counts.data()), 1);
    const Cost floor = split_floor(problem_, parent.view(), child.counts.data());
    if (depth == 0 || leaf <= floor) return {leaf, leaf, -1};
    if (depth == 1 && lookahead >= 1) return solve_one_level(problem_, parent.view(), child.counts.data());
    if (!remembers(lookahead)) return {floor, leaf, -1};
    return look_up(worker, key_of(parent, child, depth, lookahead), {floor, leaf, -1});
}

Bounds Search::value(Worker& worker, std::size_t level, const Node& parent, bool yes, std::size_t depth,
                     std::size_t lookahead, Cost budget, const Bounds& known) {
    if (known.exact() || known.lower > budget || problem_.limits.stopped()) return known;
    Level& own = worker.level(level);
    Child& child = own.child[yes ? 0 : 1];
    Bounds result;
    if (lookahead == 0) {
        ++worker.statistics.completions;
        const Word* rows = depth == 1 ? nullptr : mask_of(parent, child, own.feature, yes);  // counts suffice
        const Cost cost = worker.greedy.value(parent.view(), rows, child.counts.data(), depth, budget);
        if (problem_.limits.stopped())
            result = known;
        else
            result = {cost, cost <= budget ? cost : known.upper, -1};
    } else if (depth == 2 && lookahead == 2) {
        result = last_two_levels(worker, level, parent, yes);
    } else {
        if (!enter(worker, level, parent, yes, depth, lookahead)) return known;
        // Completions cost little beside the rows gathered: looking further than asked spares gathering them
        // again for another path with a larger budget.
        const Cost more = lookahead == 1 && remember_completions_ ? problem_.price.leaf / 2 : 0;
        result = search(worker, level + 1, own.node, depth, lookahead, budget + more);
    }
    result.lower = std::max(result.lower, known.lower);
    if (remembers(lookahead)) cache_.store(key_of(parent, child, depth, lookahead), result);
    return result;
}

Cost Search::values(Worker& worker, std::size_t level, const Node& node, std::size_t depth,
                    std::size_t lookahead, Cost budget, int first, Cost (&lower)[2]) {
    Level& own = worker.level(level);
    const int order[2] = {first, 1 - first};
    Bounds known[2];
    // What is known of one child may spare a search of the other.
    for (const int side : order) {
        if (lower[0] + lower[1] > budget) return kInfinite;
        known[side] = this->known(worker, node, own.child[side], depth, lookahead);
        lower[side] = std::max(lower[side], known[side].lower);
    }
    Cost sum = 0;
    for (const int side : order) {
        if (lower[0] + lower[1] > budget) return kInfinite;
        const Bounds found =
            value(worker, level, node, side == 0, depth, lookahead, budget - lower[1 - side], known[side]);
        lower[side] = std::max(lower[side], found.lower);
        sum += found.upper;
    }
    return sum;
}

// ---- the minimum over features --------------------------------------------------------------------

Bounds Search::search(Worker& worker, std::size_t level, const Node& node, std::size_t depth,
                      std::size_t lookahead, Cost budget) {
    ++worker.statistics.subproblems;
    const View& view = node.view();
    if (depth == 1) return solve_one_level(problem_, view, node.counts.data());
    if (depth == 2 && lookahead == 2)
        return solve_two_levels(problem_, view, node.counts.data(), node.pairs, worker.level(level).scan);

    Choice choice;
    choice.best.upper = problem_.price.of(node_errors(view, node.counts.data()), 1);
    rank(worker, level, node, lookahead == depth, choice);

    // Below this many word operations, waking threads costs more than it brings.
    constexpr std::size_t kWorthSharing = 1 << 20;
    // A feature costs a count, or many more where its children are searched in turn.
    const std::size_t counts = lookahead == 1 ? view.n_features : view.n_features * view.n_features;
    const std::size_t operations = view.n_words() * view.stride * counts;
    const bool outermost = level == 0;
    const auto try_next = [&](std::size_t i, Worker& by) {
        try_feature(by, level, node, choice.order[i], depth, lookahead, budget, choice);
        if (outermost) problem_.limits.step();
    };
    if (outermost) problem_.limits.start_loop(choice.order.size());
    choice.shared = outermost && operations >= kWorthSharing;
    if (choice.shared)
        threads_.run(choice.order.size(), [&](std::size_t i, std::size_t w) { try_next(i, *workers_[w]); });
    else
        for (std::size_t i = 0; i < choice.order.size(); ++i) try_next(i, worker);

    choice.best.lower = choice.best.upper;
    for (const std::size_t f : choice.order)
        choice.best.lower = std::min(choice.best.lower, choice.lower[0][f] + choice.lower[1][f]);
    return choice.best;
}

// Sorts the features by promise and bounds their children by what the node's own counts tell.
void Search::rank(Worker& worker, std::size_t level, const Node& node, bool optimal, Choice& choice) {
    const View& view = node.view();
    const Price& price = problem_.price;
    const Count* counts = node.counts.data();
    const std::size_t k = view.n_features;
    const Cost all = weight_at(view, counts, view.ones());
    Level& own = worker.level(level);
    const bool by_pairs = node.has_pairs;
    if (by_pairs)
        own.scan.run(problem_, view, counts, node.pairs);
    else
        best_gain(problem_, view, counts, own.gains);

    std::vector<Cost> estimate(k);
    for (std::vector<Cost>& bounds : choice.lower) bounds.resize(k);
    for (std::size_t f = 0; f < k; ++f) {
        const LeafErrors leaf = leaf_errors(view, counts, f);
        const Cost weight = weight_at(view, counts, f);
        const Cost yes_leaf = price.of(leaf.yes, 1), no_leaf = price.of(leaf.no, 1);
        if (by_pairs) {  // a leaf, the best single split, or three leaves
            Cost unavoidable = 0;
            for (std::size_t c = 0; c < view.n_classes; ++c)
                unavoidable += node.pairs.row(c, f)[view.unavoidable()];
            const Cost others = weight_at(view, counts, view.unavoidable()) - unavoidable;
            const Cost yes_split = price.of(weight - own.scan.yes[f], 2);
            const Cost no_split = price.of(all - weight - own.scan.no[f], 2);
            choice.lower[0][f] = std::min({yes_leaf, yes_split, price.of(unavoidable, 3)});
            choice.lower[1][f] = std::min({no_leaf, no_split, price.of(others, 3)});
            estimate[f] = std::min(yes_leaf, yes_split) + std::min(no_leaf, no_split);
        } else {
            choice.lower[0][f] = std::min(yes_leaf, split_floor(price, 0));
            choice.lower[1][f] = std::min(no_leaf, split_floor(price, 0));
        }
        if (weight == 0 || weight == all) continue;
        if (optimal && problem_.speed.minimum_support &&
            below_minimum_support(price, std::min(weight, all - weight)))
            continue;
        choice.order.push_back(f);
    }
    std::stable_sort(choice.order.begin(), choice.order.end(), [&](std::size_t a, std::size_t b) {
        return by_pairs ? estimate[a] < estimate[b] : own.gains.entropy[a] < own.gains.entropy[b];
    });
}

// Least cost of any tree on rows with these counts: a leaf, the best single split, or three leaves.
Cost Search::three_leaf_bound(Worker& worker, const View& view, const Count* counts) const {
    const Price& price = problem_.price;
    return std::min({price.of(node_errors(view, counts), 1),
                     price.of(worker.greedy.least_errors(view, counts), 2),
                     price.of(weight_at(view, counts, view.unavoidable()), 3)});
}

// Evaluates the split of `node` on its feature f, as far as needed to know whether it is the best.
void Search::try_feature(Worker& worker, std::size_t level, const Node& node, std::size_t f,
                         std::size_t depth, std::size_t lookahead, Cost budget, Choice& choice) {
    const auto id = static_cast<std::int32_t>(node.view().features[f]);
    Cost lower[2];
    const auto read = [&] {  // what other features have taught meanwhile
        const auto lock = lock_if(choice.shared, choice.mutex);
        for (int side = 0; side < 2; ++side) lower[side] = choice.lower[side][f];
        return choice.limit(id, budget);
    };
    const Cost limit = read();
    if (lower[0] + lower[1] > limit || problem_.limits.stopped()) return;
    // With pair counts, completions take a microsecond: not each of them needs to read the clock.
    const bool look = !node.has_pairs || lookahead > 1 || f % 16 == 0;
    if (look && problem_.limits.stop()) return;

    const bool optimal = lookahead == depth;
    Cost upper = kInfinite;          // until it is found
    problem_.limits.completes([&] {  // what is proved meanwhile stays true
        open(worker, level, node, f);
        Level& own = worker.level(level);
        Cost leaf[2], weight[2];
        for (int side = 0; side < 2; ++side) {
            const Count* counts = own.child[side].counts.data();
            leaf[side] = problem_.price.of(node_errors(node.view(), counts), 1);
            weight[side] = weight_at(node.view(), counts, node.view().ones());
            lower[side] =
                std::max(lower[side], std::min(leaf[side], split_floor(problem_, node.view(), counts)));
        }
        // Worth a scan of the counts only where it can tell.
        const Cost sum = lower[0] + lower[1];
        if (!node.has_pairs && depth > 2 && sum <= limit && sum + 2 * problem_.price.leaf > limit)
            for (int side = 0; side < 2; ++side)
                lower[side] = std::max(lower[side],
                                       three_leaf_bound(worker, node.view(), own.child[side].counts.data()));
        // With pair counts the lighter child first: it is cheaper, and the other's follow by subtraction.
        // Otherwise the one with more errors: the sooner the sum is too large, the better.
        const bool yes_first = optimal ? weight[0] <= weight[1] : leaf[0] >= leaf[1];
        upper = values(worker, level, node, depth - 1, lookahead - 1, limit, yes_first ? 0 : 1, lower);
    });

    const auto lock = lock_if(choice.shared, choice.mutex);
    for (int side = 0; side < 2; ++side) choice.lower[side][f] = std::max(choice.lower[side][f], lower[side]);
    // Beyond the limit a cost may be right but is no choice: equal ones were not looked at.
    if (upper <= limit) choice.offer(upper, id);
    if (optimal && problem_.speed.similar_support && !problem_.limits.stopped())
        similar_support(node, f, worker.level(level).child[0].counts.data(), choice);
}

// Bounds the children of every other feature by those of f. Sound for the optimal value alone: a tree for the
// rows A makes on the rows B at most as many errors more as there is weight in B but not in A, so that
// V(A) >= V(B) - weight(B \ A). The weights follow from the counts of f's yes-child.
void Search::similar_support(const Node& node, std::size_t f, const Count* yes_counts, Choice& choice) const {
    const View& view = node.view();
    const Neighbours known{node.counts.data(),
                           yes_counts,
                           view.stride,
                           view.n_classes,
                           view.n_features,
                           weight_at(view, node.counts.data(), view.ones()),
                           weight_at(view, yes_counts, view.ones()),
                           choice.lower[0][f],
                           choice.lower[1][f],
                           problem_.price.error};
    problem_.kernels().raise_bounds(known, choice.lower[0].data(), choice.lower[1].data());
}

// ---- children -------------------------------------------------------------------------------------

// Sets up the counts of both children of feature f in the level's scratch memory.
void Search::open(Worker& worker, std::size_t level, const Node& node, std::size_t f) {
    Level& own = worker.level(level);
    const std::size_t n_counts = node.view().n_classes * node.view().stride;
    own.feature = f;
    for (int side = 0; side < 2; ++side) {
        own.child[side].counts.resize(n_counts);
        own.child[side].has_mask = own.child[side].has_literals = own.has_pairs[side] = false;
    }
    Count* yes = own.child[0].counts.data();
    if (node.has_pairs) {
        node.pairs.counts_of(f, yes);
    } else {
        for (Child& child : own.child) {
            child.mask.resize(node.view().n_words());
            child.has_mask = true;
        }
        split_rows(problem_.kernels(), node.view(), node.rows, f, own.child[0].mask.data(),
                   own.child[1].mask.data(), yes);
    }
    Count* no = own.child[1].counts.data();
    for (std::size_t i = 0; i < n_counts; ++i) no[i] = node.counts[i] - yes[i];
}

const std::vector<Word>& Search::literals_of(const Node& parent, Child& child) const {
    if (!child.has_literals) {
        child.literals = parent.literals;
        add_literals(problem_.kernels(), parent.view(), child.counts.data(), child.literals);
        child.has_literals = true;
    }
    return child.literals;
}

const Word* Search::mask_of(const Node& parent, Child& child, std::size_t f, bool yes) const {
    if (!child.has_mask) {
        child.mask.resize(parent.view().n_words());
        select_rows(parent.view(), parent.rows, f, yes, child.mask.data());
        child.has_mask = true;
    }
    return child.mask.data();
}

// Sets up the node of an open child, with its pairs where they are needed: what its lighter sibling leaves of their
// parent's, or else counted. False when stopped.
bool Search::enter(Worker& worker, std::size_t level, const Node& parent, bool yes, std::size_t depth,
                   std::size_t lookahead) {
    Level& own = worker.level(level);
    Node& node = own.node;
    const View& view = parent.view();
    const int side = yes ? 0 : 1, other = 1 - side;
    Child& child = own.child[side];
    const Word* mask = mask_of(parent, child, own.feature, yes);
    node.literals = literals_of(parent, child);
    node.has_pairs = needs_pairs(depth, lookahead);
    // Gathering the sibling takes a pass over the parent's rows: with half of them it would not pay.
    const bool subtract = node.has_pairs && problem_.speed.subtract_siblings && parent.has_pairs &&
                          3 * weight_at(view, own.child[other].counts.data(), view.ones()) <=
                              weight_at(view, parent.counts.data(), view.ones());
    const auto mask_of_other = [&] { return mask_of(parent, own.child[other], own.feature, !yes); };
    worker.statistics.pair_matrices += node.has_pairs;
    // Completions count the rows of most of their nodes' children just once: that a third of the words are
    // somebody else's costs less than gathering the rest.
    if (subtract && lookahead == 1) {
        node.wider = &view;
        node.rows = mask;
        node.counts.resize(view.n_classes * view.stride);
        std::copy_n(child.counts.data(), node.counts.size(), node.counts.data());
        gather_rows(problem_.kernels(), view, mask_of_other(), own.rows[other]);
        return own.pairs[other].count(problem_, own.rows[other]) &&
               node.pairs.subtract(problem_, parent.pairs, own.pairs[other]);
    }
    node.wider = nullptr;
    node.rows = nullptr;
    const std::vector<std::uint32_t> columns =
        gather_node(problem_.kernels(), view, mask, child.counts.data(), node.own, node.counts);
    if (!node.has_pairs) return true;
    if (!subtract) return node.pairs.count(problem_, node.own);
    gather(problem_.kernels(), view, mask_of_other(), columns, own.rows[other]);
    return own.pairs[other].count(problem_, own.rows[other]) &&
           node.pairs.subtract(problem_, parent.pairs, own.pairs[other], columns);
}

// The optimal tree of depth two on a child, in the columns of its parent.
Bounds Search::last_two_levels(Worker& worker, std::size_t level, const Node& parent, bool yes) {
    Level& own = worker.level(level);
    const auto weight = [&](int side) {
        return weight_at(parent.view(), own.child[side].counts.data(), parent.view().ones());
    };
    const auto count = [&](int side) {
        if (own.has_pairs[side]) return true;
        ++worker.statistics.pair_matrices;
        gather_rows(problem_.kernels(), parent.view(),
                    mask_of(parent, own.child[side], own.feature, side == 0), own.rows[side]);
        return own.has_pairs[side] = own.pairs[side].count(problem_, own.rows[side]);
    };
    const int side = yes ? 0 : 1, other = 1 - side;
    const bool subtract =
        problem_.speed.subtract_siblings && parent.has_pairs && weight(side) > weight(other);
    bool counted = count(subtract ? other : side);
    if (counted && subtract) {
        ++worker.statistics.pair_matrices;
        counted = own.has_pairs[side] = own.pairs[side].subtract(problem_, parent.pairs, own.pairs[other]);
    }
    const Count* counts = own.child[side].counts.data();
    if (!counted)
        return {std::min(problem_.price.of(node_errors(parent.view(), counts), 1),
                         split_floor(problem_, parent.view(), counts)),
                problem_.price.of(node_errors(parent.view(), counts), 1), -1};
    return solve_two_levels(problem_, parent.view(), counts, own.pairs[side], own.scan);
}

// ---- all splits of a node -------------------------------------------------------------------------

bool Search::sides(std::size_t worker_index, const Node& node, std::size_t f, std::size_t depth,
                   std::size_t lookahead, Cost budget, Cost (&bounds)[2]) {
    Worker& worker = *workers_[worker_index];
    open(worker, 0, node, f);
    Level& own = worker.level(0);
    Cost weight[2];
    for (int side = 0; side < 2; ++side) {
        const Count* counts = own.child[side].counts.data();
        weight[side] = weight_at(node.view(), counts, node.view().ones());
        bounds[side] = depth > 2 ? three_leaf_bound(worker, node.view(), counts)
                                 : std::min(problem_.price.of(node_errors(node.view(), counts), 1),
                                            split_floor(problem_, node.view(), counts));
    }
    const int lighter = weight[0] <= weight[1] ? 0 : 1;  // it is cheaper
    values(worker, 0, node, depth - 1, lookahead, budget, lighter, bounds);
    return bounds[0] + bounds[1] <= budget && !problem_.limits.stopped();
}

const Child& Search::child(std::size_t worker, const Node& node, int side) {
    Child& child = workers_[worker]->level(0).child[side];
    literals_of(node, child);
    return child;
}

std::vector<std::size_t> Search::ranked(const Node& node) {
    Choice choice;
    rank(*workers_[0], 0, node, false, choice);
    return choice.order;
}

bool Search::count_pairs(std::size_t worker, Node& node) {
    if (!node.has_pairs) {
        ++workers_[worker]->statistics.pair_matrices;
        node.has_pairs = node.pairs.count(problem_, node.view());
    }
    return node.has_pairs;
}

void Search::take(std::size_t worker, const Node& node, std::int32_t feature, bool yes, Node& out) {
    open(*workers_[worker], 0, node, place_of(node, feature));
    take_open(*workers_[worker], node, yes, out);
}

// Gathers a child that is open at the first level.
void Search::take_open(Worker& worker, const Node& node, bool yes, Node& out) {
    Level& own = worker.level(0);
    Child& child = own.child[yes ? 0 : 1];
    gather_node(problem_.kernels(), node.view(), mask_of(node, child, own.feature, yes), child.counts.data(),
                out.own, out.counts);
    out.literals = literals_of(node, child);
    out.has_pairs = false;
}

std::size_t Search::place_of(const Node& node, std::int32_t feature) {
    const auto& features = node.view().features;
    return static_cast<std::size_t>(
        std::find(features.begin(), features.end(), static_cast<std::uint32_t>(feature)) - features.begin());
}

void Search::split(const Node& node, std::int32_t feature, Node& yes, Node& no) {
    Worker& worker = *workers_[0];
    open(worker, 0, node, place_of(node, feature));
    take_open(worker, node, true, yes);
    take_open(worker, node, false, no);
}

void count_root(const Problem& problem, Node& root) {
    root.counts.resize(root.view().n_classes * root.view().stride);
    Buffer<Word> all(problem.limits), none(problem.limits);
    all.resize(root.view().n_words());
    none.resize(root.view().n_words());
    split_rows(problem.kernels(), root.view(), nullptr, root.view().ones(), all.data(), none.data(),
               root.counts.data());
    std::uint32_t n_literals = 0;
    for (const std::uint32_t feature : root.view().features)
        n_literals = std::max(n_literals, 2 * feature + 2);
    root.literals.assign((n_literals + 63) / 64, 0);
}

}  // namespace splitsecond
