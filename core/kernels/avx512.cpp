// Kernels for processors with AVX-512 VPOPCNTDQ: eight columns to a vector, bits counted by one instruction.
#include <immintrin.h>

#include "kernels/kernels.hpp"

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
    void multiply(Count factor) { words = _mm512_mul_epu32(words, _mm512_set1_epi64(factor)); }
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

#include "kernels/body.hpp"

namespace splitsecond {
namespace {

// Those of 16 lanes that hold something when so many counts are left.
inline __mmask16 lanes_of(std::size_t left) {
    return static_cast<__mmask16>(left < 16 ? (1u << left) - 1 : 0xFFFFu);
}

// Rows are short: half of the time would go into what is left behind the last whole vector.
void stump_row_masked(const PairRow& p, Count* yes, Count* no) {
    if (p.n_classes != 2) return stump_row(p, yes, no);
    const Count* pair[2] = {p.pair, p.pair + p.pair_step};
    const Count* single[2] = {p.single, p.single + p.single_step};
    __m512i in_yes[2], in_no[2];
    for (int c = 0; c < 2; ++c) {
        in_yes[c] = _mm512_set1_epi32(single[c][p.feature]);
        in_no[c] = _mm512_sub_epi32(_mm512_set1_epi32(p.total[c]), in_yes[c]);
    }
    __m512i best_yes = _mm512_set1_epi32(yes[p.feature]);
    __m512i best_no = _mm512_set1_epi32(no[p.feature]);
    for (std::size_t j = p.feature + 1; j < p.n_features; j += 16) {
        const __mmask16 there = lanes_of(p.n_features - j);
        __m512i a[2], b[2];
        for (int c = 0; c < 2; ++c) {
            a[c] = _mm512_maskz_loadu_epi32(there, pair[c] + j);
            b[c] = _mm512_sub_epi32(_mm512_maskz_loadu_epi32(there, single[c] + j), a[c]);
        }
        const auto most = [](__m512i x, __m512i y) { return _mm512_max_epi32(x, y); };
        const __m512i both = most(a[0], a[1]);
        const __m512i only_i = most(_mm512_sub_epi32(in_yes[0], a[0]), _mm512_sub_epi32(in_yes[1], a[1]));
        const __m512i only_j = most(b[0], b[1]);
        const __m512i neither = most(_mm512_sub_epi32(in_no[0], b[0]), _mm512_sub_epi32(in_no[1], b[1]));
        best_yes = _mm512_mask_max_epi32(best_yes, there, best_yes, _mm512_add_epi32(both, only_i));
        best_no = _mm512_mask_max_epi32(best_no, there, best_no, _mm512_add_epi32(only_j, neither));
        const auto raise = [&](Count* known, __m512i found) {
            _mm512_mask_storeu_epi32(known, there, most(_mm512_maskz_loadu_epi32(there, known), found));
        };
        raise(yes + j, _mm512_add_epi32(both, only_j));
        raise(no + j, _mm512_add_epi32(only_i, neither));
    }
    yes[p.feature] = _mm512_reduce_max_epi32(best_yes);
    no[p.feature] = _mm512_reduce_max_epi32(best_no);
}

// A comparison gives the bits at once, without a byte for each.
void constant_columns_masked(const Count* single, std::size_t step, std::size_t n_classes, Count all,
                             std::size_t width, Word& none_has, Word& all_have) {
    none_has = all_have = 0;
    for (std::size_t j = 0; j < width; j += 16) {
        const __mmask16 there = lanes_of(width - j);
        __m512i with = _mm512_setzero_si512();
        for (std::size_t c = 0; c < n_classes; ++c)
            with = _mm512_add_epi32(with, _mm512_maskz_loadu_epi32(there, single + c * step + j));
        none_has |= Word{_mm512_mask_cmpeq_epi32_mask(there, with, _mm512_setzero_si512())} << j;
        all_have |= Word{_mm512_mask_cmpeq_epi32_mask(there, with, _mm512_set1_epi32(all))} << j;
    }
}

constexpr Kernels kernels() {
    Kernels all = make_kernels("avx512");
    all.stump_row = stump_row_masked;
    all.constant_columns = constant_columns_masked;
    return all;
}

}  // namespace

extern const Kernels avx512_kernels;
const Kernels avx512_kernels = kernels();

}  // namespace splitsecond
