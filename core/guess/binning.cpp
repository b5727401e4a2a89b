#include "guess/binning.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace splitsecond {
namespace {

constexpr double kWidestTable = 1 << 16;
constexpr std::uint32_t kMissing = UINT32_MAX;

struct Distinct {
    std::vector<double> values;         // increasing
    std::vector<std::uint32_t> places;  // of each row's value, or kMissing
};

// Integers of a small range are looked up in a table.
bool look_up(const double* values, std::size_t n, Distinct& distinct) {
    double lowest = std::numeric_limits<double>::infinity(), highest = -lowest;
    for (std::size_t i = 0; i < n; ++i) {
        if (std::isnan(values[i])) continue;
        if (values[i] != std::floor(values[i])) return false;
        lowest = std::min(lowest, values[i]);
        highest = std::max(highest, values[i]);
        if (!(highest - lowest <= kWidestTable)) return false;  // too wide, or an infinity less itself
    }
    if (lowest > highest) return true;  // all missing
    std::vector<std::uint32_t> place_of(static_cast<std::size_t>(highest - lowest) + 1, kMissing);
    for (std::size_t i = 0; i < n; ++i)
        if (!std::isnan(values[i])) place_of[static_cast<std::size_t>(values[i] - lowest)] = 0;
    for (std::size_t i = 0; i < place_of.size(); ++i) {
        if (place_of[i] == kMissing) continue;
        place_of[i] = static_cast<std::uint32_t>(distinct.values.size());
        distinct.values.push_back(lowest + static_cast<double>(i));
    }
    for (std::size_t i = 0; i < n; ++i)
        if (!std::isnan(values[i]))
            distinct.places[i] = place_of[static_cast<std::size_t>(values[i] - lowest)];
    return true;
}

void sort_out(const double* values, std::size_t n, Distinct& distinct) {
    std::vector<double>& sorted = distinct.values;
    sorted.reserve(n);
    for (std::size_t i = 0; i < n; ++i)
        if (!std::isnan(values[i])) sorted.push_back(values[i]);
    std::sort(sorted.begin(), sorted.end());
    sorted.erase(std::unique(sorted.begin(), sorted.end()), sorted.end());
    for (std::size_t i = 0; i < n; ++i)
        if (!std::isnan(values[i]))
            distinct.places[i] = static_cast<std::uint32_t>(
                std::lower_bound(sorted.begin(), sorted.end(), values[i]) - sorted.begin());
}

// The bin of each distinct value. A bin is closed when it has its share of the weight that was left, and
// before a value that has that much alone: a few light values are not lost in a heavy one.
std::vector<std::uint16_t> share_bins(const Distinct& distinct, const double* weights, std::size_t max_bins) {
    const std::size_t n_values = distinct.values.size();
    std::vector<std::uint16_t> bin_of(n_values, 0);
    if (n_values <= max_bins) {
        for (std::size_t v = 0; v < n_values; ++v) bin_of[v] = static_cast<std::uint16_t>(v);
        return bin_of;
    }
    std::vector<double> weight_of(n_values, 0);
    double left = 0;
    for (std::size_t i = 0; i < distinct.places.size(); ++i) {
        if (distinct.places[i] == kMissing) continue;
        const double weight = weights == nullptr ? 1 : weights[i];
        weight_of[distinct.places[i]] += weight;
        left += weight;
    }
    std::size_t bin = 0;
    double inside = 0;
    double share = left / static_cast<double>(max_bins);
    const auto close = [&] {
        if (bin + 1 >= max_bins) return;  // the last takes all the rest
        left -= inside;
        inside = 0;
        ++bin;
        share = left / static_cast<double>(max_bins - bin);
    };
    for (std::size_t v = 0; v < n_values; ++v) {
        if (inside > 0 && weight_of[v] >= share) close();
        bin_of[v] = static_cast<std::uint16_t>(bin);
        inside += weight_of[v];
        if (inside >= share) close();
    }
    return bin_of;
}

}  // namespace

Bins bin_numbers(const double* values, std::size_t n_rows, const double* weights, std::size_t max_bins) {
    Distinct distinct;
    distinct.places.assign(n_rows, kMissing);
    if (!look_up(values, n_rows, distinct)) sort_out(values, n_rows, distinct);
    const std::vector<std::uint16_t> bin_of = share_bins(distinct, weights, max_bins);

    Bins out;
    const std::size_t n_bins = bin_of.empty() ? 0 : bin_of.back() + std::size_t{1};
    out.lowest.resize(n_bins);
    out.highest.resize(n_bins);
    for (std::size_t v = 0; v < distinct.values.size(); ++v) {
        if (v == 0 || bin_of[v] != bin_of[v - 1]) out.lowest[bin_of[v]] = distinct.values[v];
        out.highest[bin_of[v]] = distinct.values[v];
    }
    const auto missing = static_cast<std::uint16_t>(n_bins);
    out.bins.resize(n_rows);
    for (std::size_t i = 0; i < n_rows; ++i) {
        const bool is_missing = distinct.places[i] == kMissing;
        out.has_missing |= is_missing;
        out.bins[i] = is_missing ? missing : bin_of[distinct.places[i]];
    }
    return out;
}

}  // namespace splitsecond
