// What is known about subproblems: bounds and the best split so far.
//
// Key:       a subproblem's rows are named by every literal (feature j is 1, feature j is 0) that holds on
//            all of them. Rows reached by splits are exactly the rows that satisfy those literals, so that
//            equal literals mean equal rows and equal rows mean equal literals: the key is exact, and 2k
//            bits long instead of n. The hash only finds a slot; the whole key decides.
// Invariant: lower bounds only rise, upper bounds only fall, and an entry with lower == upper carries the
//            feature that the tie rule prescribes (-1: leaf). Safe to use from several threads.
// Cost:      a find or store is about two cache misses, and one lock where threads share it; small slots that lead to
//            entries which lie side by side take half the memory of a table of entries.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

#include "runtime/buffer.hpp"
#include "search/bounds.hpp"
#include "search/problem.hpp"

namespace splitsecond {

struct Subproblem {
    Subproblem(std::span<const Word> names, std::size_t depth_left, std::size_t lookahead_left)
        : literals(names),
          depth(static_cast<std::uint16_t>(depth_left)),
          lookahead(static_cast<std::uint16_t>(lookahead_left)) {}

    std::span<const Word> literals;  // two bits a feature of the problem; borrowed for the duration of a call
    std::uint16_t depth;             // at least 1
    std::uint16_t lookahead;
};

class Cache {
public:
    Cache(Limits& limits, bool shared);  // shared: by several threads
    ~Cache();

    std::optional<Bounds> find(const Subproblem& key) const;
    void store(const Subproblem& key, const Bounds& bounds);  // throws LimitReached
    std::size_t size() const;

private:
    struct Entry {
        Cost lower;
        Cost upper;
        std::int32_t feature;
        std::uint16_t depth;
        std::uint16_t lookahead;
    };
    static_assert(sizeof(Entry) % sizeof(Word) == 0);
    static constexpr std::size_t kEntryWords = sizeof(Entry) / sizeof(Word);
    struct Shard {
        explicit Shard(Limits& limits) : slots(limits) {}
        std::mutex mutex;
        // 0: empty; else 1 + the index of an entry in the low bits, and a tag of the hash above.
        Buffer<std::uint32_t> slots;
        std::vector<Buffer<Word>> records;  // 2^at_once entries to a buffer, each followed by its literals
        unsigned at_once = 0;
        std::size_t entries = 0;
    };
    static constexpr unsigned kShardBits = 4;  // 16 shards, so that threads seldom wait for each other

    Shard& shard_of(Word hash) const { return *shards_[shared_ ? hash >> (64 - kShardBits) : 0]; }
    static std::uint32_t tag_of(Word hash, std::size_t mask);
    static Word* record_at(Shard& shard, std::size_t entry, std::size_t record_words);
    static Word* record_of(Shard& shard, Word hash, const Subproblem& key);
    static void place(Buffer<std::uint32_t>& slots, Word hash, std::size_t entry);
    static Entry read(const Word* record);
    static void write(const Entry& entry, Word* record);
    void grow(Shard& shard, std::size_t record_words);

    Limits& limits_;
    const bool shared_;
    std::vector<std::unique_ptr<Shard>> shards_;
};

// Adds to `literals` those that hold on rows with these counts but not yet on the rows above them.
void add_literals(const Kernels& kernels, const View& view, const Count* counts, std::vector<Word>& literals);

}  // namespace splitsecond
