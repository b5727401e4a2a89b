// Costs of actions: a leaf chooses the action that costs its rows the least (ties: the first). Actions need not be
// classes.
//
// Exact:     costs and weights are integers.
// Invariant: concave and homogeneous in the weights, as a minimum of linear functions.
// Cost:      a multiplication for every class and action.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "losses/criterion.hpp"
#include "losses/parameters.hpp"
#include "losses/rounded.hpp"
#include "types.hpp"

namespace splitsecond {

struct Costs {
    static constexpr std::string_view name = "costs";
    static constexpr Criterion criterion = Criterion::weighted_entropy;
    static constexpr bool is_exact = true;
    static constexpr bool says_class = false;  // its labels are actions
    static constexpr bool has_unavoidable = true;
    using Value = Cost;

    const CostMatrix* costs;

    SPLITSECOND_INLINE static Costs of(const LossParameters& given) { return {&given.costs}; }
    std::size_t n_labels(std::size_t) const { return costs->n_actions; }
    Cost max_row_loss() const { return costs->maximum; }
    SPLITSECOND_INLINE double stake(std::size_t cls) const { return costs->stake[cls]; }

    template <class Weight, class Total>
    SPLITSECOND_INLINE void losses(std::size_t n_classes, std::size_t n, const Weight& weight, const Total&,
                                   Value* out) const {
        for (std::size_t j = 0; j < n; ++j) out[j] = kInfinite;
        for (std::size_t action = 0; action < costs->n_actions; ++action) {
            Cost sum[kSideBySide] = {};
            for (std::size_t c = 0; c < n_classes; ++c) {
                const Cost each = costs->of(action, c);
                for (std::size_t j = 0; j < n; ++j) sum[j] += each * weight(c, j);
            }
            for (std::size_t j = 0; j < n; ++j) out[j] = smaller(out[j], sum[j]);
        }
    }

    template <class WeightOf>
    std::uint32_t prediction(std::size_t n_classes, const WeightOf& weight_of) const {
        std::uint32_t chosen = 0;
        Cost best = 0;
        for (std::uint32_t action = 0; action < costs->n_actions; ++action) {
            Cost sum = 0;
            for (std::size_t c = 0; c < n_classes; ++c) sum += costs->of(action, c) * weight_of(c);
            if (action == 0 || sum < best) {
                best = sum;
                chosen = action;
            }
        }
        return chosen;
    }

    // Every row costs its class's minimum. A row that its group's best action does not suit costs its class's
    // regret more, at least.
    bool is_unavoidable(std::size_t cls, std::size_t action) const {
        return costs->of(action, cls) > costs->minimum[cls];
    }
    template <class Marked, class All>
    Cost unavoidable(std::size_t n_classes, const Marked& marked, const All& all) const {
        Cost sum = 0;
        for (std::size_t c = 0; c < n_classes; ++c)
            sum += costs->regret[c] * marked(c) + costs->minimum[c] * all(c);
        return sum;
    }
};

}  // namespace splitsecond
