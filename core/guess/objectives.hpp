// What boosting fits: where the scores of a loss begin, its gradients and its hessians, row by row.
//
// What:      an objective is a policy of the booster. It has one or more outputs, each with a score a row. A round
//            turns the scores into predictions; for a tree of one output it sets what a row adds to the sums
//            (its gradient, and the weight that splits are chosen with), and the step of a leaf from its sums.
// Invariant: a row's values depend on that row alone, so slices of rows may be computed in any order.
// Cost:      a few instructions a row; loops are over plain arrays, so that compilers vectorize them.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>

#include "guess/histograms.hpp"

namespace splitsecond {

// e^x, for any x but NaN, from additions and multiplications alone: to 3e-7 near 0 and 4e-6 at the ends,
// which leaves the probabilities made of it right to 2e-7.
inline float exponential(float x) {
    const float clamped = std::min(std::max(x, -80.0f), 80.0f);
    const float scaled = clamped * 1.44269504f;
    constexpr float kShift = 12582912.0f;  // 1.5 * 2^23: adding it rounds to an integer
    const float shifted = scaled + kShift;
    const float whole = shifted - kShift;
    const float t = (scaled - whole) * 0.693147181f;
    const float series =
        1.0f + t * (1.0f + t * (0.5f + t * (0.166666667f + t * (0.0416666667f +
                                                                t * (0.00833333333f + t * 0.00138888889f)))));
    return series * std::bit_cast<float>((static_cast<std::int32_t>(whole) + 127) << 23);
}

// Weights of the rows, times a scale; all 1 where there are none.
struct RowWeights {
    const double* weights;
    double scale = 1;

    double operator[](std::size_t row) const { return weights == nullptr ? 1.0 : weights[row] * scale; }
};

// The logistic loss of two classes, with one output, or the softmax of more, with one each.
class ClassObjective {
public:
    static constexpr bool kFixedWeights = true;  // splits are chosen with the same weights in every round

    ClassObjective(const std::int32_t* classes, std::size_t n_rows, std::size_t n_classes)
        : classes_(classes), n_(n_rows), outputs_(n_classes == 2 ? 1 : n_classes) {}

    std::size_t outputs() const { return outputs_; }

    // The score that all rows begin with.
    float start(std::size_t output, const RowWeights& weights, double total_weight) const {
        double inside = 0;
        for (std::size_t row = 0; row < n_; ++row) inside += weights[row] * is_class(row, output);
        const double share = std::clamp(inside / total_weight, 1e-6, 1 - 1e-6);
        return static_cast<float>(outputs_ == 1 ? std::log(share / (1 - share)) : std::log(share));
    }

    // Probabilities; both arrays are [output][row].
    void predict(const float* scores, float* predictions, std::size_t begin, std::size_t end) const {
        if (outputs_ == 1) {
            for (std::size_t row = begin; row < end; ++row)
                predictions[row] = 1.0f / (1.0f + exponential(-scores[row]));
            return;
        }
        for (std::size_t row = begin; row < end; ++row) {
            float highest = scores[row], total = 0;
            for (std::size_t k = 1; k < outputs_; ++k) highest = std::max(highest, scores[k * n_ + row]);
            for (std::size_t k = 0; k < outputs_; ++k)
                total += predictions[k * n_ + row] = exponential(scores[k * n_ + row] - highest);
            for (std::size_t k = 0; k < outputs_; ++k) predictions[k * n_ + row] /= total;
        }
    }

    void set_gradients(std::size_t output, const float* predictions, const RowWeights& weights,
                       std::size_t begin, std::size_t end, Sums* gradients) const {
        const float* probability = predictions + output * n_;
        const auto target = static_cast<std::int32_t>(outputs_ == 1 ? 1 : output);
        for (std::size_t row = begin; row < end; ++row) {
            const double missed =
                (classes_[row] == target ? 1.0 : 0.0) - static_cast<double>(probability[row]);
            const double w = weights[row];
            gradients[row] = {w * missed, w};
        }
    }

    // Of a row, given the weight that set_gradients() gave it.
    static double hessian(double weight, float prediction) {
        const double p = static_cast<double>(prediction);
        return weight * p * (1 - p);
    }

