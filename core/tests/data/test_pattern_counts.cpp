// Counts of patterns, against a map of the rows themselves: whatever the blocks, their order, and what is merged.
#include "data/pattern_counts.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <stdexcept>
#include <tuple>
#include <utility>
#include <vector>

#include "support/check.hpp"
#include "support/data.hpp"

namespace splitsecond {
namespace {

constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max();

// A block of rows as it is added: bits by column, keys, and two sums, one of them counting.
struct Block {
    std::size_t n_rows = 0;
    std::vector<std::vector<Word>> bits;
    std::vector<std::int32_t> keys;
    std::vector<std::int64_t> values;

    void add_to(PatternCounts& counts) const {
        std::vector<const Word*> columns;
        for (const auto& column : bits) columns.push_back(column.data());
        const std::int64_t* sums[] = {nullptr, values.data()};
        counts.add(columns.data(), n_rows, keys.data(), sums);
    }
};

Block random_block(Random& random, std::size_t n_rows, std::size_t n_columns, std::size_t n_patterns) {
    Block block;
    block.n_rows = n_rows;
    block.bits.assign(n_columns, std::vector<Word>((n_rows + 63) / 64, 0));
    for (std::size_t i = 0; i < n_rows; ++i) {
        Random pattern(random.below(n_patterns));
        for (auto& column : block.bits) column[i / 64] |= (pattern.word() & 1) << i % 64;
        block.keys.push_back(static_cast<std::int32_t>(random.below(4)) - 1);
        block.values.push_back(static_cast<std::int64_t>(random.below(2000)) - 1000);
    }
    // What stands behind the last row does not matter.
    for (auto& column : block.bits)
        if (n_rows % 64 != 0 && random.chance(50)) column.back() |= ~Word{0} << n_rows % 64;
    return block;
}

// The words of a pattern and its key: rows, and the sum of their values.
using Entry = std::tuple<std::vector<Word>, std::int32_t>;
using Expected = std::map<Entry, std::pair<std::int64_t, std::int64_t>>;

Expected expected_of(const std::vector<Block>& blocks, std::size_t n_columns) {
    Expected expected;
    for (const Block& block : blocks)
        for (std::size_t i = 0; i < block.n_rows; ++i) {
            if (block.keys[i] < 0) continue;
            std::vector<Word> words((n_columns + 63) / 64, 0);
            for (std::size_t j = 0; j < n_columns; ++j)
                words[j / 64] |= (block.bits[j][i / 64] >> i % 64 & 1) << j % 64;
            auto& sums = expected[{words, block.keys[i]}];
            ++sums.first;
            sums.second += block.values[i];
        }
    return expected;
}

// A map is in the order of entries.
void check_patterns(const Patterns& patterns, const Expected& expected, std::size_t n_columns) {
    CHECK_EQ(patterns.n_columns, n_columns);
    CHECK_EQ(patterns.n_entries(), expected.size());
    CHECK_EQ(patterns.columns.size(), n_columns * patterns.n_words());
    CHECK_EQ(patterns.sums.size(), 2 * expected.size());
    if (check::failures() > 0) return;
    std::vector<Word> columns(patterns.columns.size(), 0);
    std::size_t i = 0;
    for (const auto& [entry, sums] : expected) {
        const auto& [words, key] = entry;
        CHECK_EQ(patterns.keys[i], key);
        CHECK_EQ(patterns.sums[i], sums.first);
        CHECK_EQ(patterns.sums[expected.size() + i], sums.second);
        for (std::size_t j = 0; j < n_columns; ++j)
            columns[j * patterns.n_words() + i / 64] |= (words[j / 64] >> j % 64 & 1) << i % 64;
        ++i;
    }
    CHECK(patterns.columns == columns);
}

void test_blocks(Random& random) {
    for (const Kernels* kernels : available_kernels())
        for (const std::size_t n_columns : {0, 1, 6, 64, 65, 130})
            for (const std::size_t n_patterns : {1, 40, 100000}) {
                const check::Context context(kernels->name, ": ", n_columns, " columns, ", n_patterns,
                                             " patterns");
                std::vector<Block> blocks;
                for (const std::size_t n_rows : {0, 1, 63, 64, 65, 700, 3000})
                    blocks.push_back(random_block(random, n_rows, n_columns, n_patterns));
                Limits limits;
                {
                    PatternCounts counts(*kernels, n_columns, 2, limits),
                        other(*kernels, n_columns, 2, limits);
                    for (std::size_t i = 0; i < blocks.size(); ++i)
                        blocks[i].add_to(i % 3 == 0 ? other : counts);
                    check_patterns(PatternCounts(*kernels, n_columns, 2, limits).result(), {}, n_columns);
                    counts.merge(other);
                    check_patterns(counts.result(), expected_of(blocks, n_columns), n_columns);
                    // The other way round, where some is known already.
                    other.merge(counts);
                    std::vector<Block> twice = blocks;
                    for (std::size_t i = 0; i < blocks.size(); i += 3) twice.push_back(blocks[i]);
                    check_patterns(other.result(), expected_of(twice, n_columns), n_columns);
                }
                CHECK(limits.holds_nothing());
            }
}

void test_overflow() {
    Limits limits;
    const Kernels& kernels = find_kernels("auto");
    PatternCounts counts(kernels, 0, 2, limits), other(kernels, 0, 2, limits), low(kernels, 0, 2, limits);
    const auto block = [](std::int64_t value) { return Block{1, {}, {0}, {value}}; };
    block(kMax).add_to(counts);
    block(1).add_to(other);
    block(-kMax - 1).add_to(low);
    const auto value_of = [](const PatternCounts& of) { return std::int64_t{of.result().sums[1]}; };
    CHECK_EQ(value_of(counts), kMax);
    CHECK_THROWS(block(-1).add_to(low), std::overflow_error);
    CHECK_THROWS(low.result(), std::logic_error);
    CHECK_THROWS(counts.merge(other), std::overflow_error);
    CHECK_THROWS(counts.result(), std::logic_error);
    CHECK_THROWS(block(-1).add_to(counts), std::logic_error);
    CHECK_THROWS(other.merge(counts), std::logic_error);
    CHECK_EQ(value_of(other), 1);
}

void test_refused_merges() {
    Limits limits;
    const Kernels& kernels = find_kernels("auto");
    PatternCounts counts(kernels, 3, 2, limits);
    CHECK_THROWS(counts.merge(counts), std::invalid_argument);
    CHECK_THROWS(counts.merge(PatternCounts(kernels, 4, 2, limits)), std::invalid_argument);
    CHECK_THROWS(counts.merge(PatternCounts(kernels, 3, 1, limits)), std::invalid_argument);
    CHECK_EQ(counts.result().n_entries(), 0u);
}

void test_memory(Random& random) {
    const Block block = random_block(random, 20000, 70, std::size_t{1} << 40);
    const Kernels& kernels = find_kernels("auto");
    Limits unlimited;
    const auto counted = [&](Limits& limits) {
        PatternCounts counts(kernels, 70, 2, limits);
        block.add_to(counts);
        return counts.result();
    };
    const Patterns expected = counted(unlimited);
    const std::size_t peak = unlimited.peak_bytes();
    CHECK_LE(expected.n_entries() * (3 + 2) * sizeof(Word), peak);
    for (const std::size_t bytes : {peak / 100, peak / 3, peak - 1}) {
        Limits limits(Limits::kNoDeadline, bytes);
        CHECK_THROWS(counted(limits), LimitReached);
        CHECK(limits.holds_nothing());
    }
    Limits enough(Limits::kNoDeadline, peak);
    CHECK(counted(enough).columns == expected.columns);
}

}  // namespace
}  // namespace splitsecond

int main() {
    using namespace splitsecond;
    Random random(31);
    test_blocks(random);
    test_overflow();
    test_refused_merges();
    test_memory(random);
    return check::report();
}
