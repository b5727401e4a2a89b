// Kernels for processors with AVX2: four columns to a vector, bits counted by nibble look-up.
#include <immintrin.h>

#include "kernels/kernels.hpp"

namespace splitsecond {
namespace {

struct Vector {
    static constexpr std::size_t lanes = 4;
    static constexpr int tile_rows = 4;
    __m256i words;

    static Vector zero() { return {_mm256_setzero_si256()}; }
    static Vector load(const Word* p) { return {_mm256_loadu_si256(reinterpret_cast<const __m256i*>(p))}; }
    static Vector broadcast(Word w) { return {_mm256_set1_epi64x(static_cast<long long>(w))}; }
    void add_popcount_of_and(Vector a, Vector b) {
        const __m256i table = _mm256_setr_epi8(0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4, 0, 1, 1, 2, 1,
                                               2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4);
        const __m256i low = _mm256_set1_epi8(0x0f);
        const __m256i x = _mm256_and_si256(a.words, b.words);
        const __m256i in_low = _mm256_shuffle_epi8(table, _mm256_and_si256(x, low));
        const __m256i in_high = _mm256_shuffle_epi8(table, _mm256_and_si256(_mm256_srli_epi16(x, 4), low));
        const __m256i bytes = _mm256_add_epi8(in_low, in_high);
        words = _mm256_add_epi64(words, _mm256_sad_epu8(bytes, _mm256_setzero_si256()));
    }
    void multiply(Count factor) { words = _mm256_mul_epu32(words, _mm256_set1_epi64x(factor)); }
    void add_to(Count* out, Count multiplier) const {
        alignas(32) Word sums[4];
        _mm256_store_si256(reinterpret_cast<__m256i*>(sums), words);
        for (int lane = 0; lane < 4; ++lane) out[lane] += multiplier * static_cast<Count>(sums[lane]);
    }
};

}  // namespace
}  // namespace splitsecond

#include "kernels/portable_bits.hpp"
#include "kernels/portable_stumps.hpp"

#include "kernels/body.hpp"

namespace splitsecond {

extern const Kernels avx2_kernels;
const Kernels avx2_kernels = make_kernels("avx2", Losses{});

}  // namespace splitsecond
