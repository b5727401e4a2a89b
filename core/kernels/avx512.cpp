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

// Those of 16 lanes that are active when so many counts are left.
inline __mmask16 active_lanes(std::size_t left) {
    return static_cast<__mmask16>(left < 16 ? (1u << left) - 1 : 0xFFFFu);
}

// 16 counts, of features side by side.
struct Lanes {
    __m512i counts;

    static Lanes all(Count count) { return {_mm512_set1_epi32(count)}; }
    static Lanes load(__mmask16 active, const Count* p) { return {_mm512_maskz_loadu_epi32(active, p)}; }
    void store(__mmask16 active, Count* p) const { _mm512_mask_storeu_epi32(p, active, counts); }
    friend Lanes operator+(Lanes a, Lanes b) { return {_mm512_add_epi32(a.counts, b.counts)}; }
    friend Lanes operator-(Lanes a, Lanes b) { return {_mm512_sub_epi32(a.counts, b.counts)}; }
    friend Lanes smaller(Lanes a, Lanes b) { return {_mm512_min_epi32(a.counts, b.counts)}; }
    void lower(__mmask16 active, Lanes to) {
        counts = _mm512_mask_min_epi32(counts, active, counts, to.counts);
    }
    Count minimum() const { return _mm512_reduce_min_epi32(counts); }
};

// Rows are short: half of the time would go into what is left behind the last whole vector.
template <class LossType>
inline void stump_row_of_two(LossType loss, const PairCounts& p, std::size_t i, Count* yes, Count* no) {
    const Count* pair0 = p.pair + i * p.row_step;
    const Count* pair1 = pair0 + p.class_step;
    const Count* single0 = p.features.single;
    const Count* single1 = single0 + p.features.step;
    const std::size_t k = p.features.n_features;
    const Lanes yes0 = Lanes::all(single0[i]), yes1 = Lanes::all(single1[i]);
    const Lanes no0 = Lanes::all(p.features.total[0]) - yes0, no1 = Lanes::all(p.features.total[1]) - yes1;
    Lanes best_yes = Lanes::all(yes[i]), best_no = Lanes::all(no[i]);
    for (std::size_t j = i + 1; j < k; j += 16) {
        const __mmask16 active = active_lanes(k - j);
        const Lanes a0 = Lanes::load(active, pair0 + j), a1 = Lanes::load(active, pair1 + j);
        const Lanes b0 = Lanes::load(active, single0 + j) - a0, b1 = Lanes::load(active, single1 + j) - a1;
        const Lanes both = loss.of_two(a0, a1);
        const Lanes only_i = loss.of_two(yes0 - a0, yes1 - a1);
        const Lanes only_j = loss.of_two(b0, b1);
        const Lanes neither = loss.of_two(no0 - b0, no1 - b1);
        best_yes.lower(active, both + only_i);
        best_no.lower(active, only_j + neither);
        smaller(Lanes::load(active, yes + j), both + only_j).store(active, yes + j);
        smaller(Lanes::load(active, no + j), only_i + neither).store(active, no + j);
    }
    yes[i] = best_yes.minimum();
    no[i] = best_no.minimum();
}

}  // namespace
}  // namespace splitsecond

#include "kernels/body.hpp"

namespace splitsecond {
namespace {

// Comparisons give the bits at once, without a byte for each.
void constant_columns_masked(const Count* single, std::size_t step, std::size_t n_classes, Count all,
                             std::size_t width, Word& none_has, Word& all_have) {
    none_has = all_have = 0;
    for (std::size_t j = 0; j < width; j += 16) {
        const __mmask16 active = active_lanes(width - j);
        __m512i with = _mm512_setzero_si512();
        for (std::size_t c = 0; c < n_classes; ++c)
            with = _mm512_add_epi32(with, _mm512_maskz_loadu_epi32(active, single + c * step + j));
        none_has |= Word{_mm512_mask_cmpeq_epi32_mask(active, with, _mm512_setzero_si512())} << j;
        all_have |= Word{_mm512_mask_cmpeq_epi32_mask(active, with, _mm512_set1_epi32(all))} << j;
    }
}

Word at_most_masked(const double* values, double threshold) {
    const __m512d most = _mm512_set1_pd(threshold);
    Word bits = 0;
    for (std::size_t r = 0; r < 64; r += 8)
        bits |= Word{_mm512_cmp_pd_mask(_mm512_loadu_pd(values + r), most, _CMP_LE_OQ)} << r;
    return bits;
}

constexpr Kernels kernels() {
    Kernels all = make_kernels("avx512", Losses{});
    all.at_most = at_most_masked;
    all.constant_columns = constant_columns_masked;
    return all;
}

}  // namespace

extern const Kernels avx512_kernels;
const Kernels avx512_kernels = kernels();

}  // namespace splitsecond
