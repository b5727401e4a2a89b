// Bins of numbers: in order, without gaps, exact where they can be and of about equal weight where not.
#include "guess/binning.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <set>
#include <string>
#include <vector>

#include "support/check.hpp"
#include "support/data.hpp"

namespace splitsecond {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kHuge = std::numeric_limits<double>::max();
constexpr double kLeast = std::numeric_limits<double>::denorm_min();

Bins binned(const std::vector<double>& values, const std::vector<double>& weights, std::size_t max_bins) {
    return bin_numbers(values.data(), values.size(), weights.empty() ? nullptr : weights.data(), max_bins);
}

// What must hold of every column.
Bins check_bins(const std::vector<double>& values, const std::vector<double>& weights, std::size_t max_bins) {
    const Bins out = binned(values, weights, max_bins);
    const std::size_t n_bins = out.lowest.size();
    CHECK_EQ(out.bins.size(), values.size());
    CHECK_EQ(out.highest.size(), n_bins);
    CHECK_LE(n_bins, max_bins);
    if (check::failures() > 0) return out;  // the rest would read outside the arrays

    std::vector<std::vector<double>> inside(n_bins);
    std::set<double> distinct;
    bool has_missing = false;
    for (std::size_t i = 0; i < values.size(); ++i) {
        if (std::isnan(values[i])) {
            has_missing = true;
            CHECK_EQ(std::size_t{out.bins[i]}, n_bins);
            continue;
        }
        distinct.insert(values[i]);
        CHECK_LT(std::size_t{out.bins[i]}, n_bins);
        if (out.bins[i] < n_bins) inside[out.bins[i]].push_back(values[i]);
    }
    CHECK_EQ(out.has_missing, has_missing);
    for (std::size_t bin = 0; bin < n_bins; ++bin) {
        CHECK(!inside[bin].empty());
        if (inside[bin].empty()) continue;
        CHECK_EQ(out.lowest[bin], *std::min_element(inside[bin].begin(), inside[bin].end()));
        CHECK_EQ(out.highest[bin], *std::max_element(inside[bin].begin(), inside[bin].end()));
        // With the bins in order of their ranges, a value's bin grows with the value.
        if (bin > 0) CHECK_LT(out.highest[bin - 1], out.lowest[bin]);
    }
    if (distinct.size() <= max_bins) {
        CHECK_EQ(n_bins, distinct.size());
        CHECK(out.lowest == out.highest);
    }
    if (!distinct.empty()) CHECK_LT(0u, n_bins);
    return out;
}

// ---- random columns -------------------------------------------------------------------------------

double real(Random& random) { return static_cast<double>(random.word() >> 11) * 0x1p-53; }

enum class Kind { digits, years, wide, far, reals, tiny, huge, zeros, missing, mixed };
const std::vector<Kind> kKinds = {Kind::digits, Kind::years, Kind::wide,  Kind::far,     Kind::reals,
                                  Kind::tiny,   Kind::huge,  Kind::zeros, Kind::missing, Kind::mixed};

double number(Random& random, Kind kind) {
    const auto whole = [&](std::size_t n) { return static_cast<double>(random.below(n)); };
    const double sign = random.chance(50) ? 1 : -1;
    switch (kind) {
        case Kind::digits: return whole(10);
        case Kind::years: return 1900 - whole(3000);
        case Kind::wide: return sign * whole(std::size_t{1} << 40);  // integers too far apart for a table
        case Kind::far: return 0x1p60 + 256 * whole(200);  // beyond the integers that have neighbours
        case Kind::reals: return sign * real(random);
        case Kind::tiny: return sign * kLeast * whole(1000);
        case Kind::huge: return sign * kHuge * real(random);
        case Kind::zeros: return random.one_of<double>({0.0, -0.0, 1.0, -1.0});
        case Kind::missing: return kNaN;
        case Kind::mixed: break;
    }
    return random.one_of<double>({kNaN, 0.0, -0.0, kLeast, -kLeast, kHuge, -kHuge, 0.5, 1e-300, 65536, 65537,
                                  -3, 7, sign * real(random)});
}

void test_random(std::uint64_t seed) {
    Random random(seed);
    const Kind kind = random.one_of(kKinds);
    const std::size_t n = random.one_of<std::size_t>({0, 1, 2, 10, 100, 1000});
    const std::size_t max_bins = random.one_of<std::size_t>({1, 2, 3, 10, 64, 255, 65535});
    const std::size_t missing = random.one_of<std::size_t>({0, 0, 20, 90});
    const check::Context context("seed ", seed, ", kind ", kind, ", ", n, " rows, ", max_bins, " bins");
    std::vector<double> values, weights;
    for (std::size_t i = 0; i < n; ++i)
        values.push_back(random.chance(missing) ? kNaN : number(random, kind));
    const std::vector<double> all_weights = random.one_of<std::vector<double>>(
        {{}, {0}, {0, 1}, {0, 1, 2, 3}, {1e300, 1e-300, 0}, {1e300}, {1e-300}, {kLeast}, {0.1, 0.7}});
    for (std::size_t i = 0; i < n && !all_weights.empty(); ++i) weights.push_back(random.one_of(all_weights));
    check_bins(values, weights, max_bins);
}

// ---- exact bins -----------------------------------------------------------------------------------

void test_small() {
    CHECK(binned({}, {}, 255).bins.empty());
    CHECK(binned({}, {}, 255).lowest.empty());
    CHECK(!binned({}, {}, 255).has_missing);

    const Bins missing = check_bins({kNaN, kNaN}, {}, 255);
    CHECK(missing.bins == std::vector<std::uint16_t>({0, 0}));
    CHECK(missing.has_missing);

    const Bins signs = check_bins({0.0, 1.0, -0.0, kNaN, -1.0}, {}, 255);
    CHECK(signs.bins == std::vector<std::uint16_t>({1, 2, 1, 3, 0}));
    const Bins reals = check_bins({0.0, 0.5, -0.0, kNaN, -0.5}, {}, 255);  // no table
    CHECK(reals.bins == std::vector<std::uint16_t>({1, 2, 1, 3, 0}));

    CHECK(check_bins({7}, {}, 1).bins == std::vector<std::uint16_t>({0}));
    CHECK(check_bins({-kHuge, kHuge}, {}, 2).bins == std::vector<std::uint16_t>({0, 1}));
    CHECK(check_bins({kInfinity, -kInfinity, 3, kInfinity}, {}, 9).bins ==
          std::vector<std::uint16_t>({2, 0, 1, 2}));  // not promised, but no harm
    CHECK(check_bins({1, 2, 3}, {}, 3).bins == std::vector<std::uint16_t>({0, 1, 2}));  // just enough
    CHECK_EQ(check_bins({1, 2, 3}, {}, 2).lowest.size(), 2u);                           // one too few
    CHECK_EQ(check_bins({1, 2, 3}, {}, 1).lowest.size(), 1u);
}

// A number of 16 bits still holds the bin of missing values.
void test_most_bins() {
    for (const std::size_t n : {65534, 65535, 65536, 70000})
        for (const double step : {1.0, 0.5, 3.0}) {
            const check::Context context(n, " values, ", step, " apart");
            std::vector<double> values{kNaN};
            for (std::size_t i = 0; i < n; ++i) values.push_back(step * static_cast<double>(n - i));
            const Bins bins = check_bins(values, {}, 65535);
            CHECK_EQ(bins.lowest.size(), n < 65535 ? n : 65535);
        }
}

// A table and a sort give the same bins.
void test_table_is_a_sort(std::uint64_t seed) {
    const check::Context context("seed ", seed);
    Random random(seed);
    std::vector<double> whole, halves;
    for (std::size_t i = 0; i < 2000; ++i) {
        whole.push_back(random.chance(10) ? kNaN : static_cast<double>(random.below(600)) - 300);
        halves.push_back(whole.back() / 4);
    }
    const Bins a = check_bins(whole, {}, 100), b = check_bins(halves, {}, 100);
    CHECK(a.bins == b.bins);
}

// ---- shared bins ----------------------------------------------------------------------------------

std::vector<double> weight_of_bins(const Bins& bins, const std::vector<double>& weights) {
    std::vector<double> out(bins.lowest.size(), 0);
    for (std::size_t i = 0; i < bins.bins.size(); ++i)
        if (bins.bins[i] < out.size()) out[bins.bins[i]] += weights.empty() ? 1 : weights[i];
    return out;
}

// No value is heavier than a bin's share: every bin has its share, give or take few values.
void test_equal_weight(std::uint64_t seed) {
    Random random(seed);
    const std::size_t max_bins = random.one_of<std::size_t>({2, 10, 100, 255});
    const bool weighted = random.chance(50), whole = random.chance(50);
    const check::Context context("seed ", seed, ", ", max_bins, " bins");
    std::vector<double> values, weights;
    double total = 0;
    for (std::size_t i = 0; i < 20000; ++i) {
        values.push_back(whole ? static_cast<double>(random.below(60000)) : real(random) - 0.5);
        if (random.chance(5)) values.back() = kNaN;
        if (weighted) weights.push_back(static_cast<double>(random.below(4)));
        if (!std::isnan(values.back())) total += weighted ? weights.back() : 1;
    }
    const Bins bins = check_bins(values, weights, max_bins);
    CHECK_EQ(bins.lowest.size(), max_bins);
    const double share = total / static_cast<double>(max_bins);
    const double heaviest = 18;  // six rows of weight 3: more do not share a value
    for (const double weight : weight_of_bins(bins, weights)) {
        CHECK_LE(weight, share + heaviest);
        CHECK_LE(share - heaviest * (1 + std::log(static_cast<double>(max_bins))), weight);
    }
}

// Most rows hold one value. Whether it is the first, the last or between, the others get bins too.
void test_one_heavy_value() {
    const double n_light = 300;
    for (const double heavy : {-1.0, 150.5, n_light}) {
        const check::Context context("heavy value ", heavy);
        std::vector<double> values(100000, heavy);
        for (double light = 0; light < n_light; ++light) values.push_back(light);
        const Bins bins = check_bins(values, {}, 64);
        const std::size_t bin = bins.bins[0];
        CHECK_LE(2u, bins.lowest.size());
        CHECK_EQ(bins.lowest[bin], heavy);
        CHECK_EQ(bins.highest[bin], heavy);
    }
}

// Heavy values and light ones in turn: none of the bins is much heavier than it has to be.
void test_heavy_and_light(std::uint64_t seed) {
    const check::Context context("seed ", seed);
    Random random(seed);
    const std::size_t max_bins = random.between(2, 60), n_values = random.between(max_bins + 1, 200);
    std::vector<double> values, weights;
    double total = 0, heaviest = 0;
    for (std::size_t v = 0; v < n_values; ++v) {
        values.push_back(static_cast<double>(v));
        weights.push_back(random.chance(30) ? 100 * real(random) : real(random));
        total += weights.back();
        heaviest = std::max(heaviest, weights.back());
    }
    const Bins bins = check_bins(values, weights, max_bins);
    for (const double weight : weight_of_bins(bins, weights))
        CHECK_LE(weight, 2 * (total / static_cast<double>(max_bins) + heaviest));
}

// Rows of no weight get a bin like all others, but no share.
void test_zero_weights() {
    std::vector<double> values, weights;
    for (int v = 0; v < 1000; ++v) {
        values.push_back(v);
        weights.push_back(v < 500 ? 0 : 1);
    }
    const Bins bins = check_bins(values, weights, 10);
    CHECK_EQ(bins.lowest.size(), 10u);
    for (const double weight : weight_of_bins(bins, weights)) CHECK_EQ(weight, 50.0);
    const Bins none = check_bins(values, std::vector<double>(1000, 0.0), 10);
    CHECK_LE(1u, none.lowest.size());
}

void test_weights_are_repetitions(std::uint64_t seed) {
    const check::Context context("seed ", seed);
    Random random(seed);
    std::vector<double> values, weights, repeated;
    for (std::size_t i = 0; i < 3000; ++i) {
        values.push_back(real(random));
        const std::size_t times = random.below(4);
        weights.push_back(static_cast<double>(times));
        repeated.insert(repeated.end(), times, values.back());
    }
    for (std::size_t i = 0; i < values.size(); ++i) repeated.push_back(values[i]);  // all values are there
    for (double& weight : weights) ++weight;
    const Bins a = check_bins(values, weights, 50), b = check_bins(repeated, {}, 50);
    CHECK(a.lowest == b.lowest);
    CHECK(a.highest == b.highest);
}

}  // namespace
}  // namespace splitsecond

int main() {
    using namespace splitsecond;
    test_small();
    test_most_bins();
    for (std::uint64_t seed = 0; seed < 1500; ++seed) test_random(seed);
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
        test_table_is_a_sort(seed);
        test_equal_weight(seed);
        test_heavy_and_light(seed);
        test_weights_are_repetitions(seed);
    }
    test_one_heavy_value();
    test_zero_weights();
    return check::report();
}
