// Which runs (packed_rows.hpp) a row of a given class and weight goes to.
//
// What:      few different weights in a class: a run for each, but none for a small weight that few rows have, as most
//            of a bootstrap's have; those go to the runs of their bits. Many: a run for each bit of the weight.
// Invariant: the weights of the runs that a row goes to add up to its own; rows of weight 0 go to a run of weight 0.
// Cost:      a pass over the weights; at most 32 runs a class, whatever the weights are.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "data/packed_rows.hpp"
#include "data/table.hpp"

namespace splitsecond {

class RunPlan {
public:
    // count_rows: with a channel behind the classes, in which every row that has a weight counts as many as it stands
    // for.
    RunPlan(const Table& table, const Target& target, bool count_rows);

    std::vector<Run>& runs() { return runs_; }  // by class; their words are for the caller to set

    // Calls visit(run) for every run that row i goes to.
    template <class Visit>
    void for_runs_of(std::size_t i, Visit visit) const {
        bool is_counted = !counts_rows_;
        target_.for_channels_of(i, [&](std::size_t channel, Count weight) {
            if (!is_counted && weight > 0) visit_runs(target_.n_classes, target_.rows_of(i), visit);
            is_counted = true;
            visit_runs(channel, weight, visit);
        });
    }

private:
    template <class Visit>
    void visit_runs(std::size_t channel, Count weight, const Visit& visit) const {
        std::size_t run = first_[channel];
        while (run < first_[channel + 1] && runs_[run].weight != weight) ++run;
        if (run < first_[channel + 1]) return visit(run);
        for (auto left = static_cast<std::uint32_t>(weight); left != 0; left &= left - 1)
            visit(run_of_bit_[channel][static_cast<std::size_t>(std::countr_zero(left))]);
    }
    void add_class(std::size_t cls, const std::vector<Count>& weights);

    const Target& target_;
    const bool counts_rows_;
    std::vector<std::size_t> first_;  // first run of each channel
    std::vector<std::array<std::size_t, 32>> run_of_bit_;
    std::vector<Run> runs_;
};

}  // namespace splitsecond
