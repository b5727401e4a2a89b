// What is known about subproblems: bounds and the best split so far.
//
// Key:       a subproblem's rows are named by every literal (feature j is 1, feature j is 0) that holds on
//            all of them. Rows reached by splits are exactly the rows that satisfy those literals, so that
//            equal literals mean equal rows and equal rows mean equal literals: the key is exact, and 2k
//            bits long instead of n. The hash only finds a slot; the whole key decides.
// Invariant: lower bounds only rise, upper bounds only fall, and an entry with lower == upper carries the
//            feature that the tie rule prescribes (-1: leaf). Safe to use from several threads.
// Cost:      a find or store is one lock and about two cache misses; small slots that lead to entries which lie
//            side by side take half the memory of a table of entries.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

#include "buffer.hpp"
#include "cost.hpp"
#include "problem.hpp"

namespace splitsecond {

struct Bounds {
    Cost lower = 0;
    Cost upper = kInfinite;
    std::int32_t feature = -1;  // first split of a tree that costs `upper`; -1: a leaf, or a greedy tree

    bool exact() const { return lower == upper; }
};

struct Subproblem {
    std::span<const Word>
        literals;             // two bits a feature of the problem; somebody else's, while it is asked for
    std::uint16_t depth = 0;  // at least 1
    std::uint16_t lookahead = 0;
};

class Cache {
public:
    explicit Cache(Limits& limits);
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
        explicit Shard(Limits& limits) : slots(limits), records(limits) {}
        mutable std::mutex mutex;
        // 0: empty; else 1 + which of the entries, and above that some bits of the hash.
        Buffer<std::uint32_t> slots;
        Buffer<Word> records;  // every entry, followed by its literals
        std::size_t entries = 0;
    };
    static constexpr std::size_t kShards = 64;
    static constexpr unsigned kPlaceBits = 24;  // of a slot
    static constexpr std::uint32_t kPlaceMask = (std::uint32_t{1} << kPlaceBits) - 1;

    static std::uint32_t tag_of(Word hash);
    static std::size_t locate(const Shard& shard, Word hash, const Subproblem& key);
    static std::size_t record_at(std::uint32_t slot, std::size_t record_words);
    static Entry read(const Word* record);
    static void write(const Entry& entry, Word* record);
    void grow(Shard& shard, std::size_t record_words);

    Limits& limits_;
    std::vector<std::unique_ptr<Shard>> shards_;
};

// Adds to `literals` those that hold on rows with these counts but not yet on the rows above them.
void add_literals(const Kernels& kernels, const View& view, const Count* counts, std::vector<Word>& literals);

}  // namespace splitsecond
