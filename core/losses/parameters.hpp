// What a loss is told of its problem. Each loss takes what it needs (LossType::of).
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "types.hpp"

namespace splitsecond {

// What each action costs for a row of each class: values[action * n_classes + cls], at least 0.
struct CostMatrix {
    std::size_t n_actions = 0;
    std::size_t n_classes = 0;
    const Cost* values = nullptr;
    const Cost* minimum = nullptr;  // of each class, over the actions
    const Cost* regret =
        nullptr;  // of each class: the next cost above its minimum, minus that; 0: there is none
    const double* stake = nullptr;  // of each class: maximum minus minimum
    Cost maximum = 0;               // of all

    SPLITSECOND_INLINE Cost of(std::size_t action, std::size_t cls) const {
        return values[action * n_classes + cls];
    }
};

// How numbers stand in the channels, for losses of numbers (losses/sums.hpp).
struct SumParameters {
    double limb = 1;       // what one of a further limb is worth in ones of the limb before
    double offset = 0;     // what one of the second channel is worth, in units of the loss before `scale`
    double centre = 0;     // a mean that others are measured from, a whole number (squared error)
    double magnitude = 0;  // of the terms that a leaf's loss is the difference of, on all rows
    double max_rate = 1;   // of any row (Poisson)
};

struct LossParameters {
    // Losses that are real numbers are rounded to whole units:
    double scale = 1;            // so many units are a loss of 1,
    Cost root_loss = 0;          // so many the loss of one leaf on all rows;
    double leaf_rounding = 0.5;  // what a leaf's loss may be off by,
    double max_leaves = 0;       // and how many leaves a tree may have.

    SumParameters sums;                // for losses of numbers
    CostMatrix costs;                  // for `costs`
    std::shared_ptr<const void> held;  // what that points to

    // Throws std::invalid_argument unless there is a cost >= 0 for every action and class.
    void set_costs(std::size_t n_actions, std::size_t n_classes, std::vector<Cost> values);
};

}  // namespace splitsecond
