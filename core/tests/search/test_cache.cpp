// The cache of subproblems: exact keys, growth, bounds that only improve, threads, a memory budget.
#include "search/cache.hpp"

#include <algorithm>
#include <map>
#include <thread>
#include <tuple>
#include <vector>

#include "support/check.hpp"
#include "support/data.hpp"

namespace splitsecond {
namespace {

using Key = std::tuple<std::vector<Word>, std::uint16_t, std::uint16_t>;

Subproblem as_subproblem(const Key& key) { return {std::get<0>(key), std::get<1>(key), std::get<2>(key)}; }

void check_bounds(const std::optional<Bounds>& found, const Bounds& expected) {
    CHECK(found.has_value());
    if (!found) return;
    CHECK_EQ(found->lower, expected.lower);
    CHECK_EQ(found->upper, expected.upper);
    CHECK_EQ(found->feature, expected.feature);
}

// Keys that differ in one bit, in the depth or in the lookahead alone, many times what one table holds.
void test_many_keys(Random& random, std::size_t key_words, std::size_t n_keys, bool shared) {
    const check::Context context(key_words, " words a key, ", shared ? "shared" : "alone");
    Limits limits;
    Cache cache(limits, shared);
    std::map<Key, Bounds> expected;
    Key known{std::vector<Word>(key_words, 0), 1, 0};
    auto& [literals, depth, lookahead] = known;
    for (std::size_t i = 0; i < n_keys; ++i) {
        const std::size_t kind = random.below(4);
        if (kind == 0) depth = static_cast<std::uint16_t>(random.below(65536));
        if (kind == 1) lookahead = static_cast<std::uint16_t>(random.below(65536));
        if (kind > 1 && key_words > 0) literals[random.below(key_words)] ^= Word{1} << random.below(64);
        const auto feature = static_cast<std::int32_t>(random.below(100)) - 1;
        const Cost lower = static_cast<Cost>(random.below(1000));
        const Bounds bounds{lower, lower + 1 + static_cast<Cost>(random.below(1000)), feature};
        const Subproblem key = as_subproblem(known);
        if (!expected.contains(known)) {
            CHECK(!cache.find(key).has_value());
            expected[known] = bounds;
            cache.store(key, bounds);
        }
        check_bounds(cache.find(key), expected[known]);
    }
    CHECK_EQ(cache.size(), expected.size());
    for (const auto& [stored, bounds] : expected) check_bounds(cache.find(as_subproblem(stored)), bounds);
}

// Keys with equal hashes, as the hash is today: the second word undoes what the first one changed.
void test_equal_hashes(Random& random, bool shared) {
    const std::uint16_t depth = 5, lookahead = 3;
    const auto after_first = [&](Word word) {
        Word hash = (Word{depth} << 16 | lookahead) * 0x9E3779B97F4A7C15u;
        hash = (hash ^ word) * 0xD6E8FEB86659FD93u;
        return hash ^ hash >> 32;
    };
    Limits limits;
    Cache cache(limits, shared);
    std::vector<Key> keys;
    const Word target = random.word();
    for (Cost i = 0; i < 300; ++i) {
        const Word first = random.word();
        keys.push_back({{first, after_first(first) ^ target}, depth, lookahead});
        CHECK(!cache.find(as_subproblem(keys.back())).has_value());
        cache.store(as_subproblem(keys.back()), {i, i + 1, static_cast<std::int32_t>(i)});
    }
    CHECK_EQ(cache.size(), keys.size());
    for (Cost i = 0; i < 300; ++i)
        check_bounds(cache.find(as_subproblem(keys[static_cast<std::size_t>(i)])),
                     {i, i + 1, static_cast<std::int32_t>(i)});
}

void test_bounds_improve() {
    Limits limits;
    Cache cache(limits, false);
    const std::vector<Word> literals{7, 9};
    const Subproblem key{literals, 4, 2};
    cache.store(key, {10, 50, 3});
    cache.store(key, {5, 60, 1});  // worse on both sides
    check_bounds(cache.find(key), {10, 50, 3});
    cache.store(key, {20, 50, 1});  // an equal upper bound: the tree known stays
    check_bounds(cache.find(key), {20, 50, 3});
    cache.store(key, {15, 40, 8});
    check_bounds(cache.find(key), {20, 40, 8});
    cache.store(key, {40, 40, 2});  // exact: its feature is the one the tie rule prescribes
    check_bounds(cache.find(key), {40, 40, 2});
    cache.store(key, {0, kInfinite, -1});
    check_bounds(cache.find(key), {40, 40, 2});
    CHECK_EQ(cache.size(), 1u);
}

// All threads store into the same few keys; at the end the best bounds of all are there.
void test_threads() {
    constexpr std::size_t kThreads = 4, kKeys = 500, kRounds = 20;
    Limits limits;
    Cache cache(limits, true);
    const auto key_of = [](std::size_t k) { return Key{{Word{k} * 0x9E3779B97F4A7C15u, Word{k}}, 3, 3}; };
    const auto bounds_of = [](std::size_t k, std::size_t thread, std::size_t round) {
        const auto mix = static_cast<Cost>((k * 31 + thread * 17 + round * 7) % 101);
        const auto base = static_cast<Cost>(1000 * k);
        return Bounds{base + mix, base + 900 - mix, static_cast<std::int32_t>(mix)};
    };
    std::vector<std::thread> threads;
    for (std::size_t t = 0; t < kThreads; ++t)
        threads.emplace_back([&, t] {
            std::vector<Bounds> seen(kKeys);
            for (std::size_t round = 0; round < kRounds; ++round)
                for (std::size_t i = 0; i < kKeys; ++i) {
                    const std::size_t k = (i * 7 + t * 101) % kKeys;
                    cache.store(as_subproblem(key_of(k)), bounds_of(k, t, round));
                    const auto found = cache.find(as_subproblem(key_of(k)));
                    CHECK(found.has_value());
                    if (!found) continue;
                    CHECK_LE(seen[k].lower, found->lower);
                    CHECK_LE(found->upper, seen[k].upper);
                    seen[k] = *found;
                }
        });
    for (std::thread& thread : threads) thread.join();
    CHECK_EQ(cache.size(), kKeys);
    for (std::size_t k = 0; k < kKeys; ++k) {
        Bounds best;
        for (std::size_t t = 0; t < kThreads; ++t)
            for (std::size_t round = 0; round < kRounds; ++round) {
                const Bounds stored = bounds_of(k, t, round);
                best.lower = std::max(best.lower, stored.lower);
                if (stored.upper < best.upper) best.upper = stored.upper, best.feature = stored.feature;
            }
        check_bounds(cache.find(as_subproblem(key_of(k))), best);
    }
}

// When the budget is spent the cache throws, keeps what it has, and gives everything back at its end.
void test_budget(bool shared) {
    for (const std::size_t budget : {0, 100, 10000, 100000, 300000}) {
        const check::Context context("budget ", budget);
        Limits limits(Limits::kNoDeadline, budget);
        {
            Cache cache(limits, shared);
            std::size_t stored = 0;
            bool full = false;
            while (!full) {
                try {
                    cache.store(as_subproblem({{stored, ~Word{stored}}, 1, 1}),
                                {0, static_cast<Cost>(stored), 0});
                    ++stored;
                } catch (const LimitReached&) {
                    full = true;
                }
            }
            CHECK_EQ(cache.size(), stored);
            CHECK_LE(limits.peak_bytes(), budget);
            CHECK(limits.reason() == Status::memory_limit);
            for (std::size_t i = 0; i < stored; ++i)
                check_bounds(cache.find(as_subproblem({{i, ~Word{i}}, 1, 1})), {0, static_cast<Cost>(i), 0});
            CHECK(!cache.find(as_subproblem({{stored, ~Word{stored}}, 1, 1})).has_value());
        }
        limits.charge(budget);  // throws if anything was kept
    }
}

// A few entries of a very wide table take little more than themselves, however many threads there may be.
void test_wide_keys(bool shared) {
    constexpr std::size_t kKeyWords = 1000, kEntries = 20;
    Limits limits;
    Cache cache(limits, shared);
    for (std::size_t i = 0; i < kEntries; ++i)
        cache.store(as_subproblem({std::vector<Word>(kKeyWords, i), 1, 1}), {0, 1, 0});
    CHECK_EQ(cache.size(), kEntries);
    CHECK_LE(limits.peak_bytes(), 2 * (kEntries + 16) * kKeyWords * sizeof(Word));
}

}  // namespace
}  // namespace splitsecond

int main() {
    using namespace splitsecond;
    Random random(4);
    for (const bool shared : {false, true}) {
        test_many_keys(random, 0, 5000, shared);
        test_many_keys(random, 1, 30000, shared);
        test_many_keys(random, 3, 60000, shared);
        test_equal_hashes(random, shared);
        test_budget(shared);
        test_wide_keys(shared);
    }
    test_bounds_improve();
    test_threads();
    return check::report();
}
