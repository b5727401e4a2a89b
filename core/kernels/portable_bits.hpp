// Bits from bytes and bits by a mask, for kernels without instructions for that. Included like
// body.hpp.
#pragma once

#include <cstring>

#include "kernels/kernels.hpp"

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

// The six moves that bring the bits of a word selected by `mask` to its low end, in order (Hacker's
// Delight, "compress"). They depend on the mask alone, so that one set serves all columns of a word.
struct Compressor {
    Word mask;
    Word move[6];

    explicit Compressor(Word selected) : mask(selected) {
        Word m = selected;
        Word zeros_right = ~m << 1;
        for (int step = 0; step < 6; ++step) {
            Word parity = zeros_right ^ (zeros_right << 1);
            parity ^= parity << 2;
            parity ^= parity << 4;
            parity ^= parity << 8;
            parity ^= parity << 16;
            parity ^= parity << 32;
            move[step] = parity & m;
            m = (m ^ move[step]) | (move[step] >> (1 << step));
            zeros_right &= ~parity;
        }
    }

    Word operator()(Word x) const {
        x &= mask;
        Word t;
        t = x & move[0], x = (x ^ t) | (t >> 1);
        t = x & move[1], x = (x ^ t) | (t >> 2);
        t = x & move[2], x = (x ^ t) | (t >> 4);
        t = x & move[3], x = (x ^ t) | (t >> 8);
        t = x & move[4], x = (x ^ t) | (t >> 16);
        t = x & move[5], x = (x ^ t) | (t >> 32);
        return x;
    }
};

}  // namespace
}  // namespace splitsecond
