// Sets of trees for tests.
#pragma once

#include "sets/rashomon.hpp"
#include "support/check.hpp"
#include "support/data.hpp"

namespace splitsecond {

inline RashomonSet solved(const Data& data, SetOptions options, Cost epsilon, Limits& limits) {
    options.bound = [&](Cost errors, Cost leaves) {
        return options.objective.price.of(errors, leaves) + epsilon;
    };
    return rashomon_set(data.table(), data.target(), options, limits);
}

inline RashomonSet solved(const Data& data, const SetOptions& options, Cost epsilon) {
    Limits limits;
    RashomonSet set = solved(data, options, epsilon, limits);
    CHECK(set.status == Status::complete);
    return set;
}

}  // namespace splitsecond
