// The objective of a tree, in integers:
//
//     cost = price.loss * (sum of the losses of its leaves) + price.leaf * leaves
//
// What:      a loss is a type (zero_one.hpp is the first) that says, from the sums over a leaf's rows alone (its channels: the
//            weight of each class), what the leaf loses and what it predicts. Everything in the core that needs to
//            know a leaf's loss asks the objective; loops over features choose the type at compile time
//            (kernels/loss_body.hpp), everything else by with_loss().
// Exact:     the caller chooses the two prices so that price.leaf / price.loss orders all trees exactly as lambda
//            times the total weight does (the Python side's leaf_price), so that sums and comparisons are exact.
// A new one: docs/architecture.md, "Adding a loss".
#pragma once

#include "losses/zero_one.hpp"
#include "types.hpp"

namespace splitsecond {

enum class Loss : std::uint8_t { zero_one };
inline constexpr std::size_t kLosses = 1;

struct Price {
    Cost loss = 1;  // of one unit of loss
    Cost leaf = 0;  // lambda: the penalty per leaf

    Cost of(Cost losses, Cost leaves) const { return loss * losses + leaf * leaves; }
};

struct Objective {
    Price price;
    Loss loss = Loss::zero_one;

    // Calls visit with the type of the loss.
    template <class Visit>
    SPLITSECOND_INLINE decltype(auto) with_loss(const Visit& visit) const {
        switch (loss) {
            case Loss::zero_one: break;
        }
        return visit(ZeroOne{});
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

    // The most that a row of weight 1 adds to the cost of a tree.
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

// The loss as a value of its type, for loops that were made for it.
template <class LossType>
SPLITSECOND_INLINE LossType loss_of(const Objective&) {
    return LossType{};
}

}  // namespace splitsecond
