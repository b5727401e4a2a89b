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
#include <type_traits>

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
    LossParameters parameters = {};

    // The loss as a value of its type, for loops that were made for it.
    template <class LossType>
    SPLITSECOND_INLINE LossType as() const {
        return LossType::of(parameters);
    }

    // Calls visit with that value. The first of the list is called in line, the others from a function of their own,
    // which gets a copy: what the caller has stays in registers.
    template <class Visit>
    SPLITSECOND_INLINE std::invoke_result_t<const Visit&, ZeroOne> with_loss(const Visit& visit) const {
        if (loss == Loss{}) return visit(as<ZeroOne>());
        return with_other_loss(visit);
    }

    // Loss of a leaf; weight_of(c) is the weight of class c there.
    template <class WeightOf>
    SPLITSECOND_INLINE Cost leaf_loss(std::size_t n_classes, const WeightOf& weight_of) const {
        return with_loss([=](const auto& type) { return loss_of_leaf(type, n_classes, weight_of); });
    }

    // What the leaf predicts: the number of a class, or of an action.
    template <class WeightOf>
    std::uint32_t prediction(std::size_t n_classes, const WeightOf& weight_of) const {
        return with_loss([=](const auto& type) { return type.prediction(n_classes, weight_of); });
    }
    std::size_t n_labels(std::size_t n_classes) const {
        return with_loss([&](const auto& type) { return type.n_labels(n_classes); });
    }

    // The minimum loss of any tree on some rows: marked(c) is the weight of those of class c that were marked as
    // unavoidable (data/equal_rows.hpp), all(c) that of all.
    template <class Marked, class All>
    SPLITSECOND_INLINE Cost unavoidable(std::size_t n_classes, const Marked& marked, const All& all) const {
        return with_loss([=](const auto& type) { return type.unavoidable(n_classes, marked, all); });
    }

    // Whether there is such a minimum, other than 0.
    bool has_unavoidable() const {
        return with_loss([](const auto& type) { return type.has_unavoidable; });
    }

    // Whether best_stumps (kernels.hpp) reads no offset of pairs: it cancels (losses/squared_error.hpp).
    bool offset_cancels() const {
        return with_loss([](const auto& type) {
            if constexpr (requires { type.offset_cancels(); })
                return type.offset_cancels();
            else
                return false;
        });
    }

    // The maximum that a row of weight 1 adds to the cost of a tree, if it is not so large that costs of rows of this
    // weight overflow; kInfinite: no bound is known.
    Cost max_row_cost(Cost weight) const;

    // How far a leaf's loss may be from the real one, in units, among rows of this weight.
    double leaf_rounding(Cost weight) const;

    // Whether losses are integers by themselves.
    bool is_exact() const {
        return with_loss([](const auto& type) { return type.is_exact; });
    }
    // Whether the loss itself is what greedy chooses by.
    bool is_own_criterion() const {
        return with_loss([](const auto& type) { return type.criterion == Criterion::loss; });
    }
    // Whether a split says no more than a leaf: both sides predict the same; where leaves say shares, they say the same
    // shares, since only then they lose together what one leaf does.
    bool is_trivial(std::size_t n_classes, const Count* yes, const Count* no, std::uint32_t yes_label,
                    std::uint32_t no_label) const {
        if (is_exact()) return yes_label == no_label;
        if (is_of_numbers()) return sums_say_same(n_classes, yes, no);
        Cost yes_weight = 0, no_weight = 0;
        for (std::size_t c = 0; c < n_classes; ++c) {
            yes_weight += yes[c];
            no_weight += no[c];
        }
        for (std::size_t c = 0; c < n_classes; ++c)
            if (yes[c] * no_weight != no[c] * yes_weight) return false;
        return true;
    }

    // Whether it is a loss of numbers, whose channels are sums (losses/sums.hpp).
    bool is_of_numbers() const {
        return with_loss([](const auto& type) { return requires { type.is_of_numbers; }; });
    }

private:
    // Whether two leaves have the same mean.
    bool sums_say_same(std::size_t n_channels, const Count* yes, const Count* no) const;

    template <class Visit>
    SPLITSECOND_NOINLINE std::invoke_result_t<const Visit&, ZeroOne> with_other_loss(Visit visit) const {
        return visit_loss(Losses{}, static_cast<std::size_t>(loss),
                          [&]<class LossType>() -> decltype(auto) { return visit(as<LossType>()); });
    }

    template <class LossType, class WeightOf>
    static SPLITSECOND_INLINE Cost loss_of_leaf(const LossType& type, std::size_t n_classes,
                                                const WeightOf& weight_of) {
        if constexpr (kHasOfTwo<LossType>)
            if (n_classes == 2) return Cost{type.of_two(weight_of(0), weight_of(1))};
        Count all = 0;
        for (std::size_t c = 0; c < n_classes; ++c) all += weight_of(c);
        typename LossType::Value out[1] = {};
        type.losses(
            n_classes, 1, [&](std::size_t c, std::size_t) { return weight_of(c); },
            [&](std::size_t) { return all; }, out);
        return Cost{out[0]};
    }
};

}  // namespace splitsecond
