// The losses of four leaves that two features i and j make. Included like body.hpp.
#pragma once

#include "types.hpp"

namespace splitsecond {
namespace {

template <class Value>
struct Quarters {
    Value both, only_i, only_j, neither;

    // Lowers what is known of the best split on j below i's children, and of the best on i below j's.
    SPLITSECOND_INLINE void lower(Value& yes_i, Value& no_i, Value& yes_j, Value& no_j) const {
        yes_i = smaller(yes_i, static_cast<Value>(both + only_i));
        no_i = smaller(no_i, static_cast<Value>(only_j + neither));
        yes_j = smaller(yes_j, static_cast<Value>(both + only_j));
        no_j = smaller(no_j, static_cast<Value>(only_i + neither));
    }
};

}  // namespace
}  // namespace splitsecond
