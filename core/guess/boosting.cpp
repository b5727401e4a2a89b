#include "guess/boosting.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "guess/histograms.hpp"
#include "guess/objectives.hpp"
#include "runtime/buffer.hpp"
#include "runtime/workers.hpp"

namespace splitsecond {
namespace {

constexpr std::size_t kWays = 4;  // sums side by side, since an addition must wait for the one before
constexpr double kTie = 1e-6;
constexpr std::uint32_t kNoQuestion = UINT32_MAX;

struct Choice {
    std::uint32_t column = kNoQuestion;
    std::uint32_t bin = 0;
    double gain = 0;
};

template <class Objective>
class Booster {
public:
    Booster(const std::vector<BinnedColumn>& columns, std::size_t n_rows, const Objective& objective,
            const double* weights, const BoostOptions& options, Limits& limits)
        : columns_(columns),
          n_(n_rows),
          objective_(objective),
          outputs_(objective.outputs()),
          weights_{weights},
          options_(options),
          limits_(limits),
          workers_(options.n_threads, limits),
          max_nodes_(std::size_t{1} << (options.max_depth - 1)),
          scores_(limits),
          predictions_(limits),
          gradients_(limits),
          nodes_(limits),
          histograms_(columns, n_rows, max_nodes_, limits) {
        scores_.resize(outputs_ * n_);
        predictions_.resize(outputs_ * n_);
        gradients_.resize(n_);
        nodes_.resize(n_);
    }

    std::vector<Question> run() {
        scale_weights();
        if (!(total_weight_ > 0) || std::isinf(total_weight_)) return {};
        for (std::size_t output = 0; output < outputs_; ++output)
            std::fill_n(scores_.data() + output * n_, n_, objective_.start(output, weights_, total_weight_));
        std::size_t last_new = 0;  // round
        for (std::size_t round = 0;; ++round) {
            if (round >= options_.rounds &&
                (questions_.size() >= options_.wanted || round - last_new >= options_.rounds ||
                 round / 10 >= options_.rounds))
                break;
            const std::size_t known = questions_.size();
            for_slices([&](std::size_t, std::size_t begin, std::size_t end) {
                objective_.predict(scores_.data(), predictions_.data(), begin, end);
            });
            bool learned = false;
            for (std::size_t output = 0; output < outputs_; ++output) {
                learned |= grow(output);
                if (limits_.stopped()) return std::move(questions_);
            }
            if (questions_.size() > known) last_new = round;
            if (!learned) break;
        }
        return std::move(questions_);
    }

private:
    // Calls body(slice, begin, end) for every slice of the rows, in several threads.
    template <class Body>
    void for_slices(const Body& body) {
        workers_.run(histograms_.n_slices(), [&](std::size_t s, std::size_t) {
            body(s, histograms_.slice_begin(s), histograms_.slice_end(s));
        });
    }

    // The heaviest row gets a weight of about 1, so that squares of sums neither overflow nor vanish. Since
    // the scale is a power of two, no digit changes.
    void scale_weights() {
        if (const double* weights = weights_.weights; weights != nullptr) {
            int exponent = 0;
            std::frexp(*std::max_element(weights, weights + n_), &exponent);
            weights_.scale = std::ldexp(1.0, -std::max(exponent, -1022));
        }
        for (std::size_t row = 0; row < n_; ++row) total_weight_ += weights_[row];
    }

    // Grows one tree for one output, level by level, and adds it to the scores. False: nothing left to learn.
    // When stopped, the questions of the levels above stay noted.
    bool grow(std::size_t output) {
        bool learned = false;
        std::vector<Choice> choices;
        for (std::size_t level = 0; level < options_.max_depth; ++level) {
            if (limits_.stop()) return learned;
            const std::size_t n_nodes = std::size_t{1} << level;
            histograms_.fill(workers_, n_nodes, gradients_.data(), nodes_.data(),
                             [&](std::size_t begin, std::size_t end) {
                                 if (level == 0) begin_tree(output, begin, end);
                             });
            choices.assign(n_nodes, {});
            for (std::size_t node = 0; node < n_nodes; ++node) {
                choices[node] = best_question(level, node);
                learned |= choices[node].column != kNoQuestion;
                note(choices[node]);
            }
            move_down(choices);
        }
        add_values(output);
        return learned;
    }

