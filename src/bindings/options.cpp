#include <string>

#include "bindings.hpp"

namespace splitsecond {

double seconds_of(const nb::dict& options) {
    return options["time_limit"].is_none() ? Limits::kNoDeadline : nb::cast<double>(options["time_limit"]);
}

std::size_t bytes_of(const nb::dict& options) {
    return options["memory_limit"].is_none() ? Limits::kNoBudget
                                             : nb::cast<std::size_t>(options["memory_limit"]);
}

Objective objective_of(const nb::dict& options) {
    return {{nb::cast<Cost>(options["error_price"]), nb::cast<Cost>(options["leaf_price"])}};
}

SpeedOptions speed_of(const nb::dict& options) {
    SpeedOptions speed;
    speed.kernels = &find_kernels(nb::cast<std::string>(options["simd"]).c_str());
    speed.equivalent_points = nb::cast<bool>(options["equivalent_points"]);
    speed.similar_support = nb::cast<bool>(options["similar_support"]);
    speed.minimum_support = nb::cast<bool>(options["minimum_support"]);
    speed.cache = nb::cast<bool>(options["cache"]);
    speed.subtract_siblings = nb::cast<bool>(options["subtract_siblings"]);
    return speed;
}

const char* name_of(Status status) {
    switch (status) {
        case Status::complete: return "complete";
        case Status::time_limit: return "time_limit";
        case Status::memory_limit: return "memory_limit";
        case Status::interrupted: return "interrupted";
    }
    return "";
}

nb::dict to_dict(const Statistics& statistics) {
    nb::dict numbers;
    numbers["subproblems"] = statistics.subproblems;
    numbers["completions"] = statistics.completions;
    numbers["pair_matrices"] = statistics.pair_matrices;
    numbers["cache_hits"] = statistics.cache_hits;
    numbers["cache_entries"] = statistics.cache_entries;
    return numbers;
}

}  // namespace splitsecond
