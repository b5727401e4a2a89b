#include "search/cache.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

#include "runtime/workers.hpp"

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

Cache::Cache(Limits& limits, bool shared) : limits_(limits), shared_(shared) {
    for (std::size_t s = 0; s < (shared ? std::size_t{1} << kShardBits : 1); ++s)
        shards_.push_back(std::make_unique<Shard>(limits_));
}

Cache::~Cache() = default;

Cache::Entry Cache::read(const Word* record) {
    Entry entry;
    std::memcpy(&entry, record, sizeof entry);
    return entry;
}

void Cache::write(const Entry& entry, Word* record) { std::memcpy(record, &entry, sizeof entry); }

// What a slot of a table of mask + 1 of them says of the hash besides its place: others' entries need not be looked
// at. The entries that it leads to are fewer than the slots.
std::uint32_t Cache::tag_of(Word hash, std::size_t mask) {
    return static_cast<std::uint32_t>(hash >> 32 & ~mask);
}

Word* Cache::record_at(Shard& shard, std::size_t entry, std::size_t record_words) {
    const std::size_t within = (std::size_t{1} << shard.at_once) - 1;
    return shard.records[entry >> shard.at_once].data() + (entry & within) * record_words;
}

// The key's record; null: there is none. Slots are never all full.
Word* Cache::record_of(Shard& shard, Word hash, const Subproblem& key) {
    if (shard.entries == 0) return nullptr;
    const std::size_t mask = shard.slots.size() - 1, record_words = kEntryWords + key.literals.size();
    const std::uint32_t tag = tag_of(hash, mask);
    for (std::size_t slot = hash & mask; shard.slots[slot] != 0; slot = (slot + 1) & mask) {
        if ((shard.slots[slot] & ~mask) != tag) continue;
        Word* record = record_at(shard, (shard.slots[slot] & mask) - 1, record_words);
        const Entry entry = read(record);
        if (entry.depth == key.depth && entry.lookahead == key.lookahead &&
            std::equal(key.literals.begin(), key.literals.end(), record + kEntryWords))
            return record;
    }
    return nullptr;
}

std::optional<Bounds> Cache::find(const Subproblem& key) const {
    const Word hash = hash_of(key);
    Shard& shard = shard_of(hash);
    const auto lock = lock_if(shared_, shard.mutex);
    const Word* record = record_of(shard, hash, key);
    if (record == nullptr) return std::nullopt;
    const Entry entry = read(record);
    return Bounds{entry.lower, entry.upper, entry.feature};
}

void Cache::store(const Subproblem& key, const Bounds& bounds) {
    const Word hash = hash_of(key);
    Shard& shard = shard_of(hash);
    const auto lock = lock_if(shared_, shard.mutex);
    if (Word* record = record_of(shard, hash, key)) {
        Entry entry = read(record);
        entry.lower = std::max(entry.lower, bounds.lower);
        // Between equal costs the exact result wins: its feature is the one the tie rule prescribes.
        if (bounds.upper < entry.upper || bounds.exact()) {
            entry.upper = bounds.upper;
            entry.feature = bounds.feature;
        }
        write(entry, record);
        return;
    }
    const std::size_t record_words = kEntryWords + key.literals.size();
    grow(shard, record_words);
    Word* record = record_at(shard, shard.entries, record_words);
    write({bounds.lower, bounds.upper, bounds.feature, key.depth, key.lookahead}, record);
    std::copy(key.literals.begin(), key.literals.end(), record + kEntryWords);
    place(shard.slots, hash, shard.entries++);
}

// Lets the first slot that is free for the hash lead to an entry.
void Cache::place(Buffer<std::uint32_t>& slots, Word hash, std::size_t entry) {
    const std::size_t mask = slots.size() - 1;
    std::size_t slot = hash & mask;
    while (slots[slot] != 0) slot = (slot + 1) & mask;
    slots[slot] = tag_of(hash, mask) | static_cast<std::uint32_t>(entry + 1);
}

// Makes room for one more entry: of records some 16 KB at once, which wastes little and moves none; slots, at most
// half full, grow by doubling.
void Cache::grow(Shard& shard, std::size_t record_words) {
    constexpr std::size_t kWords = 2048, kFirstSlots = 16;
    constexpr std::size_t kMaxEntries = std::size_t{1} << 31;  // entries: as many as slots can lead to
    if (shard.entries == kMaxEntries) {
        limits_.out_of_memory();
        throw LimitReached{};
    }
    if (shard.entries == shard.records.size() << shard.at_once) {
        while (shard.entries == 0 && 2 * record_words << shard.at_once <= kWords) ++shard.at_once;
        Buffer<Word> more(limits_);
        more.resize(record_words << shard.at_once);
        shard.records.push_back(std::move(more));
    }
    if (2 * (shard.entries + 1) <= shard.slots.size()) return;
    Buffer<std::uint32_t> larger(limits_);
    larger.resize(std::max(kFirstSlots, 2 * shard.slots.size()));
    larger.fill(0);
    for (std::size_t i = 0; i < shard.entries; ++i) {
        const Word* record = record_at(shard, i, record_words);
        const Entry entry = read(record);
        const std::span literals(record + kEntryWords, record_words - kEntryWords);
        place(larger, hash_of({literals, entry.depth, entry.lookahead}), i);
    }
    std::swap(larger, shard.slots);
}

std::size_t Cache::size() const {
    std::size_t entries = 0;
    for (const auto& shard : shards_) {
        const auto lock = lock_if(shared_, shard->mutex);
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