    void begin_tree(std::size_t output, std::size_t begin, std::size_t end) {
        objective_.set_gradients(output, predictions_.data(), weights_, begin, end, gradients_.data());
        std::fill(nodes_.data() + begin, nodes_.data() + end, std::uint8_t{0});
    }

    // A question takes (yes - mean w)^2 W / (w (W - w)) off the squared loss, where `yes` is the sum of gradients
    // and w that of weights on its side, W the weight of all and `mean` their mean gradient. This is the factor
    // W / (w (W - w)) for each bin of each column, zero where there is nothing to ask. At the root it stays the
    // same from round to round where the objective's weights do.
    void weigh_questions(std::size_t node, std::vector<float>& factors) const {
        const Sums* sums = histograms_.of(node);
        const double all = histograms_.total(node).weight;
        const auto set = [&](std::size_t place, double yes) {
            if (yes > 1e-12 * all && all - yes > 1e-12 * all)
                factors[place] = static_cast<float>(all / (yes * (all - yes)));
        };
        factors.assign(histograms_.total_bins(), 0);
        for (std::size_t c = 0; c < columns_.size(); ++c) {
            const BinnedColumn& column = columns_[c];
            const std::size_t first = histograms_.place_of(c);
            double below = 0;
            for (std::size_t bin = 0; bin + (column.ordered ? 1 : 0) < column.n_values; ++bin) {
                const double weight = sums[first + bin].weight;
                below += weight;
                if (bin >= column.first) set(first + bin, column.ordered ? below : weight);
            }
            const std::size_t last = first + column.n_bins - 1;
            if (column.ask_if_missing && column.n_values < column.n_bins) set(last, sums[last].weight);
        }
    }

    Choice best_question(std::size_t level, std::size_t node) {
        const Sums* sums = histograms_.of(node);
        std::vector<float>& factors = level > 0 ? deeper_factors_ : factors_;
        if (level > 0 || factors.empty() || !Objective::kFixedWeights) weigh_questions(node, factors);
        const Sums& all = histograms_.total(node);
        const double mean = all.weight > 0 ? all.gradient / all.weight : 0;
        Choice best;
        best.gain = 1e-12 * total_weight_;  // below this, a gain is rounding
        double threshold = best.gain;       // of a better question
        for (std::size_t c = 0; c < columns_.size(); ++c) {
            const std::size_t first = histograms_.place_of(c);
            const bool ordered = columns_[c].ordered;
            Sums yes;
            for (std::size_t bin = 0; bin < columns_[c].n_bins; ++bin) {
                const std::size_t place = first + bin;
                if (!ordered || bin >= columns_[c].n_values) yes = {};  // stands for itself
                yes += sums[place];
                const double ahead = yes.gradient - mean * yes.weight;
                const double gain = ahead * ahead * static_cast<double>(factors[place]);
                if (gain > threshold) {
                    best = {static_cast<std::uint32_t>(c), static_cast<std::uint32_t>(bin), gain};
                    threshold = gain * (1 + kTie);
                }
            }
        }
        return best;
    }

    bool is_ordered(const Choice& choice) const {
        const BinnedColumn& column = columns_[choice.column];
        return column.ordered && choice.bin < column.n_values;
    }
    bool answer(const Choice& choice, std::size_t row) const {
        const std::uint32_t bin = columns_[choice.column].bins[row];
        return is_ordered(choice) ? bin <= choice.bin : bin == choice.bin;
    }

    // The child where the answer is yes has an even number.
    void move_down(const std::vector<Choice>& choices) {
        for_slices([&](std::size_t, std::size_t begin, std::size_t end) {
            std::uint8_t* nodes = nodes_.data();
            if (choices.size() == 1 && choices[0].column != kNoQuestion) {
                const BinnedColumn& column = columns_[choices[0].column];
                const auto bin = static_cast<std::uint16_t>(choices[0].bin);
                if (is_ordered(choices[0])) {
                    for (std::size_t row = begin; row < end; ++row) nodes[row] = column.bins[row] > bin;
                } else {
                    for (std::size_t row = begin; row < end; ++row) nodes[row] = column.bins[row] != bin;
                }
                return;
            }
            for (std::size_t row = begin; row < end; ++row) {
                const Choice& choice = choices[nodes[row]];
                const bool yes = choice.column == kNoQuestion || answer(choice, row);
                nodes[row] = static_cast<std::uint8_t>(2 * nodes[row] + (yes ? 0 : 1));
            }
        });
    }

