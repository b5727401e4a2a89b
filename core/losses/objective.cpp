#include "losses/objective.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>
#include <utility>

namespace splitsecond {

Loss loss_named(std::string_view name) {
    std::string known;
    for (std::size_t i = 0; i < Losses::size; ++i) {
        if (name == Losses::names[i]) return static_cast<Loss>(i);
        known += (i == 0 ? "" : ", ") + std::string(Losses::names[i]);
    }
    throw std::invalid_argument("loss='" + std::string(name) + "' is not one of " + known + ".");
}

void LossParameters::set_costs(std::size_t n_actions, std::size_t n_classes, std::vector<Cost> values) {
    if (n_actions == 0 || values.size() != n_actions * n_classes ||
        std::any_of(values.begin(), values.end(), [](Cost cost) { return cost < 0; }))
        throw std::invalid_argument("there must be a cost of at least 0 for every action and class.");
    struct Arrays {
        std::vector<Cost> values, minimum, regret;
        std::vector<double> stake;
    };
    auto arrays = std::make_shared<Arrays>();
    arrays->values = std::move(values);
    costs = {n_actions, n_classes, arrays->values.data()};
    for (std::size_t c = 0; c < n_classes; ++c) {
        Cost lowest = costs.of(0, c), highest = lowest;
        for (std::size_t a = 1; a < n_actions; ++a) {
            lowest = std::min(lowest, costs.of(a, c));
            highest = std::max(highest, costs.of(a, c));
        }
        Cost next = highest;
        for (std::size_t a = 0; a < n_actions; ++a)
            if (costs.of(a, c) > lowest) next = std::min(next, costs.of(a, c));
        arrays->minimum.push_back(lowest);
        arrays->regret.push_back(next - lowest);
        arrays->stake.push_back(static_cast<double>(highest - lowest));
        costs.maximum = std::max(costs.maximum, highest);
    }
    costs.minimum = arrays->minimum.data();
    costs.regret = arrays->regret.data();
    costs.stake = arrays->stake.data();
    held = std::move(arrays);
}

double Objective::leaf_rounding(Cost weight) const {
    return with_loss([&](const auto& type) {
        if constexpr (requires { type.noise(1.0); })
            return 0.5 + parameters.scale * type.noise(static_cast<double>(weight));
        else
            return 0.0;
    });
}

// Means are equal when S_yes N_no = S_no N_yes: compared by limbs, so that nothing overflows.
bool Objective::sums_say_same(std::size_t n_channels, const Count* yes, const Count* no) const {
    const auto limb = static_cast<Cost>(parameters.sums.limb);
    Cost carry = 0;  // of the difference, in ones of the limb at hand
    for (std::size_t c = kFirstLimb; c < n_channels; ++c) {
        const Cost difference = Cost{yes[c]} * no[0] - Cost{no[c]} * yes[0] + carry;
        if (c + 1 == n_channels) return difference == 0;
        if (difference % limb != 0) return false;
        carry = difference / limb;
    }
    return true;
}

Cost Objective::max_row_cost(Cost weight) const {
    const Cost row = with_loss([](const auto& type) { return type.max_row_loss(); });
    const bool is_bounded = row == 0 || kInfinite / row / std::max<Cost>(price.loss, 1) > weight;
    return is_bounded ? price.loss * row : kInfinite;
}

}  // namespace splitsecond
