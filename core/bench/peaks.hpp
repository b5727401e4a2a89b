// What the processor can do at most, by loops that do nothing else: read memory, and count bits.
//
// What:  the same loops in the ways the processor has, however the rest is compiled.
// Cost:  read(data, n) loads n words (a multiple of 64) once; count(n) counts the bits of n words that are
//        in registers.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "kernels/kernels.hpp"

#if defined(__x86_64__) && defined(__GNUC__)
#include <immintrin.h>
#define SPLITSECOND_PEAKS_X86
#endif

namespace splitsecond {

struct Peaks {
    const char* name;
    Word (*read)(const Word* data, std::size_t n_words);
    Word (*count)(std::size_t n_words);
};

inline Word read_words(const Word* data, std::size_t n_words) {
    Word seen[8] = {};
    for (std::size_t w = 0; w < n_words; w += 8)
        for (std::size_t i = 0; i < 8; ++i) seen[i] |= data[w + i];
    return seen[0] | seen[1] | seen[2] | seen[3] | seen[4] | seen[5] | seen[6] | seen[7];
}

#if defined(SPLITSECOND_PEAKS_X86)

__attribute__((target("popcnt"))) inline Word count_words(std::size_t n_words) {
    Word sum[8] = {};
    for (std::size_t w = 0; w < n_words; w += 8)
        for (std::size_t i = 0; i < 8; ++i) {
            Word word = w + i;
            asm volatile("" : "+r"(word));  // or the sums would be worked out beforehand
            sum[i] += static_cast<Word>(__builtin_popcountll(word));
        }
    return sum[0] + sum[1] + sum[2] + sum[3] + sum[4] + sum[5] + sum[6] + sum[7];
}

__attribute__((target("avx2"))) inline Word read_256(const Word* data, std::size_t n_words) {
    __m256i seen[8];
    for (__m256i& part : seen) part = _mm256_setzero_si256();
    for (std::size_t w = 0; w < n_words; w += 32)
        for (std::size_t i = 0; i < 8; ++i)
            seen[i] = _mm256_or_si256(seen[i],
                                      _mm256_loadu_si256(reinterpret_cast<const __m256i*>(data + w + 4 * i)));
    for (std::size_t i = 1; i < 8; ++i) seen[0] = _mm256_or_si256(seen[0], seen[i]);
    return static_cast<Word>(_mm256_extract_epi64(seen[0], 0));
}

__attribute__((target("avx512f"))) inline Word read_512(const Word* data, std::size_t n_words) {
    __m512i seen[8];
    for (__m512i& part : seen) part = _mm512_setzero_si512();
    for (std::size_t w = 0; w < n_words; w += 64)
        for (std::size_t i = 0; i < 8; ++i)
            seen[i] = _mm512_or_si512(seen[i], _mm512_loadu_si512(data + w + 8 * i));
    for (std::size_t i = 1; i < 8; ++i) seen[0] = _mm512_or_si512(seen[0], seen[i]);
    Word lanes[8];
    _mm512_storeu_si512(lanes, seen[0]);
    return lanes[0] | lanes[7];
}

__attribute__((target("avx512f,avx512vpopcntdq"))) inline Word count_512(std::size_t n_words) {
    __m512i sum[8];
    for (__m512i& part : sum) part = _mm512_setzero_si512();
    __m512i words = _mm512_set1_epi64(static_cast<long long>(n_words));
    for (std::size_t w = 0; w < n_words; w += 64)
        for (__m512i& part : sum) {
            asm volatile("" : "+v"(words));
            part = _mm512_add_epi64(part, _mm512_popcnt_epi64(words));
        }
    for (std::size_t i = 1; i < 8; ++i) sum[0] = _mm512_add_epi64(sum[0], sum[i]);
    Word lanes[8];
    _mm512_storeu_si512(lanes, sum[0]);
    return lanes[0] + lanes[7];
}

#else

inline Word count_words(std::size_t n_words) {
    Word sum[8] = {};
    for (std::size_t w = 0; w < n_words; w += 8)
        for (std::size_t i = 0; i < 8; ++i)
            sum[i] += static_cast<Word>(std::popcount(w * 0x9E3779B97F4A7C15u + i));
    return sum[0] + sum[1] + sum[2] + sum[3] + sum[4] + sum[5] + sum[6] + sum[7];
}

#endif

// The ways of this processor; those of the kernels, and by the same rules (available_kernels).
inline std::vector<Peaks> available_peaks() {
    std::vector<Peaks> peaks{{"64 bits", read_words, count_words}};
#if defined(SPLITSECOND_PEAKS_X86)
    const std::size_t paths = available_kernels().size();
    if (paths > 1) peaks.push_back({"256 bits", read_256, nullptr});
    if (paths > 2) peaks.push_back({"512 bits", read_512, count_512});
#endif
    return peaks;
}

}  // namespace splitsecond
