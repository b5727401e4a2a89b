// x * log2(x), the same bits on every processor: IEEE operations in a fixed order, compiled without contraction.
#pragma once

#include <cstring>

#include "types.hpp"

namespace splitsecond {

SPLITSECOND_INLINE double as_double(Word bits) {
    double x;
    std::memcpy(&x, &bits, sizeof x);
    return x;
}

SPLITSECOND_INLINE Word as_bits(double x) {
    Word bits;
    std::memcpy(&bits, &x, sizeof bits);
    return bits;
}

// For integers x >= 0, to about 1 ulp, without branches so that loops over it vectorize.
// x = m * 2^e with sqrt(1/2) <= m < sqrt(2); log2(m) = 2/ln(2) * atanh((m-1)/(m+1)) as a series.
SPLITSECOND_INLINE double x_log2_x(double x) {
    const Word bits = as_bits(x < 1.0 ? 1.0 : x);
    const Word exponent = (bits - 0x3FE6A09E667F3BCDu) >> 52;
    const double m = as_double(bits - (exponent << 52));
    const double e = as_double(0x4338000000000000u + exponent) - 6755399441055744.0;
    const double s = (m - 1.0) / (m + 1.0);
    const double z = s * s;
    double series = 1.0 / 21.0;
    series = series * z + 1.0 / 19.0;
    series = series * z + 1.0 / 17.0;
    series = series * z + 1.0 / 15.0;
    series = series * z + 1.0 / 13.0;
    series = series * z + 1.0 / 11.0;
    series = series * z + 1.0 / 9.0;
    series = series * z + 1.0 / 7.0;
    series = series * z + 1.0 / 5.0;
    series = series * z + 1.0 / 3.0;
    series = series * z + 1.0;
    return x * (e + s * series * 2.8853900817779268147);
}

// For 0 <= x < kEntropyTableSize, made once by that function.
inline constexpr Count kEntropyTableSize = 1 << 16;
const double* entropy_table();

// The function for weights, in three forms with the same values.
struct FromTable {  // below kEntropyTableSize
    const double* table;
    SPLITSECOND_INLINE double operator()(Count x) const { return table[x]; }
};

struct Computed {
    SPLITSECOND_INLINE double operator()(Count x) const { return x_log2_x(static_cast<double>(x)); }
};

struct FromTableOrComputed {
    const double* table;
    SPLITSECOND_INLINE double operator()(Count x) const {
        return x < kEntropyTableSize ? table[x] : x_log2_x(static_cast<double>(x));
    }
};

}  // namespace splitsecond
