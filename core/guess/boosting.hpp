// Boosted stumps or small trees over binned columns: which questions a reference ensemble asks.
//
// What:      gradient boosting of the logistic loss (softmax for more than two classes), of squared error, or of
//            Poisson deviance. A question is `bin <= k` in an ordered column, `bin == k` in one without order, or
//            "is missing". Only the questions come back, with the loss they took away: they become 0/1 columns of
//            a tree search.
// Ties:      the first question whose gain is within 1e-6 (relative) of the best.
// Invariant: the answer does not depend on the number of threads: rows are summed up in fixed slices.
// Cost:      about a nanosecond a row, round, class and column; a column costs only the rows outside its most
//            frequent bin when those are few.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "guess/binning.hpp"
#include "runtime/limits.hpp"

namespace splitsecond {

struct Question {
    std::uint32_t column;
    std::uint32_t bin;  // n_bins - 1 in a column with missing values: "is missing"
    double gain;        // how much squared gradient it explained, over all its uses
};

struct BoostOptions {
    std::size_t rounds = 100;
    std::size_t max_depth = 1;
    double learning_rate = 0.1;
    // Go on until there are so many questions, up to 10 times the rounds, while any new ones turn up.
    std::size_t wanted = 0;
    std::size_t n_threads = 1;
};

// Questions in the order of their first use. `weights` may be null. When stopped, what was found until then.
std::vector<Question> boost(const std::vector<BinnedColumn>& columns, std::size_t n_rows,
                            const std::int32_t* classes, std::size_t n_classes, const double* weights,
                            const BoostOptions& options, Limits& limits);

enum class NumberLoss : std::uint8_t {
    squared_error,
    poisson,  // values are rates, at least 0, and weights their exposures
};

// The same for numbers, whose mean and spread must be about 1 at most: scores are held in 32 bits.
std::vector<Question> boost_numbers(const std::vector<BinnedColumn>& columns, std::size_t n_rows,
                                    const double* values, NumberLoss loss, const double* weights,
                                    const BoostOptions& options, Limits& limits);

}  // namespace splitsecond