    // What a leaf adds to the scores, given the sums of gradients and hessians: a Newton step.
    static double step(double learning_rate, const Sums& sum) {
        return learning_rate * sum.gradient / sum.weight;
    }

private:
    double is_class(std::size_t row, std::size_t output) const {
        return static_cast<std::size_t>(classes_[row]) == (outputs_ == 1 ? 1 : output) ? 1.0 : 0.0;
    }

    const std::int32_t* classes_;
    const std::size_t n_;
    const std::size_t outputs_;
};

// The weighted mean of numbers, which may be all there is to predict.
inline double mean_of(const double* values, std::size_t n_rows, const RowWeights& weights,
                      double total_weight) {
    double sum = 0;
    for (std::size_t row = 0; row < n_rows; ++row) sum += weights[row] * values[row];
    return sum / total_weight;
}

// Half the squared error of numbers: a row's score is what is predicted, its hessian its weight.
class SquaredErrorObjective {
public:
    static constexpr bool kFixedWeights = true;

    SquaredErrorObjective(const double* values, std::size_t n_rows) : values_(values), n_(n_rows) {}

    static std::size_t outputs() { return 1; }

    float start(std::size_t, const RowWeights& weights, double total_weight) const {
        return static_cast<float>(mean_of(values_, n_, weights, total_weight));
    }
    static void predict(const float* scores, float* predictions, std::size_t begin, std::size_t end) {
        std::copy(scores + begin, scores + end, predictions + begin);
    }
    void set_gradients(std::size_t, const float* predictions, const RowWeights& weights, std::size_t begin,
                       std::size_t end, Sums* gradients) const {
        for (std::size_t row = begin; row < end; ++row) {
            const double w = weights[row];
            gradients[row] = {w * (values_[row] - static_cast<double>(predictions[row])), w};
        }
    }
    static double hessian(double weight, float) { return weight; }
    static double step(double learning_rate, const Sums& sum) {
        return learning_rate * sum.gradient / sum.weight;
    }

private:
    const double* values_;
    const std::size_t n_;
};

// Poisson deviance of rates, whose weights are exposures: a score is the logarithm of what is predicted. Splits are
// chosen with the hessians for weights: with the exposures alone, rows of a high rate would be all that matters.
class PoissonObjective {
public:
    static constexpr bool kFixedWeights = false;

    PoissonObjective(const double* rates, std::size_t n_rows) : rates_(rates), n_(n_rows) {}

    static std::size_t outputs() { return 1; }

    float start(std::size_t, const RowWeights& weights, double total_weight) const {
        const double mean = mean_of(rates_, n_, weights, total_weight);
        return mean > 0 ? static_cast<float>(std::log(mean)) : kLowest;
    }
    static void predict(const float* scores, float* predictions, std::size_t begin, std::size_t end) {
        for (std::size_t row = begin; row < end; ++row)
            predictions[row] = exponential(std::max(scores[row], kLowest));
    }
    void set_gradients(std::size_t, const float* predictions, const RowWeights& weights, std::size_t begin,
                       std::size_t end, Sums* gradients) const {
        for (std::size_t row = begin; row < end; ++row) {
            const double rate = static_cast<double>(predictions[row]);
            const double w = weights[row];
            gradients[row] = {w * (rates_[row] - rate), w * rate};
        }
    }
    static double hessian(double weight, float) { return weight; }

    // The best constant of the leaf, ln(sum of w y / sum of w e^f). Newton's step is about that where it is small;
    // where the rate is far above what was predicted, it would overshoot by orders of magnitude.
    static double step(double learning_rate, const Sums& sum) {
        return learning_rate * std::log1p(std::max(sum.gradient / sum.weight, kLeastRatio - 1));
    }

private:
    static constexpr float kLowest = -20.0f;     // a rate of 2e-9 where the mean is 1: none at all
    static constexpr double kLeastRatio = 1e-6;  // of rates, in a leaf where nothing happened

    const double* rates_;
    const std::size_t n_;
};

}  // namespace splitsecond
