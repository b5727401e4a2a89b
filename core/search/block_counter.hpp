// Counts for the level engine on the processor: a block of rows at a time, for all paths while it is in the cache.
//
// What:      threads share the blocks, or, of a few blocks, the paths. Each adds up counts of its own, and these are
//            added up at the end: integers, so that no order matters.
// Cost:      a pass over the rows in memory for each call; in the cache, n_words * stride word operations for each path,
//            less the words without such rows.
#pragma once

#include <cstddef>
#include <vector>

#include "runtime/workers.hpp"
#include "search/level_counter.hpp"
#include "search/problem.hpp"

namespace splitsecond {

class BlockCounter : public LevelCounter {
public:
    // view must outlive it.
    BlockCounter(const Problem& problem, const View& view, Workers& workers);

    bool count(const Paths& paths, Count* out) override;

private:
    struct Block {  // words of one run
        const Run* run;
        std::size_t begin;
        std::size_t end;
    };
    struct Worker {
        explicit Worker(Limits& limits) : mask(limits), counts(limits) {}
        Buffer<Word> mask;
        Buffer<Count> counts;  // of all paths
        bool has_counts = false;
    };

    void count_block(const Block& block, const Paths& paths, std::size_t begin, std::size_t end, Word* mask,
                     Count* out) const;

    const Problem& problem_;
    const View& view_;
    Workers& workers_;
    std::vector<Block> blocks_;
    std::vector<Worker> scratch_;
};

}  // namespace splitsecond