    void note(const Choice& choice) {
        if (choice.column == kNoQuestion) return;
        const auto key = std::make_pair(choice.column, choice.bin);
        const auto [place, is_new] = places_.try_emplace(key, questions_.size());
        if (is_new) questions_.push_back({choice.column, choice.bin, 0});
        questions_[place->second].gain += choice.gain / weights_.scale;
    }

    // One step a leaf.
    void add_values(std::size_t output) {
        const std::size_t n_leaves = 2 * max_nodes_;
        const float* prediction = predictions_.data() + output * n_;
        // Of gradients, and of hessians instead of weights.
        std::vector<Sums> sums(histograms_.n_slices() * n_leaves);
        for_slices([&](std::size_t s, std::size_t begin, std::size_t end) {
            std::vector<Sums> parts(kWays * n_leaves);
            for (std::size_t row = begin; row < end; ++row) {
                const Sums& at = gradients_[row];
                parts[row % kWays * n_leaves + nodes_[row]] +=
                    {at.gradient, objective_.hessian(at.weight, prediction[row])};
            }
            for (std::size_t i = 0; i < parts.size(); ++i) sums[s * n_leaves + i % n_leaves] += parts[i];
        });
        std::vector<float> values(n_leaves, 0);
        for (std::size_t leaf = 0; leaf < n_leaves; ++leaf) {
            Sums sum{0, 1e-9 * total_weight_};
            for (std::size_t s = 0; s < histograms_.n_slices(); ++s) sum += sums[s * n_leaves + leaf];
            values[leaf] = static_cast<float>(objective_.step(options_.learning_rate, sum));
        }
        for_slices([&](std::size_t, std::size_t begin, std::size_t end) {
            float* score = scores_.data() + output * n_;
            const std::uint8_t* nodes = nodes_.data();
            const float yes = values[0], no = values[1];
            if (n_leaves == 2) {
                for (std::size_t row = begin; row < end; ++row) score[row] += nodes[row] == 0 ? yes : no;
            } else {
                for (std::size_t row = begin; row < end; ++row) score[row] += values[nodes[row]];
            }
        });
    }

    const std::vector<BinnedColumn>& columns_;
    const std::size_t n_;
    const Objective& objective_;
    const std::size_t outputs_;
    RowWeights weights_;
    const BoostOptions& options_;
    Limits& limits_;
    Workers workers_;
    const std::size_t max_nodes_;  // of the last level with a split
    double total_weight_ = 0;      // scaled
    Buffer<float> scores_;         // [output][row]
    Buffer<float> predictions_;    // [output][row], by the scores at the start of the round
    Buffer<Sums> gradients_;
    Buffer<std::uint8_t> nodes_;
    Histograms histograms_;
    std::vector<float> factors_;         // at the root
    std::vector<float> deeper_factors_;  // at a node below
    std::vector<Question> questions_;
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::size_t> places_;
};

template <class Objective>
std::vector<Question> boost_objective(const std::vector<BinnedColumn>& columns, std::size_t n_rows,
                                      const Objective& objective, const double* weights,
                                      const BoostOptions& options, Limits& limits) {
    if (columns.empty() || n_rows == 0) return {};
    try {
        return Booster(columns, n_rows, objective, weights, options, limits).run();
    } catch (const LimitReached&) {
        return {};
    }
}

}  // namespace

std::vector<Question> boost(const std::vector<BinnedColumn>& columns, std::size_t n_rows,
                            const std::int32_t* classes, std::size_t n_classes, const double* weights,
                            const BoostOptions& options, Limits& limits) {
    if (n_classes < 2) return {};
    const ClassObjective objective(classes, n_rows, n_classes);
    return boost_objective(columns, n_rows, objective, weights, options, limits);
}

std::vector<Question> boost_numbers(const std::vector<BinnedColumn>& columns, std::size_t n_rows,
                                    const double* values, NumberLoss loss, const double* weights,
                                    const BoostOptions& options, Limits& limits) {
    if (loss == NumberLoss::poisson)
        return boost_objective(columns, n_rows, PoissonObjective(values, n_rows), weights, options, limits);
    return boost_objective(columns, n_rows, SquaredErrorObjective(values, n_rows), weights, options, limits);
}

}  // namespace splitsecond
