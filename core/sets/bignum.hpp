// Counts of any size: little-endian numbers of a fixed number of 64-bit words, chosen for the whole set.
//
// What:      just the arithmetic that counting and numbering trees needs. Sums say whether they fit.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace splitsecond {

using Digit = std::uint64_t;

// The 128-bit product of two words, as (low, high).
inline Digit multiply(Digit a, Digit b, Digit& high) {
    const Digit a0 = a & 0xFFFFFFFFu, a1 = a >> 32, b0 = b & 0xFFFFFFFFu, b1 = b >> 32;
    const Digit low = a0 * b0;
    const Digit middle = a1 * b0 + (low >> 32);
    const Digit other = a0 * b1 + (middle & 0xFFFFFFFFu);
    high = a1 * b1 + (middle >> 32) + (other >> 32);
    return other << 32 | (low & 0xFFFFFFFFu);
}

// sum += a; false if it does not fit.
inline bool add(Digit* sum, const Digit* a, std::size_t n) {
    Digit carry = 0;
    for (std::size_t i = 0; i < n; ++i) {
        const Digit first = sum[i] + a[i];
        const Digit second = first + carry;
        carry = (first < a[i]) + (second < carry);
        sum[i] = second;
    }
    return carry == 0;
}

// sum += a * b; false if it does not fit.
inline bool multiply_add(Digit* sum, const Digit* a, const Digit* b, std::size_t n) {
    bool fits = true;
    for (std::size_t i = 0; i < n; ++i) {
        if (a[i] == 0) continue;
        Digit carry = 0;
        for (std::size_t j = 0; i + j < n; ++j) {
            Digit high;
            const Digit low = multiply(a[i], b[j], high);
            const Digit first = sum[i + j] + low;
            const Digit second = first + carry;
            carry = high + (first < low) + (second < carry);
            sum[i + j] = second;
        }
        fits = fits && carry == 0;
        for (std::size_t j = n - i; j < n; ++j) fits = fits && b[j] == 0;
    }
    return fits;
}

inline void subtract(Digit* difference, const Digit* a, std::size_t n) {
    Digit borrow = 0;
    for (std::size_t i = 0; i < n; ++i) {
        const Digit first = difference[i] - a[i];
        const Digit second = first - borrow;
        borrow = (difference[i] < a[i]) + (first < borrow);
        difference[i] = second;
    }
}

inline void add_one(Digit* sum, std::size_t n) {
    for (std::size_t i = 0; i < n && ++sum[i] == 0; ++i) {
    }
}

inline bool is_zero(const Digit* a, std::size_t n) {
    for (std::size_t i = 0; i < n; ++i)
        if (a[i] != 0) return false;
    return true;
}

inline bool less(const Digit* a, const Digit* b, std::size_t n) {
    for (std::size_t i = n; i-- > 0;)
        if (a[i] != b[i]) return a[i] < b[i];
    return false;
}

// a >> bits, as one word: all ones if it does not fit.
inline Digit shifted(const Digit* a, std::size_t bits, std::size_t n) {
    const std::size_t word = bits / 64, bit = bits % 64;
    if (word >= n) return 0;
    for (std::size_t i = word + 1; i < n; ++i)
        if ((i == word + 1 && bit > 0 ? a[i] >> bit : a[i]) != 0) return ~Digit{0};
    const Digit above = word + 1 < n && bit > 0 ? a[word + 1] << (64 - bit) : 0;
    return a[word] >> bit | above;
}

// Rounded; infinite if it does not fit.
inline double to_double(const Digit* a, std::size_t n) {
    double sum = 0;
    for (std::size_t i = n; i-- > 0;)
        if (a[i] != 0 || sum != 0) sum = sum * 0x1p64 + static_cast<double>(a[i]);
    return sum;
}

// quotient = a / b, a becomes the remainder; b must not be zero. Bit by bit where they are long.
inline void divide(Digit* a, const Digit* b, Digit* quotient, std::size_t n) {
    for (std::size_t i = 0; i < n; ++i) quotient[i] = 0;
    if (is_zero(a + 1, n - 1) && is_zero(b + 1, n - 1)) {
        quotient[0] = a[0] / b[0];
        a[0] %= b[0];
        return;
    }
    std::vector<Digit> rest(n, 0);
    for (std::size_t bit = 64 * n; bit-- > 0;) {
        for (std::size_t i = n; i-- > 1;) rest[i] = rest[i] << 1 | rest[i - 1] >> 63;
        rest[0] = rest[0] << 1 | (a[bit / 64] >> bit % 64 & 1);
        if (!less(rest.data(), b, n)) {
            subtract(rest.data(), b, n);
            quotient[bit / 64] |= Digit{1} << bit % 64;
        }
    }
    for (std::size_t i = 0; i < n; ++i) a[i] = rest[i];
}

}  // namespace splitsecond
