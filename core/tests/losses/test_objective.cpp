// Every registered loss, against its definition in a plain function: the scalar rule in all its forms, and the kernels
// of every instruction set. A new loss is tested once it has such a function here.
#include "losses/objective.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>
#include <string>
#include <vector>

#include "kernels/kernels.hpp"
#include "support/check.hpp"
#include "support/data.hpp"

namespace splitsecond {
namespace {

using Counts = std::vector<Count>;  // the weight of each class at a leaf

// ---- the definitions ------------------------------------------------------------------------------

long double all_of(const Counts& counts) { return std::accumulate(counts.begin(), counts.end(), 0.0L); }

long double loss_by_definition(ZeroOne, const Counts& counts) {
    return all_of(counts) - *std::max_element(counts.begin(), counts.end());
}

Cost cost_of(const Costs& loss, const Counts& counts, std::size_t action) {
    Cost sum = 0;
    for (std::size_t c = 0; c < counts.size(); ++c) sum += loss.costs->of(action, c) * counts[c];
    return sum;
}

long double loss_by_definition(const Costs& loss, const Counts& counts) {
    Cost least = cost_of(loss, counts, 0);
    for (std::size_t a = 1; a < loss.costs->n_actions; ++a) least = std::min(least, cost_of(loss, counts, a));
    return static_cast<long double>(least);
}

long double loss_by_definition(const Brier& loss, const Counts& counts) {
    const long double all = all_of(counts);
    long double squares = 0;
    for (const Count count : counts) squares += static_cast<long double>(count) * count;
    return all == 0 ? 0 : (all - squares / all) * loss.scale;
}

long double loss_by_definition(const LogLoss& loss, const Counts& counts) {
    const long double all = all_of(counts);
    long double sum = 0;
    for (const Count count : counts)
        if (count > 0) sum -= count * std::log(count / all);
    return sum * loss.scale;
}

// S, from its limbs.
long double sum_of_limbs(const SumParameters& sums, const Counts& counts) {
    long double sum = 0;
    for (std::size_t c = counts.size(); c-- > kFirstLimb;) sum = sum * sums.limb + counts[c];
    return sum;
}

long double loss_by_definition(const SquaredError& loss, const Counts& counts) {
    if (counts[0] == 0) return 0;
    const long double centred = sum_of_limbs(loss.sums, counts) - loss.sums.centre * counts[0];
    return (counts[kOffsetChannel] * static_cast<long double>(loss.sums.offset) -
            centred * centred / counts[0]) *
           loss.scale;
}

long double loss_by_definition(const Poisson& loss, const Counts& counts) {
    const long double sum = sum_of_limbs(loss.sums, counts);
    if (sum == 0) return 0;
    return (2 * sum * std::log(loss.sums.max_rate * counts[0] / sum) -
            counts[kOffsetChannel] * static_cast<long double>(loss.sums.offset)) *
           loss.scale;
}

template <class LossType>
constexpr bool kOfNumbers = requires { LossType::is_of_numbers; };

// The heaviest class, the first among equals; all leaves of numbers have the same label.
template <class LossType>
std::size_t prediction_by_definition(const LossType&, const Counts& counts) {
    if (kOfNumbers<LossType>) return 0;
    return static_cast<std::size_t>(std::max_element(counts.begin(), counts.end()) - counts.begin());
}

// The cheapest action, the first among equals.
std::size_t prediction_by_definition(const Costs& loss, const Counts& counts) {
    std::size_t best = 0;
    for (std::size_t a = 1; a < loss.costs->n_actions; ++a)
        if (cost_of(loss, counts, a) < cost_of(loss, counts, best)) best = a;
    return best;
}

constexpr std::size_t kMaxClasses = 6;
constexpr int kMaxNumber = 60;  // that rows have, for losses of numbers

// Parameters for every loss: 1000 units to a loss of 1; three actions, the last of which suits no class.
template <class LossType>
Objective objective_for_tests() {
    Objective objective{{7, 3}, loss_named(LossType::name), {}};
    objective.parameters.scale = 1000;
    objective.parameters.root_loss = 1 << 20;
    if (LossType::name == Costs::name)
        objective.parameters.set_costs(3, kMaxClasses,
                                       {0, 5, 1, 0, 2, 9, 3, 0, 1, 2, 2, 0, 2, 2, 1, 1, 2, 2});
    if (kOfNumbers<LossType>) {
        objective.parameters.scale = 1;
        objective.parameters.sums = {.limb = 8,
                                     .offset = LossType::name == Poisson::name ? 0.25 : 16.0,
                                     .centre = LossType::name == Poisson::name ? 0.0 : 20.0,
                                     .magnitude = 1e6,
                                     .max_rate = kMaxNumber};
    }
    return objective;
}

// ---- random counts --------------------------------------------------------------------------------

template <class LossType>
constexpr std::size_t kMinChannels = kOfNumbers<LossType> ? 3 : 1;

// How a row stands in the channels: a class with a weight, or a number.
template <class LossType>
Counts random_row(Random& random, std::size_t n_channels) {
    Counts row(n_channels, 0);
    const auto weight = static_cast<Count>(random.between(1, 5));
    if constexpr (kOfNumbers<LossType>) {
        const SumParameters sums = objective_for_tests<LossType>().parameters.sums;
        const auto limb = static_cast<int>(sums.limb);
        auto number = static_cast<int>(random.below(kMaxNumber + 1));
        for (std::size_t c = n_channels; c > kFirstLimb + 2; --c) number = number % limb;  // some are small
        row[0] = weight;
        const double sum = weight * number,
                     alone = sum > 0 ? 2 * sum * std::log(sums.max_rate * weight / sum) : 0;
        row[kOffsetChannel] =
            LossType::name == Poisson::name
                ? static_cast<Count>(std::floor(alone / sums.offset))
                : static_cast<Count>(std::ceil(weight * std::pow(number - sums.centre, 2) / sums.offset));
        int left = weight * number;
        for (std::size_t c = kFirstLimb; c < n_channels; ++c) {
            row[c] = c + 1 == n_channels ? left : left % limb;
            left /= limb;
        }
    } else {
        row[random.below(n_channels)] = weight;
    }
    return row;
}

// Zeros and ties come up often.
template <class LossType>
Counts random_leaf(Random& random, std::size_t n_classes) {
    if (kOfNumbers<LossType>) {
        Counts counts(n_classes, 0);
        for (std::size_t rows = random.between(1, 30); rows > 0; --rows) {
            const Counts row = random_row<LossType>(random, n_classes);
            for (std::size_t c = 0; c < n_classes; ++c) counts[c] += row[c];
        }
        return counts;
    }
    const std::size_t largest = random.one_of<std::size_t>({1, 3, 1000, 150'000'000});
    Counts counts(n_classes);
    for (Count& count : counts) count = static_cast<Count>(random.below(largest + 1));
    return counts;
}

// Rows with features, summed up as the search does, so that the counts fit together.
struct Sample {
    std::size_t k, n_classes, stride;
    std::vector<Counts> weights;          // of each row, by channel
    std::vector<std::vector<bool>> rows;  // and its features
    Counts pair, single, total;

