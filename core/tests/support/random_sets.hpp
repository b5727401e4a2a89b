// Sets of trees for tests.
#pragma once

#include <algorithm>

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

struct RandomSet {
    Data data;
    RashomonSet set;
};

// A small one: all trees or RESPLIT's, with any weights, prices and bounds.
inline RandomSet random_set(Random& random) {
    const Data data =
        make_data(random, {.n_rows = random.between(1, 30),
                           .n_columns = random.between(1, 4),
                           .n_classes = random.between(2, 3),
                           .weights = random.one_of<Weights>({Weights::none, Weights::few, Weights::many})});
    SetOptions options;
    options.max_depth = random.between(0, data.n_columns == 4 ? 2 : 3);
    options.objective.price = random_price(random, data);
    options.keep_trivial = options.max_depth < 3 && random.chance(25);
    if (random.chance(50)) options.lookahead = random.between(0, std::min(options.max_depth, data.n_columns));
    const Cost epsilon = random.one_of<Cost>(
        {0, 2 * options.objective.price.loss, 3 * options.objective.price.of(2, 1), kInfinite / 8});
    return {data, solved(data, options, epsilon)};
}

}  // namespace splitsecond
