// How the kernels without a better instruction turn bytes into bits. Included like kernels_impl.hpp.
#pragma once

#include <cstring>

#include "kernels.hpp"

namespace splitsecond {
namespace {

// Low bits of up to 64 bytes as one word; false if a byte is neither 0 nor 1. Eight bytes at a time by one
// multiplication that brings their low bits side by side.
inline bool bits_of_bytes(const std::uint8_t* bytes, std::size_t width, Word& bits) {
    Word seen = 0;
    std::size_t j = 0;
    bits = 0;
    for (; j + 8 <= width; j += 8) {
        Word eight;
        std::memcpy(&eight, bytes + j, 8);
        seen |= eight;
        bits |= ((eight * 0x0102040810204080u) >> 56) << j;
    }
    for (; j < width; ++j) {
        seen |= bytes[j];
        bits |= static_cast<Word>(bytes[j] & 1) << j;
    }
    return (seen & 0xFEFEFEFEFEFEFEFEu) == 0;
}

}  // namespace
}  // namespace splitsecond
