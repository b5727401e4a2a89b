// Body of the kernels, included by one source file per instruction set with `Vector` defined there.
//
// Only plain loops, intrinsics and internal linkage here: an inline function of the standard library
// instantiated in a file compiled for AVX-512 could be chosen by the linker for every other file.
#pragma once

#include <cstring>

#include "kernels/criterion_body.hpp"
#include "kernels/kernels.hpp"
#include "kernels/loss_body.hpp"

namespace splitsecond {
namespace {

// ---- counting -------------------------------------------------------------------------------------

template <int Rows, int Vectors>
inline void count_tile(const Stretch* stretches, std::size_t n_stretches, std::size_t stride, std::size_t i,
                       std::size_t j, Count* out) {
    Vector sum[Rows][Vectors];  // in units of the stretch's weight
    const auto for_all = [&](const auto& change) {
        for (int r = 0; r < Rows; ++r)
            for (int v = 0; v < Vectors; ++v) change(sum[r][v], r, v);
    };
    for_all([](Vector& each, int, int) { each = Vector::zero(); });
    for (std::size_t s = 0; s < n_stretches; ++s) {
        const Stretch& here = stretches[s];
        for (std::size_t w = 0; w < here.n_words; ++w) {
            const Word* words = here.data + w * stride;
            Vector column[Vectors];
            for (int v = 0; v < Vectors; ++v) column[v] = Vector::load(words + j + v * Vector::lanes);
            for (int r = 0; r < Rows; ++r) {
                const Vector row = Vector::broadcast(words[i + r]);
                for (int v = 0; v < Vectors; ++v) sum[r][v].add_popcount_of_and(row, column[v]);
            }
        }
        const bool last = s + 1 == n_stretches;
        if (!last && here.weight % stretches[s + 1].weight == 0) {
            const Count ratio = here.weight / stretches[s + 1].weight;
            if (ratio > 1) for_all([=](Vector& each, int, int) { each.multiply(ratio); });
        } else {
            for_all([=](Vector& each, int r, int v) {
                each.add_to(out + (i + r) * stride + j + v * Vector::lanes, here.weight);
                each = Vector::zero();
            });
        }
    }
}

void pair_counts(const Stretch* stretches, std::size_t n_stretches, std::size_t stride, std::size_t row_begin,
                 std::size_t row_end, Count* out) {
    constexpr int kRows = Vector::tile_rows;
    constexpr std::size_t kStep = Vector::lanes;
    for (std::size_t i = row_begin; i < row_end; i += kRows) {
        std::size_t j = i - i % kStep;
        for (; j + 2 * kStep <= stride; j += 2 * kStep)
            count_tile<kRows, 2>(stretches, n_stretches, stride, i, j, out);
        if (j < stride) count_tile<kRows, 1>(stretches, n_stretches, stride, i, j, out);
    }
}

// Counts all columns over the rows in mask_at(w), eight vectors of columns in a pass.
template <int Vectors, class MaskAt>
inline void count_columns(const Word* data, std::size_t stride, std::size_t n_words, const MaskAt& mask_at,
                          Count multiplier, Count* out) {
    Vector sum[Vectors];
    for (int v = 0; v < Vectors; ++v) sum[v] = Vector::zero();
    for (std::size_t w = 0; w < n_words; ++w) {
        const Word mask = mask_at(w);
        if (mask == 0) continue;
        const Vector rows = Vector::broadcast(mask);
        const Word* words = data + w * stride;
        for (int v = 0; v < Vectors; ++v)
            sum[v].add_popcount_of_and(rows, Vector::load(words + v * Vector::lanes));
    }
    for (int v = 0; v < Vectors; ++v) sum[v].add_to(out + v * Vector::lanes, multiplier);
}

template <class MaskAt>
inline std::size_t count_some_columns(const Word* data, std::size_t stride, std::size_t first,
                                      std::size_t n_words, const MaskAt& mask_at, Count multiplier,
                                      Count* out) {
    data += first;
    out += first;
    switch ((stride - first) / Vector::lanes) {
        case 1: return count_columns<1>(data, stride, n_words, mask_at, multiplier, out), stride;
        case 2: return count_columns<2>(data, stride, n_words, mask_at, multiplier, out), stride;
        case 3: return count_columns<3>(data, stride, n_words, mask_at, multiplier, out), stride;
        case 4: return count_columns<4>(data, stride, n_words, mask_at, multiplier, out), stride;
        case 5: return count_columns<5>(data, stride, n_words, mask_at, multiplier, out), stride;
        case 6: return count_columns<6>(data, stride, n_words, mask_at, multiplier, out), stride;
        case 7: return count_columns<7>(data, stride, n_words, mask_at, multiplier, out), stride;
        default: count_columns<8>(data, stride, n_words, mask_at, multiplier, out);
    }
    return first + 8 * Vector::lanes;
}

void split_rows(const Word* data, std::size_t stride, std::size_t n_words, const Word* rows, std::size_t ones,
                std::size_t feature, Count multiplier, Word* yes, Word* no, Count* counts) {
    const auto choose = [=](std::size_t w) {
        const Word* words = data + w * stride;
        const Word present = rows == nullptr ? words[ones] : rows[w];
        const Word chosen = present & words[feature];
        yes[w] = chosen;
        no[w] = present ^ chosen;
        return chosen;
    };
    const auto chosen_before = [=](std::size_t w) { return yes[w]; };
    std::size_t column = count_some_columns(data, stride, 0, n_words, choose, multiplier, counts);
    while (column < stride)
        column = count_some_columns(data, stride, column, n_words, chosen_before, multiplier, counts);
}

void count_path(const Word* data, std::size_t stride, std::size_t n_words, const std::int32_t* literals,
                std::size_t n_literals, std::size_t ones, Count multiplier, Word* mask, Count* counts) {
    const auto choose = [=](std::size_t w) {
        const Word* words = data + w * stride;
        Word chosen = words[ones];
        for (std::size_t i = 0; i < n_literals; ++i) {
            if (literals[i] < 0) continue;
            const Word lacks = (literals[i] & 1) != 0 ? 0 : ~Word{0};
            chosen &= words[literals[i] >> 1] ^ lacks;
        }
        mask[w] = chosen;
        return chosen;
    };
    const auto chosen_before = [=](std::size_t w) { return mask[w]; };
    std::size_t column = count_some_columns(data, stride, 0, n_words, choose, multiplier, counts);
    while (column < stride)
        column = count_some_columns(data, stride, column, n_words, chosen_before, multiplier, counts);
}

// ---- packing --------------------------------------------------------------------------------------

// Exchanges bits between words `distance` apart: one stage of the transposition below.
inline void exchange_bits(Word* block, std::size_t distance, int shift, Word mask) {
    for (std::size_t base = 0; base < 64; base += 2 * distance)
        for (std::size_t i = base; i < base + distance; ++i) {
            const Word swapped = ((block[i] >> shift) ^ block[i + distance]) & mask;
            block[i] ^= swapped << shift;
            block[i + distance] ^= swapped;
        }
}

inline void turn_words(const Word* from, Word* to) {
    for (std::size_t a = 0; a < 8; ++a)
        for (std::size_t b = 0; b < 8; ++b) to[b * 8 + a] = from[a * 8 + b];
}

// Bit c of word r becomes bit r of word c (Hacker's Delight, 7-3). The words are turned halfway, so that
// every stage works on runs of at least eight neighbours and fills vectors.
void transpose(Word* block) {
    exchange_bits(block, 32, 32, 0x00000000FFFFFFFFu);
    exchange_bits(block, 16, 16, 0x0000FFFF0000FFFFu);
    exchange_bits(block, 8, 8, 0x00FF00FF00FF00FFu);
    Word turned[64];
    turn_words(block, turned);
    exchange_bits(turned, 32, 4, 0x0F0F0F0F0F0F0F0Fu);
    exchange_bits(turned, 16, 2, 0x3333333333333333u);
    exchange_bits(turned, 8, 1, 0x5555555555555555u);
    turn_words(turned, block);
}

bool pack_bytes(const std::uint8_t* const* rows, std::size_t n_rows, std::size_t width, Word* out) {
    Word block[64] = {};
    bool binary = true;
    for (std::size_t r = 0; r < n_rows; ++r) binary &= bits_of_bytes(rows[r], width, block[r]);
    transpose(block);
    for (std::size_t j = 0; j < width; ++j) out[j] = block[j];
    return binary;
}

// ---- gathering rows -------------------------------------------------------------------------------

inline int bits_in(Word x) {
    x -= (x >> 1) & 0x5555555555555555u;
    x = (x & 0x3333333333333333u) + ((x >> 2) & 0x3333333333333333u);
    x = (x + (x >> 4)) & 0x0f0f0f0f0f0f0f0fu;
    return static_cast<int>((x * 0x0101010101010101u) >> 56);
}

std::size_t count_bits(const Word* words, std::size_t n_words) {
    Word bits = 0;
    for (std::size_t w = 0; w < n_words; ++w) bits += static_cast<Word>(bits_in(words[w]));
    return bits;
}

// Columns begin .. begin + n - 1 of the chosen (all when null), each word changed; those that are not there
// are zero.
template <class Change>
inline void load_columns(const Word* words, const std::uint32_t* columns, std::size_t n_columns,
                         std::size_t begin, std::size_t n, Word* block, const Change& change) {
    if (columns == nullptr) {  // n is a multiple of kLanes: strides are
        for (std::size_t j = 0; j < n; j += kLanes)
            for (std::size_t lane = 0; lane < kLanes; ++lane)
                block[j + lane] = change(words[begin + j + lane]);
        return;
    }
    const std::size_t left = n_columns > begin ? n_columns - begin : 0;
    const std::size_t there = left < n ? left : n;
    std::size_t j = 0;
    for (; j + kLanes <= there; j += kLanes)
        for (std::size_t lane = 0; lane < kLanes; ++lane)
            block[j + lane] = change(words[columns[begin + j + lane]]);
    for (; j < there; ++j) block[j] = change(words[columns[begin + j]]);
    for (; j < n; ++j) block[j] = 0;
}

void compress(const Word* data, std::size_t stride, const Word* mask, std::size_t n_words,
              const std::uint32_t* columns, std::size_t n_columns, Word* out, std::size_t out_stride,
              int offset) {
    constexpr std::size_t kBlock = 64;
    for (std::size_t w = 0; w < n_words; ++w) {
        if (mask[w] == 0) continue;
        const Compressor moves(mask[w]);
        const int bits = bits_in(mask[w]);
        for (std::size_t begin = 0; begin < out_stride; begin += kBlock) {
            const std::size_t n = out_stride - begin < kBlock ? out_stride - begin : kBlock;
            Word block[kBlock];  // local, so that the compiler knows it overlaps nothing
            const Word* words = data + w * stride;
            if (mask[w] == ~Word{0})  // a heavy child has most words whole
                load_columns(words, columns, n_columns, begin, n, block, [](Word word) { return word; });
            else
                load_columns(words, columns, n_columns, begin, n, block, moves);
            Word* filled = out + begin;
            if (offset == 0) {
                for (std::size_t j = 0; j < n; ++j) filled[j] = block[j];
            } else {
                for (std::size_t j = 0; j < n; ++j) filled[j] |= block[j] << offset;
            }
            if (offset + bits > 64)
                for (std::size_t j = 0; j < n; ++j) filled[out_stride + j] = block[j] >> (64 - offset);
        }
        offset += bits;
        if (offset >= 64) {
            offset -= 64;
            out += out_stride;
        }
    }
}

// Whole vectors, with cells that are never read: what those hold may overflow, so the numbers wrap around.
void subtract(const Count* all, const Count* part, std::size_t n, Count* rest) {
    for (std::size_t i = 0; i < n; ++i)
        rest[i] =
            static_cast<Count>(static_cast<std::uint32_t>(all[i]) - static_cast<std::uint32_t>(part[i]));
}

// ---- bounds and constant columns ------------------------------------------------------------------

void raise_bounds(const Neighbours& f, std::int64_t* lower_yes, std::int64_t* lower_no) {
    constexpr std::size_t kBlock = 64;
    for (std::size_t begin = 0; begin < f.n_features; begin += kBlock) {
        const std::size_t n = f.n_features - begin < kBlock ? f.n_features - begin : kBlock;
        Count with[kBlock] = {}, both[kBlock] = {};
        for (std::size_t c = 0; c < f.n_classes; ++c)
            for (std::size_t j = 0; j < n; ++j) {
                with[j] += f.single[c * f.step + begin + j];
                both[j] += f.yes_single[c * f.step + begin + j];
            }
        std::int64_t yes[kBlock], no[kBlock];  // local, so that the compiler knows they overlap nothing
        for (std::size_t j = 0; j < n; ++j) {
            const std::int64_t g = with[j], in_both = both[j];
            yes[j] = larger(f.yes - f.max_row_cost * (f.with - in_both),
                            f.no - f.max_row_cost * (f.all - f.with - g + in_both));
            no[j] = larger(f.yes - f.max_row_cost * in_both, f.no - f.max_row_cost * (g - in_both));
        }
        for (std::size_t j = 0; j < n; ++j) lower_yes[begin + j] = larger(lower_yes[begin + j], yes[j]);
        for (std::size_t j = 0; j < n; ++j) lower_no[begin + j] = larger(lower_no[begin + j], no[j]);
    }
}

void constant_columns(const Count* single, std::size_t step, std::size_t n_classes, Count all,
                      std::size_t width, Word& none_has, Word& all_have) {
    Count with[64] = {};
    for (std::size_t c = 0; c < n_classes; ++c)
        for (std::size_t j = 0; j < width; ++j) with[j] += single[c * step + j];
    std::uint8_t is_none[64], is_all[64];
    for (std::size_t j = 0; j < 64; ++j) {
        is_none[j] = with[j] == 0;
        is_all[j] = with[j] == all;
    }
    bits_of_bytes(is_none, width, none_has);
    bits_of_bytes(is_all, width, all_have);
}

template <class... LossTypes>
constexpr Kernels make_kernels(const char* name, LossList<LossTypes...>) {
    return {name,       pack_bytes, transpose, pair_counts,  split_rows,       count_path,
            count_bits, compress,   subtract,  raise_bounds, constant_columns, {&kLossKernels<LossTypes>...}};
}

}  // namespace
}  // namespace splitsecond
