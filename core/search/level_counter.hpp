// Where the level engine (level_search.hpp) gets its counts from: many sets of rows, each named by the answers that its rows
// give, counted together.
//
// What:      a path is a row of literals, 2 * column + 1 for rows that have a column of the view and 2 * column for
//            those that lack it, the first split first; -1 stands for no literal. Counting is all that a backend does.
//            Every decision is the engine's, so that any backend that counts right gives the same tree, bit for bit.
// Invariant: called by the thread that solves, one call at a time.
// From Python: `counter=` of a TreeRequest (src/bindings/counters.cpp).
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "data/packed_rows.hpp"

namespace splitsecond {

struct Paths {
    std::size_t count;
    std::size_t length;            // literals each
    const std::int32_t* literals;  // [count, length]
};

class LevelCounter {
public:
    virtual ~LevelCounter() = default;

    // The counts of the rows that satisfy all literals of each path, in the layout of the view's counts:
    // out[p * view.n_counts() + c * view.stride + column], with the column of ones and that of unavoidable loss. All
    // of out is written. False when stopped; out then means nothing.
    virtual bool count(const Paths& paths, Count* out) = 0;
};

// Of rows that are elsewhere, where the core cannot gather those of a node.
class RemoteCounter : public LevelCounter {
public:
    // A counter of the rows that satisfy the literals of one path alone, in some of the columns, which end with those
    // of ones and of unavoidable loss, as they stand in a view of their own. This one is not used meanwhile, but may
    // be later.
    virtual std::unique_ptr<RemoteCounter> below(const std::vector<std::int32_t>& path,
                                                 const std::vector<std::uint32_t>& columns) = 0;
};

// Makes a counter of all rows of a view, which outlives it.
using CounterSource = std::function<std::unique_ptr<RemoteCounter>(const View&)>;

}  // namespace splitsecond
