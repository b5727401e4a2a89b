// Kernels for processors with AVX-512 VPOPCNTDQ: eight columns to a vector, bits counted by one instruction.
#include <immintrin.h>

#include "kernels.hpp"

namespace splitsecond {
namespace {

struct Vector {
    static constexpr std::size_t lanes = 8;
    static constexpr int tile_rows = 8;
    __m512i words;

    static Vector zero() { return {_mm512_setzero_si512()}; }
    static Vector load(const Word* p) { return {_mm512_loadu_si512(p)}; }
    static Vector broadcast(Word w) { return {_mm512_set1_epi64(static_cast<long long>(w))}; }
    void add_popcount_of_and(Vector a, Vector b) {
        words = _mm512_add_epi64(words, _mm512_popcnt_epi64(_mm512_and_si512(a.words, b.words)));
    }
    void add_to(Count* out, Count multiplier) const {
        __m256i* target = reinterpret_cast<__m256i*>(out);
        const __m256i counts = _mm512_cvtepi64_epi32(words);
        const __m256i scaled = _mm256_mullo_epi32(counts, _mm256_set1_epi32(multiplier));
        _mm256_storeu_si256(target, _mm256_add_epi32(_mm256_loadu_si256(target), scaled));
    }
};

// Brings the bits of a word selected by a mask to its low end.
struct Compressor {
    Word mask;
    explicit Compressor(Word selected) : mask(selected) {}
    Word operator()(Word x) const { return _pext_u64(x, mask); }
};

// Low bits of up to 64 bytes as one word; false if a byte is neither 0 nor 1.
inline bool bits_of_bytes(const std::uint8_t* bytes, std::size_t width, Word& bits) {
    const __mmask64 present = width == 64 ? ~__mmask64{0} : (__mmask64{1} << width) - 1;
    const __m512i values = _mm512_maskz_loadu_epi8(present, bytes);
    bits = _mm512_test_epi8_mask(values, values);
    return _mm512_cmpgt_epu8_mask(values, _mm512_set1_epi8(1)) == 0;
}

}  // namespace
}  // namespace splitsecond

#include "kernels_impl.hpp"

namespace splitsecond {

extern const Kernels avx512_kernels;
const Kernels avx512_kernels = make_kernels("avx512");

}  // namespace splitsecond
