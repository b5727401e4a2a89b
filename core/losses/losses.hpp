// Every loss there is: the one list that a new one is added to.
//
// What:      a loss is a type (zero_one.hpp shows what it must have). Its number (Loss) is its place in the list; its
//            name for users, its kernels for every instruction set and its tests follow from the list.
// Cost:      none in loops over features, which are made for each type (kernels/loss_body.hpp); elsewhere a comparison
//            for the first of the list.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "losses/brier.hpp"
#include "losses/costs.hpp"
#include "losses/log_loss.hpp"
#include "losses/poisson.hpp"
#include "losses/squared_error.hpp"
#include "losses/zero_one.hpp"
#include "types.hpp"

namespace splitsecond {

template <class... Types>
struct LossList {
    static constexpr std::size_t size = sizeof...(Types);
    static constexpr std::string_view names[size] = {Types::name...};
};

using Losses = LossList<ZeroOne, Costs, Brier, LogLoss, SquaredError, Poisson>;

// Whether a leaf of two classes has a rule of its own, of one operation.
template <class LossType>
inline constexpr bool kHasOfTwo = requires(LossType loss) { loss.of_two(Count{}, Count{}); };

enum class Loss : std::uint8_t {};  // a place in Losses

// Calls visit.operator()<Type>() with the type at that place.
template <class First, class... Rest, class Visit>
SPLITSECOND_INLINE decltype(auto) visit_loss(LossList<First, Rest...>, std::size_t place,
                                             const Visit& visit) {
    if constexpr (sizeof...(Rest) > 0)
        if (place > 0) return visit_loss(LossList<Rest...>{}, place - 1, visit);
    return visit.template operator()<First>();
}

}  // namespace splitsecond
