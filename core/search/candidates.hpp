// The splits of one node that may be best, in the order in which they are tried, and what is proved about each.
//
// Invariant: lower[side][f] is never above V of that child, whatever has been tried so far, and only rises.
// Cost:      a scan of the node's counts or pair counts, and a sort; raise_similar is a scan for each feature tried.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <vector>

#include "search/greedy.hpp"
#include "search/open_split.hpp"
#include "search/pairs.hpp"

namespace splitsecond {

class Candidates {
public:
    struct Scratch {
        StumpScan scan;
        Gains gains;
    };

    // Sorts the features by promise and bounds their children by what the node's own counts tell. optimal: the
    // value looked for is the optimum, so that bounds which are sound for that alone may be used.
    Candidates(const Problem& problem, const Node& node, bool optimal, Scratch& scratch);

    Bounds best;                     // so far; lower is set by prove()
    std::vector<std::size_t> order;  // features worth trying, most promising first
    std::vector<Cost> lower[2];      // proved for the yes- and no-child of each feature
    bool shared = false;             // threads try features at the same time
    std::mutex mutex;

    // What a split on feature `id` of the problem may cost at most to be chosen.
    Cost limit(std::int32_t id, Cost budget) const {
        return std::min(budget, id < best.feature ? best.upper : best.upper - 1);
    }
    // Ties: the lowest feature, and a leaf before any.
    void offer(Cost cost, std::int32_t id) {
        if (cost < best.upper || (cost == best.upper && id < best.feature)) {
            best.upper = cost;
            best.feature = id;
        }
    }
    // Raises the lower bounds of f's children.
    void raise(std::size_t f, const Cost (&proved)[2]) {
        for (int side = 0; side < 2; ++side) lower[side][f] = std::max(lower[side][f], proved[side]);
    }
    // Raises those of every other feature's children by f's (similar support), given the counts of f's yes-child.
    void raise_similar(const Problem& problem, const Node& node, std::size_t f, const Count* yes_counts);
    Bounds prove();  // once all have been tried

private:
    void bound_by_pairs(const Problem& problem, const Node& node, const StumpScan& scan,
                        std::vector<Cost>& estimate);
    void bound_by_leaves(const Problem& problem, const StumpScan& scan);
};

// Minimum cost of any tree on rows with these counts: a leaf, the best single split, or three leaves.
Cost three_leaf_bound(const Problem& problem, Greedy& greedy, const View& view, const Count* counts);

}  // namespace splitsecond