    template <class RandomRow>
    Sample(Random& random, std::size_t n_features, std::size_t classes, const RandomRow& random_channels)
        : k(n_features),
          n_classes(classes),
          stride(View::stride_for(n_features)),
          pair(classes * stride * stride, 0),
          single(classes * stride, 0),
          total(classes, 0) {
        const std::size_t n_rows = random.between(1, 40);
        for (std::size_t r = 0; r < n_rows; ++r) {
            const Counts weight = random_channels(random, n_classes);
            std::vector<bool> row(k);
            for (std::size_t j = 0; j < k; ++j) row[j] = random.chance(40);
            for (std::size_t c = 0; c < n_classes; ++c) {
                total[c] += weight[c];
                for (std::size_t i = 0; i < k; ++i) {
                    if (!row[i]) continue;
                    single[c * stride + i] += weight[c];
                    for (std::size_t j = i; j < k; ++j)
                        if (row[j]) pair[(c * stride + i) * stride + j] += weight[c];
                }
            }
            weights.push_back(weight);
            rows.push_back(std::move(row));
        }
    }

    FeatureCounts features() const { return {single.data(), stride, total.data(), n_classes, k}; }

    // The weights of the classes among the rows that are chosen.
    template <class Chosen>
    Counts counts_where(const Chosen& chosen) const {
        Counts sum(n_classes, 0);
        for (std::size_t r = 0; r < rows.size(); ++r)
            for (std::size_t c = 0; c < n_classes && chosen(rows[r]); ++c) sum[c] += weights[r][c];
        return sum;
    }
};

// ---- the scalar rule ------------------------------------------------------------------------------

template <class LossType>
void test_leaf(const Objective& objective, Random& random) {
    const auto loss = objective.as<LossType>();
    for (std::size_t n_classes = kMinChannels<LossType>; n_classes <= kMaxClasses; ++n_classes)
        for (int repeat = 0; repeat < 200; ++repeat) {
            const Counts counts = random_leaf<LossType>(random, n_classes);
            const check::Context context("weights ", counts);
            const auto weight_of = [&](std::size_t c) { return counts[c]; };
            // Rounded to the nearest unit, where there is anything to round.
            const auto found = static_cast<long double>(objective.leaf_loss(n_classes, weight_of));
            CHECK_LE(std::abs(found - loss_by_definition(loss, counts)), LossType::is_exact ? 0.0L : 0.51L);
            if (n_classes == 1 && LossType::says_class) CHECK_EQ(found, 0.0L);  // pure
            CHECK_EQ(std::size_t{objective.prediction(n_classes, weight_of)},
                     prediction_by_definition(loss, counts));
        }
}

// What the bounds of the search rest on.
template <class LossType>
void test_bounds(const Objective& objective, Random& random) {
    const auto loss = objective.as<LossType>();
    for (int repeat = 0; repeat < 500; ++repeat) {
        const std::size_t n_classes = random.between(kMinChannels<LossType>, 5);
        const Counts a = random_leaf<LossType>(random, n_classes);
        const Counts b = random_leaf<LossType>(random, n_classes);
        Counts both(n_classes);
        Cost added = 0;
        for (std::size_t c = 0; c < n_classes; ++c) {
            both[c] = a[c] + b[c];
            added += b[c];
        }
        const check::Context context("weights ", a, " and ", b);
        const auto units = [&](const Counts& counts) {
            return objective.leaf_loss(n_classes, [&](std::size_t c) { return counts[c]; });
        };
        const Cost rounding = LossType::is_exact ? 0 : 2;
        CHECK_LE(units(a) + units(b), units(both) + rounding);  // a split never loses more
        if (loss.max_row_loss() < kInfinite) CHECK_LE(units(both), units(a) + loss.max_row_loss() * added);

        // What is unavoidable on rows that no tree can tell apart is no more than what they lose.
        const std::size_t label = objective.prediction(n_classes, [&](std::size_t c) { return a[c]; });
        const auto marked = [&](std::size_t c) { return loss.is_unavoidable(c, label) ? a[c] : 0; };
        const Cost unavoidable =
            objective.unavoidable(n_classes, marked, [&](std::size_t c) { return a[c]; });
        CHECK_LE(unavoidable, units(a));
        CHECK_LE(Cost{0}, unavoidable);
    }
    const Cost row = loss.max_row_loss();
    CHECK_EQ(objective.max_row_cost(1000), row == kInfinite ? kInfinite : objective.price.loss * row);
    CHECK_EQ(objective.max_row_cost(kInfinite / 2), row == kInfinite || row * 7 >= 2 ? kInfinite : row * 7);
}

// ---- the kernels ----------------------------------------------------------------------------------

template <class LossType>
void test_leaf_losses(const Kernels& kernels, const Objective& objective, const Sample& sample) {
    const auto loss_of = [&](const Counts& counts) {
        return objective.leaf_loss(counts.size(), [&](std::size_t c) { return counts[c]; });
    };
    Counts with(sample.k);
    std::vector<Cost> yes(sample.k), no(sample.k);
    kernels.of(objective).leaf_losses(objective, sample.features(), with.data(), yes.data(), no.data());
    Cost best = loss_of(sample.total);  // without a feature
    for (std::size_t j = 0; j < sample.k; ++j) {
        const Counts in_yes = sample.counts_where([&](const auto& row) { return row[j]; });
        const Counts in_no = sample.counts_where([&](const auto& row) { return !row[j]; });
        CHECK_EQ(with[j], std::accumulate(in_yes.begin(), in_yes.end(), Count{0}));
        CHECK_EQ(yes[j], loss_of(in_yes));
        CHECK_EQ(no[j], loss_of(in_no));
        best = std::min(best, yes[j] + no[j]);
    }
    CHECK_EQ(kernels.of(objective).best_stump(objective, sample.features()), best);
}

template <class LossType>
void test_best_stumps(const Kernels& kernels, const Objective& objective, const Sample& sample,
                      Random& random) {
    const auto loss_of = [&](const Counts& counts) {
        return objective.leaf_loss(counts.size(), [&](std::size_t c) { return counts[c]; });
    };
    const std::size_t k = sample.k;
    Counts with(k, 0);
    for (std::size_t c = 0; c < sample.n_classes; ++c)
        for (std::size_t j = 0; j < k; ++j) with[j] += sample.single[c * sample.stride + j];
    std::vector<Cost> yes(k), no(k);  // losses of leaves, say
    for (std::vector<Cost>* side : {&yes, &no})
        for (Cost& each : *side) each = static_cast<Cost>(random.below(30));
    std::vector<Cost> expected_yes = yes, expected_no = no;
    for (std::size_t i = 0; i < k; ++i)
        for (std::size_t j = 0; j < k; ++j) {
            if (j == i) continue;
            const auto part = [&](bool has_i, bool has_j) {
                return loss_of(
                    sample.counts_where([&](const auto& row) { return row[i] == has_i && row[j] == has_j; }));
            };
            expected_yes[i] = std::min(expected_yes[i], part(true, true) + part(true, false));
            expected_no[i] = std::min(expected_no[i], part(false, true) + part(false, false));
        }
    std::vector<std::byte> scratch(stump_scratch(k));
    kernels.of(objective).best_stumps(
        objective,
        {sample.features(), sample.pair.data(), sample.stride * sample.stride, sample.stride, scratch.data()},
        with.data(), yes.data(), no.data());
    CHECK(yes == expected_yes);
    CHECK(no == expected_no);
}

template <class LossType>
void test_kernels(const Objective& objective, Random& random) {
    for (const Kernels* kernels : available_kernels())
        for (std::size_t n_classes = kMinChannels<LossType>; n_classes <= 5; ++n_classes)
            for (const std::size_t k : {0, 1, 2, 3, 8, 9, 17, 33, 63, 64, 65, 130}) {
                const check::Context context(kernels->name, ", ", n_classes, " classes, ", k, " features");
                const Sample sample(random, k, n_classes, random_row<LossType>);
                test_leaf_losses<LossType>(*kernels, objective, sample);
                if (k <= 33) test_best_stumps<LossType>(*kernels, objective, sample, random);
            }
}

// ---- all of them ----------------------------------------------------------------------------------

template <class LossType>
void test_loss(Random& random) {
    const check::Context context(std::string(LossType::name));
    Objective objective = objective_for_tests<LossType>();
    objective.with_loss([&](auto loss) { CHECK((std::is_same_v<decltype(loss), LossType>)); });
    test_leaf<LossType>(objective, random);
    test_bounds<LossType>(objective, random);
    test_kernels<LossType>(objective, random);
    if (!kOfNumbers<LossType>) return;
    objective.parameters.scale = 0.9;  // an offset is no whole number of units
    test_leaf<LossType>(objective, random);
    test_kernels<LossType>(objective, random);
}

template <class... LossTypes>
void test_all(LossList<LossTypes...>) {
    Random random(1);
    (test_loss<LossTypes>(random), ...);
}

void test_names() {
    for (std::size_t i = 0; i < Losses::size; ++i)
        CHECK_EQ(static_cast<std::size_t>(loss_named(Losses::names[i])), i);
    CHECK_EQ(loss_named("zero_one"), Objective{}.loss);  // what is used when none is named
    CHECK_THROWS(loss_named("sorrow"), std::invalid_argument);
    CHECK_THROWS(loss_named(""), std::invalid_argument);
}

}  // namespace
}  // namespace splitsecond

int main() {
    using namespace splitsecond;
    test_names();
    test_all(Losses{});
    return check::report();
}
