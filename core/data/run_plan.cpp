#include "data/run_plan.hpp"

#include <algorithm>
#include <set>
#include <utility>

namespace splitsecond {
namespace {

constexpr std::size_t kMaxWeights = 8;  // of a class that get a run each

using Tally = std::vector<std::pair<Count, std::size_t>>;  // weights, and how many rows have them

void add_row(Tally& tally, Count weight) {
    auto known =
        std::find_if(tally.begin(), tally.end(), [&](const auto& each) { return each.first == weight; });
    if (known == tally.end()) known = tally.insert(tally.end(), {weight, 0});
    ++known->second;
}

void add_few(const Tally& rows_of, std::set<Count>& weights) {
    constexpr Count kSmall = 16;
    constexpr std::size_t kFew = 32;  // less than one row in this many
    std::size_t all = 0;
    for (const auto& [weight, rows] : rows_of) all += weight == 0 ? 0 : rows;
    for (const auto& [weight, rows] : rows_of) {
        if (weight == 0 || weight >= kSmall || rows * kFew >= all)
            weights.insert(weight);
        else
            for (Count bit = 1; bit <= weight; bit *= 2)
                if ((weight & bit) != 0) weights.insert(bit);
    }
}

// Weights that differ by a power of two follow each other, the largest first: their counts add up in one sum
// (Kernels::pair_counts).
std::vector<Count> in_chains(const std::set<Count>& weights) {
    std::vector<Count> chains(weights.rbegin(), weights.rend());
    const auto odd_part = [](Count weight) { return weight == 0 ? 0 : weight / (weight & -weight); };
    std::stable_sort(chains.begin(), chains.end(),
                     [&](Count a, Count b) { return odd_part(a) > odd_part(b); });
    return chains;
}

std::set<Count> all_bits() {
    std::set<Count> weights{0};
    for (int bit = 0; bit < 31; ++bit) weights.insert(Count{1} << bit);
    return weights;
}

}  // namespace

RunPlan::RunPlan(const Table& table, const Target& target, bool count_rows)
    : target_(target), counts_rows_(count_rows) {
    const std::size_t n_channels = target.n_classes + (count_rows ? 1 : 0);
    std::vector<Tally> rows(n_channels);
    std::vector<bool> many(n_channels, false);
    const auto add = [&](std::size_t channel, Count weight) {
        if (many[channel]) return;
        add_row(rows[channel], weight);
        many[channel] = rows[channel].size() > kMaxWeights;
    };
    for (std::size_t i = 0; target.is_weighted() && i < table.n_rows; ++i) {
        target.for_channels_of(i, add);
        if (count_rows && target.rows != nullptr) add(target.n_classes, target.rows_of(i));
    }
    for (std::size_t channel = 0; channel < n_channels; ++channel) {
        std::set<Count> weights;
        if (rows[channel].empty() && (channel == target.n_classes || !target.is_weighted())) weights = {1};
        if (many[channel])
            weights = all_bits();
        else
            add_few(rows[channel], weights);
        add_class(channel, in_chains(weights));
    }
    first_.push_back(runs_.size());
}

void RunPlan::add_class(std::size_t cls, const std::vector<Count>& weights) {
    first_.push_back(runs_.size());
    run_of_bit_.emplace_back();
    for (const Count weight : weights) {
        const auto bits = static_cast<std::uint32_t>(weight);
        if (std::has_single_bit(bits))
            run_of_bit_[cls][static_cast<std::size_t>(std::countr_zero(bits))] = runs_.size();
        runs_.push_back({cls, weight, 0, 0});
    }
}

}  // namespace splitsecond
