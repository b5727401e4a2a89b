// A hash of words, for tables whose hits are compared in full.
#pragma once

#include <cstddef>
#include <cstdint>

namespace splitsecond {

inline std::uint64_t hash_of(std::uint64_t seed, const std::uint64_t* words, std::size_t n) {
    std::uint64_t hash = seed * 0x9E3779B97F4A7C15u;
    for (std::size_t w = 0; w < n; ++w) {
        hash = (hash ^ words[w]) * 0xD6E8FEB86659FD93u;
        hash ^= hash >> 32;
    }
    return hash;
}

}  // namespace splitsecond
