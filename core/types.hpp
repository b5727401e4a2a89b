// The numbers that every room of the core shares.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>

// For functions that files compiled for several instruction sets share: never a function of its own, which the linker
// could choose for a processor that cannot run it.
// The other one keeps what is seldom called out of its callers.
#if defined(_MSC_VER)
#define SPLITSECOND_INLINE __forceinline
#define SPLITSECOND_NOINLINE __declspec(noinline)
#else
#define SPLITSECOND_INLINE inline __attribute__((always_inline))
#define SPLITSECOND_NOINLINE __attribute__((noinline))
#endif

namespace splitsecond {

using Word = std::uint64_t;  // 64 rows of one column
using Count = std::int32_t;  // a weight; the total weight of a problem is below 2^31
using Cost = std::int64_t;   // of a tree, in units of the objective (losses/objective.hpp)

inline constexpr Cost kInfinite = std::numeric_limits<Cost>::max() / 4;  // may be added to itself

template <class Number>
SPLITSECOND_INLINE Number smaller(Number a, Number b) {
    return a < b ? a : b;
}

template <class Number>
SPLITSECOND_INLINE Number larger(Number a, Number b) {
    return a > b ? a : b;
}

}  // namespace splitsecond
