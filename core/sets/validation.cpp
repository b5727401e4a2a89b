// Checks a graph that was stored.
#include <cstdint>
#include <stdexcept>

#include "sets/graph.hpp"

namespace splitsecond {
namespace {

constexpr std::uint32_t kMaxLevels = 65535;

void refuse_if(bool wrong) {
    if (wrong) throw std::invalid_argument("the arrays are not those of a set of trees.");
}

bool is_price(Cost price) { return price >= 0 && price <= kInfinite; }

constexpr double kMaxUnits = 0x1p50;       // what rounding can tell apart (losses/rounded.hpp)
constexpr double kMaxMagnitude = 0x1p200;  // in units; it only says how far losses may be off

// Losses of so much weight, if they can be told from the parameters: those that would overflow are refused.
bool fits(const Objective& objective, Cost weight) {
    const LossParameters& given = objective.parameters;
    if (objective.is_of_numbers()) {
        const SumParameters& sums = given.sums;
        return given.scale >= 0 && given.root_loss >= 0 && sums.limb >= 1 && sums.limb <= 0x1p31 &&
               sums.max_rate >= 0 && sums.offset >= 0 && given.scale * sums.offset < kMaxUnits &&
               given.scale * sums.magnitude < kMaxMagnitude;
    }
    if (!objective.is_exact())  // log-loss is at most the weight times the logarithm of the number of classes
        return given.scale >= 0 && given.root_loss >= 0 &&
               given.scale * static_cast<double>(weight) * 32 < kMaxUnits;
    return given.costs.maximum <= kInfinite / weight;
}

// Whether both terms that the loss of a leaf of numbers is the difference of are within what rounding can tell apart.
bool terms_fit(const Objective& objective, std::size_t n_channels, const Count* counts) {
    return objective.with_loss([=](const auto& type) {
        if constexpr (requires { type.is_of_numbers; }) {
            if (n_channels <= kFirstLimb) return false;
            double explained[1];
            type.real(
                n_channels, 1,
                [=](std::size_t c, std::size_t) { return c == kOffsetChannel ? Count{0} : counts[c]; },
                [](std::size_t) { return Count{0}; }, explained);
            const double offset = type.scale * type.sums.offset * static_cast<double>(counts[kOffsetChannel]);
            return explained[0] < kMaxUnits && explained[0] > -kMaxUnits && offset < kMaxUnits;
        }
        return true;
    });
}

bool is_budget(Cost budget) { return budget >= -1 && budget <= kInfinite; }

// Works out what a leaf would be here.
void restore_leaf(GraphNode& node, const Count* counts, std::size_t n_classes, const Objective& objective) {
    Cost whole = 0;
    for (std::size_t c = 0; c < n_classes; ++c) {
        refuse_if(counts[c] < 0);
        whole += counts[c];
    }
    const auto weight_of = [&](std::size_t c) { return counts[c]; };
    node.weight = weight_of_rows(objective, n_classes, weight_of);
    refuse_if(node.weight <= 0 || whole > INT32_MAX || !fits(objective, whole));
    refuse_if(!terms_fit(objective, n_classes, counts));
    node.label = objective.prediction(n_classes, weight_of);
    node.loss = objective.leaf_loss(n_classes, weight_of);
    refuse_if(node.loss > 0 && objective.price.loss > kInfinite / node.loss);
}

}  // namespace

void Graph::restore() {
    const std::size_t n = nodes.size();
    refuse_if(n == 0 || root >= n || n_classes == 0 || counts.size() % n != 0 ||
              counts.size() / n != n_classes);
    refuse_if(objective.parameters.costs.n_actions > 0 && objective.parameters.costs.n_classes != n_classes);
    refuse_if(!is_price(objective.price.loss) || !is_price(objective.price.leaf) || !is_budget(max_leaves));
    std::size_t next_edge = 0;  // nodes have their edges one after the other
    for (std::size_t i = 0; i < n; ++i) {
        GraphNode& node = nodes[i];
        refuse_if(node.level > kMaxLevels || node.prefix.role > Role::prefix ||
                  node.edge_begin != next_edge || node.edge_end < next_edge || node.edge_end > edges.size());
        refuse_if(!is_budget(node.budget) || !is_budget(node.prefix.budget) ||
                  !is_budget(node.prefix.end_cost) || !is_budget(node.prefix.fill_budget));
        restore_leaf(node, counts.data() + i * n_classes, n_classes, objective);
        next_edge = node.edge_end;
    }
    refuse_if(next_edge != edges.size());
    for (const GraphNode& node : nodes)
        for (std::size_t e = node.edge_begin; e < node.edge_end; ++e) {
            refuse_if(edges[e].feature < 0);
            for (const std::uint32_t id : {edges[e].yes, edges[e].no}) {
                refuse_if(id >= n);
                // Levels rise along edges, so that there are no cycles.
                refuse_if(nodes[id].edge_begin != nodes[id].edge_end && nodes[id].level <= node.level);
            }
        }
}

}  // namespace splitsecond
