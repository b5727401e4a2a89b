// Every path of kernels against naive loops; the entropies bit for bit between paths. The loops that know a loss are
// in losses/test_objective.cpp.
#include "kernels/kernels.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <memory>
#include <numeric>
#include <stdexcept>
#include <vector>

#include "support/check.hpp"
#include "support/data.hpp"

#if __has_include(<sys/mman.h>) && __has_include(<unistd.h>)
#include <sys/mman.h>
#include <unistd.h>
#define SPLITSECOND_GUARD_PAGES
#endif

namespace splitsecond {
namespace {

// Words of one of a few kinds, so that all-zero and all-one masks come up too.
std::vector<Word> random_words(Random& random, std::size_t n) {
    std::vector<Word> words(n);
    for (Word& word : words) {
        const std::size_t kind = random.below(6);
        word = random.word();
        if (kind == 0) word = 0;
        if (kind == 1) word = ~Word{0};
        if (kind == 2) word &= random.word() & random.word();
        if (kind == 3) word |= random.word() | random.word();
    }
    return words;
}

std::vector<Count> random_counts(Random& random, std::size_t n) {
    std::vector<Count> counts(n);
    for (Count& count : counts) count = static_cast<Count>(random.below(1000));
    return counts;
}

void test_names() {
    const std::vector<const Kernels*> paths = available_kernels();
    CHECK(!paths.empty());
    CHECK(std::strcmp(paths.front()->name, "portable") == 0);
    for (const Kernels* path : paths) CHECK_EQ(&find_kernels(path->name), path);
    CHECK_EQ(&find_kernels("auto"), paths.back());
    CHECK_THROWS(find_kernels("abacus"), std::invalid_argument);
    CHECK_THROWS(find_kernels(""), std::invalid_argument);
}

// ---- packing --------------------------------------------------------------------------------------

void check_packed(const Kernels& kernels, const std::vector<const std::uint8_t*>& rows, std::size_t width) {
    std::vector<Word> out(width, 0xABABABABABABABABu);
    CHECK(kernels.pack_bytes(rows.data(), rows.size(), width, out.data()));
    for (std::size_t j = 0; j < width; ++j) {
        Word expected = 0;
        for (std::size_t r = 0; r < rows.size(); ++r) expected |= Word{rows[r][j]} << r;
        CHECK_EQ(out[j], expected);
    }
}

// Each row is an allocation of its own and ends with it: nothing behind it may be read.
void test_pack_bytes(const Kernels& kernels, Random& random) {
    for (std::size_t width = 1; width <= 64; ++width)
        for (const std::size_t n_rows : {0, 1, 2, 7, 8, 33, 63, 64}) {
            const check::Context context("width ", width, ", ", n_rows, " rows");
            const std::size_t skip = random.below(9);
            const std::size_t kind = random.below(4);
            std::vector<std::unique_ptr<std::uint8_t[]>> memory;
            std::vector<const std::uint8_t*> rows;
            for (std::size_t r = 0; r < n_rows; ++r) {
                memory.push_back(std::make_unique<std::uint8_t[]>(skip + width));
                rows.push_back(memory.back().get() + skip);
                std::fill_n(memory.back().get(), skip, std::uint8_t{0xFF});
                for (std::size_t j = 0; j < width; ++j)
                    memory.back()[skip + j] = kind == 0 ? 0 : kind == 1 ? 1 : random.word() & 1;
            }
            check_packed(kernels, rows, width);
            if (n_rows == 0) continue;
            std::vector<Word> out(width);
            std::uint8_t& cell = memory[random.below(n_rows)][skip + random.below(width)];
            for (const int bad : {2, 3, 4, 16, 127, 128, 129, 254, 255}) {
                const std::uint8_t good = cell;
                cell = static_cast<std::uint8_t>(bad);
                CHECK(!kernels.pack_bytes(rows.data(), n_rows, width, out.data()));
                cell = good;
            }
        }
}

// The same at the end of a page, before one that cannot be read: instructions the sanitizer does not see.
void test_pack_bytes_at_page_end([[maybe_unused]] const Kernels& kernels) {
#if defined(SPLITSECOND_GUARD_PAGES)
    const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    void* memory = mmap(nullptr, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) return;
    auto* end = static_cast<std::uint8_t*>(memory) + page;
    CHECK_EQ(mprotect(end, page, PROT_NONE), 0);
    for (std::size_t i = 1; i <= 64; ++i) end[-static_cast<std::ptrdiff_t>(i)] = i % 3 == 0;
    for (std::size_t width = 1; width <= 64; ++width)
        check_packed(kernels, std::vector<const std::uint8_t*>(64, end - width), width);
    munmap(memory, 2 * page);
#endif
}

void test_transpose(const Kernels& kernels, Random& random) {
    for (int repeat = 0; repeat < 20; ++repeat) {
        const std::vector<Word> before = random_words(random, 64);
        std::vector<Word> after = before;
        kernels.transpose(after.data());
        for (std::size_t r = 0; r < 64; ++r)
            for (std::size_t c = 0; c < 64; ++c) CHECK_EQ((after[c] >> r) & 1, (before[r] >> c) & 1);
        kernels.transpose(after.data());
        CHECK(after == before);
    }
}

void test_at_most(const Kernels& kernels, Random& random) {
    const std::vector<double> choices = {0.0,
                                         -0.0,
                                         1.0,
                                         -1.5,
                                         1e300,
                                         std::nan(""),
                                         std::numeric_limits<double>::infinity(),
                                         -std::numeric_limits<double>::infinity()};
    for (int repeat = 0; repeat < 50; ++repeat) {
        double values[64];
        for (double& value : values) value = random.one_of(choices);
        for (const double threshold : choices) {
            const Word bits = kernels.at_most(values, threshold);
            for (std::size_t r = 0; r < 64; ++r) CHECK_EQ((bits >> r) & 1, Word{values[r] <= threshold});
        }
    }
}

// ---- counting -------------------------------------------------------------------------------------

void test_pair_counts(const Kernels& kernels, Random& random) {
    for (std::size_t stride = 8; stride <= 144; stride += 8)
        for (const std::size_t n_words : {0, 1, 2, 3, 9}) {
            const check::Context context("stride ", stride, ", ", n_words, " words");
            const std::vector<Word> data = random_words(random, n_words * stride);
            std::vector<Stretch> stretches;  // some of them empty
            std::vector<Count> weights;      // of each word
            while (weights.size() < n_words || random.chance(30)) {
                const std::size_t n = random.between(0, n_words - weights.size());
                const Count weight = random.one_of<Count>({1, 2, 3, 4, 12, 1000, 65537});
                stretches.push_back({data.data() + weights.size() * stride, n, weight});
                weights.insert(weights.end(), n, weight);
            }
            const std::size_t begin = 8 * random.below(stride / 8);
            const std::size_t end = random.between(begin, stride - 1);
            const std::vector<Count> before = random_counts(random, stride * stride);
            std::vector<Count> out = before;
            kernels.pair_counts(stretches.data(), stretches.size(), stride, begin, end, out.data());
            for (std::size_t i = 0; i < stride; ++i)
                for (std::size_t j = 0; j < stride; ++j) {
                    const bool counted = i >= begin && i < end && j >= i;
                    const bool untouched = i < begin || i >= (end + 7) / 8 * 8;
                    if (!counted && !untouched) continue;
                    Count expected = before[i * stride + j];
                    for (std::size_t w = 0; counted && w < n_words; ++w)
                        expected += weights[w] * std::popcount(data[w * stride + i] & data[w * stride + j]);
                    CHECK_EQ(out[i * stride + j], expected);
                }
        }
}

void test_split_rows(const Kernels& kernels, Random& random) {
    for (std::size_t stride = 8; stride <= 208; stride += 8)
        for (const std::size_t n_words : {0, 1, 2, 5, 17}) {
            const check::Context context("stride ", stride, ", ", n_words, " words");
            const std::vector<Word> data = random_words(random, n_words * stride);
            const std::vector<Word> chosen = random_words(random, n_words);
            const Word* rows = random.chance(50) ? chosen.data() : nullptr;
            const std::size_t ones = random.below(stride), feature = random.below(stride);
            const Count multiplier = random.one_of<Count>({1, 2, 3, 1000, 65537});
            const std::vector<Count> before = random_counts(random, stride);
            std::vector<Count> counts = before;
            std::vector<Word> yes(n_words, 0xABAB), no(n_words, 0xABAB);
            kernels.split_rows(data.data(), stride, n_words, rows, ones, feature, multiplier, yes.data(),
                               no.data(), counts.data());
            std::vector<Count> expected = before;
            for (std::size_t w = 0; w < n_words; ++w) {
                const Word* words = data.data() + w * stride;
                const Word present = rows == nullptr ? words[ones] : rows[w];
                CHECK_EQ(yes[w], present & words[feature]);
                CHECK_EQ(no[w], present & ~words[feature]);
                for (std::size_t j = 0; j < stride; ++j)
                    expected[j] += multiplier * std::popcount(present & words[feature] & words[j]);
            }
            CHECK(counts == expected);
        }
}

// ---- gathering rows -------------------------------------------------------------------------------

void check_compressed(const Kernels& kernels, Random& random, std::size_t stride, std::size_t n_words,
                      int offset, bool all_columns) {
    const std::vector<Word> data = random_words(random, n_words * stride);
    std::vector<Word> mask = random_words(random, n_words);
    if (random.chance(10)) std::fill(mask.begin(), mask.end(), Word{0});
    if (random.chance(10)) std::fill(mask.begin(), mask.end(), ~Word{0});
    std::vector<std::uint32_t> columns;
    for (std::uint32_t j = 0; j < stride; ++j)
        if (all_columns || random.chance(60)) columns.push_back(j);
    const std::size_t out_stride =
        all_columns ? stride : std::max<std::size_t>(8, (columns.size() + 7) / 8 * 8);

    std::size_t rows = static_cast<std::size_t>(offset);
    for (const Word word : mask) rows += static_cast<std::size_t>(std::popcount(word));
    const std::size_t out_words = (rows + 63) / 64;
    std::vector<Word> out = random_words(random, out_words * out_stride);  // memory not cleared
    if (offset > 0)
        for (std::size_t j = 0; j < out_stride; ++j) out[j] &= (Word{1} << offset) - 1;

    std::vector<Word> expected(out_words * out_stride, 0);
    if (offset > 0) std::copy_n(out.begin(), out_stride, expected.begin());
    std::size_t row = static_cast<std::size_t>(offset);
    for (std::size_t r = 0; r < 64 * n_words; ++r) {
        if ((mask[r / 64] >> (r % 64) & 1) == 0) continue;
        for (std::size_t j = 0; j < columns.size(); ++j)
            expected[row / 64 * out_stride + j] |= (data[r / 64 * stride + columns[j]] >> (r % 64) & 1)
                                                   << (row % 64);
        ++row;
    }
    kernels.compress(data.data(), stride, mask.data(), n_words, all_columns ? nullptr : columns.data(),
                     all_columns ? 0 : columns.size(), out.data(), out_stride, offset);
    CHECK(out == expected);
}

void test_compress(const Kernels& kernels, Random& random) {
    for (const std::size_t stride : {8, 16, 40, 64, 72, 136})
        for (const std::size_t n_words : {0, 1, 2, 7})
            for (int offset = 0; offset < 64; offset += 1 + static_cast<int>(random.below(7)))
                for (const bool all_columns : {true, false}) {
                    const check::Context context("stride ", stride, ", ", n_words, " words, offset ", offset,
                                                 all_columns ? "" : ", some columns");
                    check_compressed(kernels, random, stride, n_words, offset, all_columns);
                }
}

// ---- counts and bounds -----------------------------------------------------------------------------

void test_subtract(const Kernels& kernels, Random& random) {
    for (std::size_t n = 0; n < 50; ++n) {
        const std::vector<Count> all = random_counts(random, n), part = random_counts(random, n);
        std::vector<Count> rest(n);
        kernels.subtract(all.data(), part.data(), n, rest.data());
        for (std::size_t i = 0; i < n; ++i) CHECK_EQ(rest[i], all[i] - part[i]);
    }
}

// Cells that are not part of a matrix may hold anything: their difference wraps around.
void test_subtract_wraps(const Kernels& kernels) {
    constexpr Count kMin = std::numeric_limits<Count>::min(), kMax = std::numeric_limits<Count>::max();
    for (const std::size_t n : {1, 7, 16, 33}) {
        const std::vector<Count> all(n, kMin), part(n, 1);
        std::vector<Count> rest(n);
        kernels.subtract(all.data(), part.data(), n, rest.data());
        CHECK(rest == std::vector<Count>(n, kMax));
        kernels.subtract(rest.data(), std::vector<Count>(n, -1).data(), n, rest.data());
        CHECK(rest == all);
    }
}

// Rows as sets: the bound for a child is the other's, less an error for each row that only the other has.
void test_raise_bounds(const Kernels& kernels, Random& random) {
    for (const std::size_t k : {1, 2, 9, 64, 70}) {
        const check::Context context(k, " features");
        const std::size_t n_rows = random.between(1, 200), n_classes = random.between(1, 3), step = k + 2;
        const std::size_t f = random.below(k);
        std::vector<std::vector<char>> has(n_rows, std::vector<char>(k));
        std::vector<Count> single(n_classes * step, 0), yes_single(n_classes * step, 0);
        for (auto& row : has) {
            const std::size_t cls = random.below(n_classes);
            for (char& cell : row) cell = random.chance(40) ? 1 : 0;
            for (std::size_t j = 0; j < k; ++j) {
                single[cls * step + j] += row[j];
                yes_single[cls * step + j] += row[j] & row[f];
            }
        }
        // How many rows are on a side of f (0: yes) but not on a side of g.
        const auto outside = [&](int side, std::size_t g, int side_of_g) {
            std::int64_t rows = 0;
            for (const auto& row : has) rows += row[f] == 1 - side && row[g] != 1 - side_of_g ? 1 : 0;
            return rows;
        };
        std::int64_t with = 0;
        for (const auto& row : has) with += row[f];
        const std::int64_t bound[2] = {static_cast<std::int64_t>(random.below(3000)),
                                       static_cast<std::int64_t>(random.below(3000))};
        const std::int64_t error = 7;
        std::vector<std::int64_t> lower[2], expected[2];
        for (int side = 0; side < 2; ++side)
            for (std::size_t j = 0; j < k; ++j) {
                lower[side].push_back(static_cast<std::int64_t>(random.below(2000)));
                std::int64_t best = lower[side][j];
                for (int other = 0; other < 2; ++other)
                    best = std::max(best, bound[other] - error * outside(other, j, side));
                expected[side].push_back(best);
            }
        kernels.raise_bounds({single.data(), yes_single.data(), step, n_classes, k,
                              static_cast<std::int64_t>(n_rows), with, bound[0], bound[1], error},
                             lower[0].data(), lower[1].data());
        for (int side = 0; side < 2; ++side) CHECK(lower[side] == expected[side]);
    }
}

void test_constant_columns(const Kernels& kernels, Random& random) {
    for (std::size_t n_classes = 1; n_classes <= 4; ++n_classes)
        for (std::size_t width = 1; width <= 64; ++width) {
            const check::Context context(n_classes, " classes, ", width, " columns");
            const std::size_t step = width + random.below(9);
            const std::vector<Count> total = random_counts(random, n_classes);
            const Count all = std::accumulate(total.begin(), total.end(), Count{0});
            std::vector<Count> single(n_classes * step, 1);  // behind the columns: to be left alone
            Word expected_none = 0, expected_all = 0;
            for (std::size_t j = 0; j < width; ++j) {
                const std::size_t kind = random.below(4);
                Count with = 0;
                for (std::size_t c = 0; c < n_classes; ++c) {
                    const auto some =
                        static_cast<Count>(random.below(static_cast<std::size_t>(total[c]) + 1));
                    single[c * step + j] = kind == 0 ? 0 : kind == 1 ? total[c] : some;
                    with += single[c * step + j];
                }
                if (with == 0) expected_none |= Word{1} << j;
                if (with == all) expected_all |= Word{1} << j;
            }
            Word none_has, all_have;
            kernels.constant_columns(single.data(), step, n_classes, all, width, none_has, all_have);
            CHECK_EQ(none_has, expected_none);
            CHECK_EQ(all_have, expected_all);
        }
}

void test_count_bits(const Kernels& kernels, Random& random) {
    for (std::size_t n = 0; n < 40; ++n) {
        const std::vector<Word> words = random_words(random, n);
        std::size_t expected = 0;
        for (const Word word : words)
            for (int bit = 0; bit < 64; ++bit) expected += word >> bit & 1;
        CHECK_EQ(kernels.count_bits(words.data(), n), expected);
    }
}

// ---- entropy --------------------------------------------------------------------------------------

long double x_log2_x(long double x) { return x > 0 ? x * std::log2(x) : 0; }

// Class counts with a given sum; every other is zero now and then.
std::vector<Count> random_totals(Random& random, std::size_t n_classes, Count sum) {
    std::vector<Count> totals(n_classes, 0);
    for (std::size_t c = 0; c + 1 < n_classes; ++c) {
        const auto part = random.chance(15) ? 0 : random.below(static_cast<std::size_t>(sum) + 1);
        totals[c] = static_cast<Count>(part);
        sum -= totals[c];
    }
    totals.back() = sum;
    return totals;
}

// Entropy is what greedy chooses by under 0-1 loss.
double split_entropies(const Kernels& kernels, const FeatureCounts& counts, double* entropy) {
    const Objective objective;
    return kernels.of(objective).split_criteria(objective, counts, entropy).minimum;
}

void check_entropies(const std::vector<const Kernels*>& paths, Random& random, std::size_t n_classes,
                     std::size_t k, Count sum) {
    const std::vector<Count> total = random_totals(random, n_classes, sum);
    const std::size_t step = k + random.below(9);
    std::vector<Count> single(n_classes * step, 0);
    for (std::size_t j = 0; j < k; ++j) {
        const std::size_t kind = random.below(8);  // a side may be empty
        for (std::size_t c = 0; c < n_classes; ++c) {
            const auto part = static_cast<Count>(random.below(static_cast<std::size_t>(total[c]) + 1));
            single[c * step + j] = kind == 0 ? 0 : kind == 1 ? total[c] : part;
        }
    }
    std::vector<double> first(k), entropy(k, -1);
    const double least =
        split_entropies(*paths[0], {single.data(), step, total.data(), n_classes, k}, first.data());
    CHECK_EQ(least, *std::min_element(first.begin(), first.end()));
    const long double weight = static_cast<long double>(sum);
    const double tolerance =
        static_cast<double>(4 * static_cast<double>(n_classes + 1) * std::numeric_limits<double>::epsilon() *
                            (1 + x_log2_x(weight)));
    for (std::size_t j = 0; j < k; ++j) {
        long double inside = 0, spent = 0;
        for (std::size_t c = 0; c < n_classes; ++c) {
            const auto with = static_cast<long double>(single[c * step + j]);
            inside += with;
            spent += x_log2_x(with) + x_log2_x(static_cast<long double>(total[c]) - with);
        }
        if (inside == 0 || inside == weight) {
            CHECK_EQ(first[j], std::numeric_limits<double>::infinity());
        } else {
            const long double bits = x_log2_x(inside) + x_log2_x(weight - inside) - spent;
            CHECK_LE(std::abs(first[j] - static_cast<double>(bits)), tolerance);
        }
    }
    for (const Kernels* path : paths) {
        const check::Context context(path->name);
        const double same =
            split_entropies(*path, {single.data(), step, total.data(), n_classes, k}, entropy.data());
        CHECK(std::memcmp(&same, &least, sizeof same) == 0);
        CHECK(std::memcmp(entropy.data(), first.data(), k * sizeof(double)) == 0);
    }
}

void test_split_entropies(Random& random) {
    const std::vector<const Kernels*> paths = available_kernels();
    for (std::size_t n_classes = 1; n_classes <= 5; ++n_classes)
        for (const std::size_t k : {1, 2, 7, 8, 9, 63, 64, 65, 130})
            for (const Count sum : {1, 2, 10, 1000, kEntropyTableSize - 1, kEntropyTableSize,
                                    kEntropyTableSize + 1, 1 << 24, 2147483647}) {
                const check::Context context(n_classes, " classes, ", k, " features, weight ", sum);
                check_entropies(paths, random, n_classes, k, sum);
            }
    const double none = split_entropies(*paths[0], {nullptr, 0, nullptr, 0, 0}, nullptr);
    CHECK_EQ(none, std::numeric_limits<double>::infinity());
}

void test_entropy_table() {
    const double* table = entropy_table();
    CHECK_EQ(table[0], 0.0);
    CHECK_EQ(table[1], 0.0);
    for (Count x = 2; x < kEntropyTableSize; ++x) {
        const auto expected = static_cast<double>(x_log2_x(static_cast<long double>(x)));
        CHECK_LE(std::abs(table[x] - expected), 4 * std::numeric_limits<double>::epsilon() * expected);
    }
    CHECK_EQ(entropy_table(), table);
}

}  // namespace
}  // namespace splitsecond

int main() {
    using namespace splitsecond;
    Random random(1);
    test_names();
    for (const Kernels* kernels : available_kernels()) {
        const check::Context context(kernels->name);
        if (std::endian::native == std::endian::little) {
            test_pack_bytes(*kernels, random);
            test_pack_bytes_at_page_end(*kernels);
        }
        test_at_most(*kernels, random);
        test_transpose(*kernels, random);
        test_pair_counts(*kernels, random);
        test_split_rows(*kernels, random);
        test_compress(*kernels, random);
        test_subtract(*kernels, random);
        test_subtract_wraps(*kernels);
        test_raise_bounds(*kernels, random);
        test_constant_columns(*kernels, random);
        test_count_bits(*kernels, random);
    }
    test_split_entropies(random);
    test_entropy_table();
    return check::report();
}
