// The objective of a tree, in integers:
//
//     cost = price.loss * (sum of the losses of its leaves) + price.leaf * leaves
//
// What:      the loss says, from the sums over a leaf's rows alone (its channels: the weight of each class), what the
//            leaf loses and what it predicts. Everything in the core that needs to know asks the objective.
// Exact:     the caller chooses the two prices so that price.leaf / price.loss orders all trees exactly as lambda
//            times the total weight does (the Python side's leaf_price), so that sums and comparisons are exact.
// Cost:      a few operations a class; loops over features choose the type of the loss once (kernels/loss_body.hpp).
// A new one: docs/architecture.md, "Adding a loss".
#pragma once

#include <string_view>

#include "losses/losses.hpp"
#include "types.hpp"

namespace splitsecond {

Loss loss_named(std::string_view name);  // throws std::invalid_argument

struct Price {
    Cost loss = 1;  // of one unit of loss
    Cost leaf = 0;  // lambda: the penalty per leaf

    Cost of(Cost losses, Cost leaves) const { return loss * losses + leaf * leaves; }
};

struct Objective {
    Price price;
    Loss loss{};  // the first of the list: zero_one

    // The loss as a value of its type, for loops that were made for it.
    template <class LossType>
    SPLITSECOND_INLINE LossType as() const {
        return LossType{};
    }

    // Calls visit with that value.
    template <class Visit>
    SPLITSECOND_INLINE decltype(auto) with_loss(const Visit& visit) const {
        return visit_loss(Losses{}, static_cast<std::size_t>(loss),
                          [&]<class LossType>() -> decltype(auto) { return visit(as<LossType>()); });
    }

    // Loss of a leaf; weight_of(c) is the weight of class c there.
    template <class WeightOf>
    SPLITSECOND_INLINE Cost leaf_loss(std::size_t n_classes, const WeightOf& weight_of) const {
        return with_loss([&](auto type) { return loss_of_leaf(type, n_classes, weight_of); });
    }

    // What the leaf predicts: the number of a class.
    template <class WeightOf>
    std::uint32_t prediction(std::size_t n_classes, const WeightOf& weight_of) const {
        return with_loss([&](auto type) { return type.prediction(n_classes, weight_of); });
    }

    // The maximum that a row of weight 1 adds to the cost of a tree.
    Cost max_row_cost() const {
        return price.loss * with_loss([](auto type) { return Cost{type.max_row_loss}; });
    }

private:
    template <class LossType, class WeightOf>
    static SPLITSECOND_INLINE Cost loss_of_leaf(LossType type, std::size_t n_classes,
                                                const WeightOf& weight_of) {
        if (n_classes == 2) return Cost{type.of_two(weight_of(0), weight_of(1))};
        auto sum = type.start();
        Count all = 0;
        for (std::size_t c = 0; c < n_classes; ++c) {
            const Count weight = weight_of(c);
            sum = type.add(sum, weight);
            all += weight;
        }
        return Cost{type.finish(sum, all)};
    }
};

}  // namespace splitsecond
