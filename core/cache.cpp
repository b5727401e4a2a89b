#include "cache.hpp"

#include <algorithm>
#include <bit>
#include <utility>

namespace splitsecond {
namespace {

Word hash_of(const Subproblem& key) {
    Word hash = (Word{key.depth} << 16 | key.lookahead) * 0x9E3779B97F4A7C15u;
    for (const Word word : key.literals) {
        hash = (hash ^ word) * 0xD6E8FEB86659FD93u;
        hash ^= hash >> 32;
    }
    return hash * 0x9E3779B97F4A7C15u;
}

}  // namespace

Cache::Cache(Limits& limits) : limits_(limits) {
    for (std::size_t s = 0; s < kShards; ++s) shards_.push_back(std::make_unique<Shard>(limits_));
}

Cache::~Cache() = default;

// The slot that holds the key, or the empty one where it belongs. The table is never full.
std::size_t Cache::locate(const Shard& shard, std::uint32_t hash, const Subproblem& key) {
    const std::size_t mask = shard.slots.size() - 1;
    std::size_t slot = hash & mask;
    for (; shard.slots[slot].depth != 0; slot = (slot + 1) & mask) {
        const Entry& entry = shard.slots[slot];
        if (entry.hash == hash && entry.depth == key.depth && entry.lookahead == key.lookahead &&
            std::equal(key.literals.begin(), key.literals.end(),
                       shard.keys.data() + entry.key * key.literals.size()))
            break;
    }
    return slot;
}

std::optional<Bounds> Cache::find(const Subproblem& key) const {
    const Word hash = hash_of(key);
    const Shard& shard = *shards_[hash >> 58];
    const std::lock_guard lock(shard.mutex);
    if (shard.entries == 0) return std::nullopt;
    const Entry& entry = shard.slots[locate(shard, static_cast<std::uint32_t>(hash), key)];
    if (entry.depth == 0) return std::nullopt;
    return Bounds{entry.lower, entry.upper, entry.feature};
}

void Cache::store(const Subproblem& key, const Bounds& bounds) {
    const Word hash = hash_of(key);
    const auto low = static_cast<std::uint32_t>(hash);
    Shard& shard = *shards_[hash >> 58];
    const std::lock_guard lock(shard.mutex);
    grow(shard, key.literals.size());
    Entry& entry = shard.slots[locate(shard, low, key)];
    if (entry.depth == 0) {
        const auto place = static_cast<std::uint32_t>(shard.entries++);
        std::copy(key.literals.begin(), key.literals.end(), shard.keys.data() + place * key.literals.size());
        entry = {low, place, bounds.lower, bounds.upper, bounds.feature, key.depth, key.lookahead};
        return;
    }
    entry.lower = std::max(entry.lower, bounds.lower);
    // Between equal costs the exact result wins: its feature is the one the tie rule prescribes.
    if (bounds.upper < entry.upper || bounds.exact()) {
        entry.upper = bounds.upper;
        entry.feature = bounds.feature;
    }
}

// Makes room for one more entry: tables at most half full, both arrays growing by doubling.
void Cache::grow(Shard& shard, std::size_t key_words) {
    constexpr std::size_t kFirst = 16;  // slots
    if (2 * (shard.entries + 1) > shard.slots.size()) {
        Buffer<Entry> larger(limits_);
        larger.resize(std::max(kFirst, 2 * shard.slots.size()));
        larger.fill(Entry{});
        std::swap(larger, shard.slots);
        const std::size_t mask = shard.slots.size() - 1;
        for (std::size_t i = 0; i < larger.size(); ++i) {
            if (larger[i].depth == 0) continue;
            std::size_t slot = larger[i].hash & mask;
            while (shard.slots[slot].depth != 0) slot = (slot + 1) & mask;
            shard.slots[slot] = larger[i];
        }
    }
    if ((shard.entries + 1) * key_words > shard.keys.size()) {
        Buffer<Word> larger(limits_);
        larger.resize(std::max(kFirst / 2 * key_words, 2 * shard.keys.size()));
        std::copy_n(shard.keys.data(), shard.entries * key_words, larger.data());
        std::swap(larger, shard.keys);
    }
}

std::size_t Cache::size() const {
    std::size_t entries = 0;
    for (const auto& shard : shards_) {
        const std::lock_guard lock(shard->mutex);
        entries += shard->entries;
    }
    return entries;
}

void add_literals(const Kernels& kernels, const View& view, const Count* counts,
                  std::vector<Word>& literals) {
    constexpr std::size_t kAtOnce = 64;
    const auto all = static_cast<Count>(weight_at(view, counts, view.ones()));
    for (std::size_t begin = 0; begin < view.n_features; begin += kAtOnce) {
        Word absent, present;
        kernels.constant_columns(counts + begin, view.stride, view.n_classes, all,
                                 std::min(kAtOnce, view.n_features - begin), absent, present);
        for (Word constant = absent | present; constant != 0; constant &= constant - 1) {
            const auto j = static_cast<std::size_t>(std::countr_zero(constant));
            const std::size_t literal = 2 * view.features[begin + j] + (absent >> j & 1 ? 0 : 1);
            literals[literal / 64] |= Word{1} << (literal % 64);
        }
    }
}

}  // namespace splitsecond
