#include "cache.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
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

Cache::Entry Cache::read(const Word* record) {
    Entry entry;
    std::memcpy(&entry, record, sizeof entry);
    return entry;
}

void Cache::write(const Entry& entry, Word* record) { std::memcpy(record, &entry, sizeof entry); }

// Bits that say neither which shard nor, in tables of any likely size, which slot: others' entries need not be
// looked at.
std::uint32_t Cache::tag_of(Word hash) { return static_cast<std::uint32_t>(hash >> 50) << kPlaceBits; }

// Where among the records of its shard the entry is that a slot leads to.
std::size_t Cache::record_at(std::uint32_t slot, std::size_t record_words) {
    return ((slot & kPlaceMask) - std::size_t{1}) * record_words;
}

// The slot that leads to the key's entry, or the empty one where it belongs. They are never all full.
std::size_t Cache::locate(const Shard& shard, Word hash, const Subproblem& key) {
    const std::size_t mask = shard.slots.size() - 1, record_words = kEntryWords + key.literals.size();
    const std::uint32_t tag = tag_of(hash);
    std::size_t slot = hash & mask;
    for (; shard.slots[slot] != 0; slot = (slot + 1) & mask) {
        if ((shard.slots[slot] & ~kPlaceMask) != tag) continue;
        const Word* record = shard.records.data() + record_at(shard.slots[slot], record_words);
        const Entry entry = read(record);
        if (entry.depth == key.depth && entry.lookahead == key.lookahead &&
            std::equal(key.literals.begin(), key.literals.end(), record + kEntryWords))
            break;
    }
    return slot;
}

std::optional<Bounds> Cache::find(const Subproblem& key) const {
    const Word hash = hash_of(key);
    const Shard& shard = *shards_[hash >> 58];
    const std::lock_guard lock(shard.mutex);
    if (shard.entries == 0) return std::nullopt;
    const std::uint32_t slot = shard.slots[locate(shard, hash, key)];
    if (slot == 0) return std::nullopt;
    const Entry entry = read(shard.records.data() + record_at(slot, kEntryWords + key.literals.size()));
    return Bounds{entry.lower, entry.upper, entry.feature};
}

void Cache::store(const Subproblem& key, const Bounds& bounds) {
    const Word hash = hash_of(key);
    const std::size_t record_words = kEntryWords + key.literals.size();
    Shard& shard = *shards_[hash >> 58];
    const std::lock_guard lock(shard.mutex);
    grow(shard, record_words);
    std::uint32_t& slot = shard.slots[locate(shard, hash, key)];
    if (slot == 0) {
        Word* record = shard.records.data() + shard.entries * record_words;
        write({bounds.lower, bounds.upper, bounds.feature, key.depth, key.lookahead}, record);
        std::copy(key.literals.begin(), key.literals.end(), record + kEntryWords);
        slot = tag_of(hash) | static_cast<std::uint32_t>(++shard.entries);
        return;
    }
    Word* record = shard.records.data() + record_at(slot, record_words);
    Entry entry = read(record);
    entry.lower = std::max(entry.lower, bounds.lower);
    // Between equal costs the exact result wins: its feature is the one the tie rule prescribes.
    if (bounds.upper < entry.upper || bounds.exact()) {
        entry.upper = bounds.upper;
        entry.feature = bounds.feature;
    }
    write(entry, record);
}

// Makes room for one more entry. Slots, at most half full, grow by doubling; records, which are the most of
// it, by a quarter.
void Cache::grow(Shard& shard, std::size_t record_words) {
    constexpr std::size_t kFirst = 16;  // slots
    if (shard.entries == kPlaceMask) {  // of 64 shards: more than any machine has room for
        limits_.out_of_memory();
        throw LimitReached{};
    }
    if ((shard.entries + 1) * record_words > shard.records.size()) {
        Buffer<Word> larger(limits_);
        larger.resize(std::max(kFirst / 2, shard.entries + shard.entries / 4) * record_words);
        std::copy_n(shard.records.data(), shard.entries * record_words, larger.data());
        std::swap(larger, shard.records);
    }
    if (2 * (shard.entries + 1) > shard.slots.size()) {
        Buffer<std::uint32_t> larger(limits_);
        larger.resize(std::max(kFirst, 2 * shard.slots.size()));
        larger.fill(0);
        const std::size_t mask = larger.size() - 1;
        for (std::size_t i = 0; i < shard.entries; ++i) {
            const Word* record = shard.records.data() + i * record_words;
            const Entry entry = read(record);
            const std::span literals(record + kEntryWords, record_words - kEntryWords);
            const Word hash = hash_of({literals, entry.depth, entry.lookahead});
            std::size_t slot = hash & mask;
            while (larger[slot] != 0) slot = (slot + 1) & mask;
            larger[slot] = tag_of(hash) | static_cast<std::uint32_t>(i + 1);
        }
        std::swap(larger, shard.slots);
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
