#include "sets/rashomon.hpp"

#include <algorithm>
#include <atomic>
#include <cassert>
#include <memory>
#include <utility>
#include <vector>

#include "sets/builder.hpp"
#include "sets/exact_set.hpp"
#include "sets/resplit.hpp"
#include "sets/tree_graph.hpp"

namespace splitsecond {
namespace {

// Of the time that is left when the reference tree is known, what goes to looking for the other trees.
constexpr double kBuildingShare = 0.7;

// Finds V of the root's children as far as a set within the bound needs it, given the cost of a tree and the
// bound that it would set. V of the root follows from what the cache then knows; if it were found first,
// children that are worse than the best but within the bound would be searched twice.
void solve_children_of_root(Session& session, std::size_t lookahead, Cost known, Cost bound) {
    Search& search = session.search;
    Limits& limits = session.problem.limits;
    const Cost slack = bound - known;
    std::atomic<Cost> best = known;
    const auto solve = [&](std::size_t f, std::size_t worker) {
        Cost values[2];
        OpenSplit& split = search.split(worker);
        split.open(session.root, f);
        if (!search.values(worker, split, session.depth - 1, lookahead - 1, best + slack, values)) return;
        Cost now = best;
        while (values[0] + values[1] < now && !best.compare_exchange_weak(now, values[0] + values[1])) {
        }
    };
    limits.completes([&] {  // what is not known then will be looked for again
        if (!search.count_pairs(0, session.root)) return;
        const Candidates candidates(session.problem, session.root, false, search.scratch());
        session.workers.run(candidates.order.size(), [&](std::size_t i, std::size_t worker) {
            limits.completes([&] { solve(candidates.order[i], worker); });
        });
    });
}

// The tree that sets the bound: the optimal tree, or for RESPLIT the one behind V(D, depth, lookahead).
Tree find_reference(Session& session, const SetOptions& options) {
    const std::size_t depth = session.depth;
    Tree best = session.greedy;
    const auto offer = [&](Tree tree) {  // a search that was stopped may find less than was known
        if (session.cost(tree) <= session.cost(best)) best = std::move(tree);
    };
    const std::size_t lookahead = std::min(options.lookahead.value_or(depth), depth);
    if (lookahead > 1) {
        if (!options.lookahead) offer(session.algorithms.lickety_split(session.root, depth, 1, false));
        solve_children_of_root(session, lookahead, session.cost(best),
                               options.bound(best.loss(options.objective), best.leaves()));
    }
    offer(options.lookahead ? session.algorithms.split(session.root, depth, lookahead, false)
                            : session.algorithms.optimal(session.root, depth, best));
    return options.keep_trivial ? best : without_trivial_splits(best, session.problem.objective);
}

// Counts as much of the set as the limits allow: where there are any, the best trees first, and then more and
// more of it, since the whole may be too much.
bool count(Graph& graph, Cost slack, Limits& limits) {
    const std::size_t bytes = graph.bytes();
    bool counted = false;
    try {
        limits.charge(bytes);
        for (const int halvings : {12, 6, 2, 0}) {
            if (halvings > 0 && !limits.limited()) continue;
            if (!graph.count_better(slack - (slack >> halvings), limits)) break;
            counted = true;
        }
        limits.release(bytes);
    } catch (const LimitReached&) {
    }
    return counted;
}

// The set of a tree alone, until there is more.
void set_reference(const Tree& reference, const SetOptions& options, RashomonSet& set) {
    set.reference_loss = reference.loss(options.objective);
    set.reference_leaves = reference.leaves();
    set.graph = graph_of(reference, options.objective);
    set.bound = options.bound(set.reference_loss, set.reference_leaves);
}

void build_packed(View view, const SetOptions& options, Limits& limits, Limits& whole, RashomonSet& set) {
    Session session(std::move(view), options, true, limits);
    session.order_rows();
    session.find_unavoidable();
    const Tree reference = find_reference(session, options);
    set_reference(reference, options, set);
    if (limits.stopped()) return;  // there may be a better reference
    set.proved = true;

    limits.keep_time(kBuildingShare);
    const std::unique_ptr<SetBuilder> builder =
        options.lookahead ? make_resplit_builder(session, options) : make_exact_builder(session, options);
    Graph graph = builder->build(set.bound, reference);
    set.statistics = session.search.statistics();
    if (!count(graph, set.bound - session.cost(reference), whole)) return;
    const bool nothing = graph.histogram().empty();  // stopped before any tree was complete
    if (!nothing || !limits.stopped()) set.graph = std::move(graph);
}

}  // namespace

RashomonSet rashomon_set(const Table& table, const Target& target, SetOptions options, Limits& whole) {
    Limits limits = whole.again();  // for all but counting, which is done when these have stopped
    if (options.speed.kernels == nullptr) options.speed.kernels = &find_kernels("auto");
    check(table, target);
    RashomonSet set;
    try {
        View view(limits);
        PackOptions how = options.pack_options();
        how.keep_equal = true;
        set.not_binary = pack(*options.speed.kernels, table, target, limits, view, how);
        if (set.not_binary) return set;
        set.packed = !limits.stopped();
        if (set.packed) build_packed(std::move(view), options, limits, whole, set);
    } catch (const LimitReached&) {
    }
    if (set.graph.nodes.empty()) set_reference(single_leaf(target, table.n_rows), options, set);
    assert(limits.holds_nothing());
    set.status = limits.stopped() ? limits.reason() : whole.reason();
    Limits none;
    if (!set.graph.is_counted()) set.graph.count(none);
    set.peak_bytes = std::max(limits.peak_bytes(), whole.peak_bytes());
    set.seconds = limits.seconds();
    return set;
}

}  // namespace splitsecond
