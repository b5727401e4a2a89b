// What is asked of a Rashomon set.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>

#include "search/session.hpp"

namespace splitsecond {

struct SetOptions : SearchOptions {
    std::optional<std::size_t> lookahead;               // set: RESPLIT; otherwise all trees
    bool keep_trivial = false;                          // splits that say no more than a leaf
    std::function<Cost(Cost loss, Cost leaves)> bound;  // from the reference tree's; a cost
};

}  // namespace splitsecond
