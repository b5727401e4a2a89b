#include "sets/resplit.hpp"

#include <algorithm>

#include "sets/builder.hpp"

namespace splitsecond {
namespace {

class ResplitBuilder final : public SetBuilder {
public:
    ResplitBuilder(Session& session, const SetOptions& options)
        : SetBuilder(session, options), lookahead_(std::min(*options.lookahead, session.depth)) {}

private:
    Role role_at(std::size_t level) const override {
        if (level > lookahead_) return Role::plain;
        return level < lookahead_ ? Role::prefix : Role::horizon;
    }

    // Prefix cost alone decides.
    void set_bound(Cost bound, Side& root) const override { root.prefix_budget = bound; }
    void set_bound(Cost bound, GraphNode& root) const override {
        root.budget = -1;
        root.prefix.budget = std::min(root.prefix.budget, bound);
    }

    // Step 1: above the horizon a split is kept for its prefixes, too.
    bool keeps_prefix(std::size_t worker, OpenSplit& split, const GraphNode& node,
                      Split& out) const override {
        if (node.prefix.role != Role::prefix || node.prefix.budget < 0) return false;
        Cost best[2];
        const std::size_t lookahead_below = lookahead_ - node.level - 1;
        if (!values(worker, split, node, lookahead_below, node.prefix.budget, best)) return false;
        for (int side = 0; side < 2; ++side)
            out.side[side].prefix_budget = node.prefix.budget - best[1 - side];
        return true;
    }

    // Step 2: where a prefix may end, trees may cost as much as greedy.
    bool wants_greedy(const GraphNode& node) const override {
        return node.prefix.role != Role::plain && node.prefix.budget >= 0;
    }
    void set_fill(Cost greedy, GraphNode& node) const override {
        Prefix& prefix = node.prefix;
        prefix.end_cost = prefix.role == Role::prefix ? leaf_cost_of(node) : greedy;
        if (prefix.role == Role::plain || prefix.end_cost > prefix.budget) return;
        prefix.fill_budget = greedy;
        node.budget = std::max(node.budget, greedy);
    }

    const std::size_t lookahead_;
};

}  // namespace

std::unique_ptr<SetBuilder> make_resplit_builder(Session& session, const SetOptions& options) {
    return std::make_unique<ResplitBuilder>(session, options);
}

}  // namespace splitsecond
