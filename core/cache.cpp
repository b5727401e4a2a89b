#include "cache.hpp"

#include <algorithm>
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
std::size_t Cache::locate(const Shard& shard, Word hash, const Subproblem& key) const {
    const std::size_t mask = shard.slots.size() - 1;
    std::size_t slot = hash & mask;
    for (; shard.slots[slot].used; slot = (slot + 1) & mask) {
        const Entry& entry = shard.slots[slot];
        if (entry.hash == hash && entry.depth == key.depth && entry.lookahead == key.lookahead &&
            std::equal(key.literals.begin(), key.literals.end(), shard.keys.data() + entry.key))
            break;
    }
    return slot;
}

std::optional<Bounds> Cache::find(const Subproblem& key) const {
    const Word hash = hash_of(key);
    const Shard& shard = *shards_[hash >> 58];
    const std::lock_guard lock(shard.mutex);
    if (shard.entries == 0) return std::nullopt;
    const Entry& entry = shard.slots[locate(shard, hash, key)];
    if (!entry.used) return std::nullopt;
    return entry.bounds;
}

void Cache::store(const Subproblem& key, const Bounds& bounds) {
    const Word hash = hash_of(key);
    Shard& shard = *shards_[hash >> 58];
    const std::lock_guard lock(shard.mutex);
    grow(shard, key.literals.size());
    Entry& entry = shard.slots[locate(shard, hash, key)];
    if (!entry.used) {
        std::copy(key.literals.begin(), key.literals.end(), shard.keys.data() + shard.keys_used);
        entry = {hash, shard.keys_used, bounds, key.depth, key.lookahead, true};
        shard.keys_used += key.literals.size();
        ++shard.entries;
        return;
    }
    Bounds& known = entry.bounds;
    known.lower = std::max(known.lower, bounds.lower);
    // Between equal costs the exact result wins: its feature is the one the tie rule prescribes.
    if (bounds.upper < known.upper || bounds.exact()) {
        known.upper = bounds.upper;
        known.feature = bounds.feature;
    }
}

// Makes room for one more entry: tables at most half full, both arrays growing by doubling.
void Cache::grow(Shard& shard, std::size_t key_words) {
    if (2 * (shard.entries + 1) > shard.slots.size()) {
        Buffer<Entry> larger(limits_);
        larger.resize(std::max<std::size_t>(64, 2 * shard.slots.size()));
        larger.fill(Entry{});
        std::swap(larger, shard.slots);
        const std::size_t mask = shard.slots.size() - 1;
        for (std::size_t i = 0; i < larger.size(); ++i) {
            if (!larger[i].used) continue;
            std::size_t slot = larger[i].hash & mask;
            while (shard.slots[slot].used) slot = (slot + 1) & mask;
            shard.slots[slot] = larger[i];
        }
    }
    if (shard.keys_used + key_words > shard.keys.size()) {
        Buffer<Word> larger(limits_);
        larger.resize(std::max(64 * key_words, 2 * shard.keys.size()));
        std::copy_n(shard.keys.data(), shard.keys_used, larger.data());
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

void add_literals(const View& view, const Count* counts, std::vector<Word>& literals) {
    constexpr std::size_t kAtOnce = 64;
    const auto all = static_cast<Count>(weight_at(view, counts, view.ones()));
    for (std::size_t begin = 0; begin < view.n_features; begin += kAtOnce) {
        const std::size_t n = std::min(kAtOnce, view.n_features - begin);
        Count with[kAtOnce] = {};
        for (std::size_t c = 0; c < view.n_classes; ++c)
            for (std::size_t j = 0; j < n; ++j) with[j] += counts[c * view.stride + begin + j];
        std::uint8_t constant[kAtOnce] = {};
        for (std::size_t j = 0; j < n; ++j) constant[j] = with[j] == 0 || with[j] == all;
        for (std::size_t j = 0; j < n; ++j) {
            if (!constant[j]) continue;
            const std::size_t literal = 2 * view.features[begin + j] + (with[j] == 0 ? 0 : 1);
            literals[literal / 64] |= Word{1} << (literal % 64);
        }
    }
}

}  // namespace splitsecond
