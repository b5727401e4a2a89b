// Which tree of a set has which number (graph.hpp says in what order); the paper's "Indexing Trees in RESPLIT",
// Algorithms 8 and 9.
//
// What:      the trees of one key at one node come in parts: those that share an edge and the keys of both
//            children. A number falls into one part, and there into one tree of either child, and so on down.
// How:       the first time that a node and key are met, the parts are counted off until the right one. The
//            second time they are written down with running totals, and a guide that says where to look: from
//            then on it takes a few cache misses, however many trees there are.
// Back:      the number of a given tree is that of the trees in all parts before its own, and of those before it there.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "sets/graph.hpp"

namespace splitsecond {

class Graph::Numbering {
public:
    explicit Numbering(const Graph& graph);

    // As Graph::append_tree, of the graph this was made for.
    bool append_tree(const Graph& graph, const Digit* number, GraphTree& out);
    // The number of a tree that was found there.
    std::vector<Digit> number_of(const Graph& graph, const TreeShape& tree, const Path& path) const;

private:
    static constexpr std::uint32_t kLeaf = UINT32_MAX;  // the key of a leaf: it has no parts
    struct Part {
        std::int32_t feature;
        std::uint32_t yes, no;
        std::uint32_t yes_key, no_key;

        friend bool operator==(const Part&, const Part&) = default;
    };
    struct Found {
        Part part;
        const Digit* no_trees;  // of the no-child's key
    };
    // One block of words: the number of records, a shift, the size of a guide, the guide, and the records. Each
    // begins with a running total; guide[g] is the first whose total is g << shift or above.
    using Table = std::unique_ptr<Digit[]>;

    template <class Visit>
    void walk(const Graph& graph, std::uint32_t id, std::uint32_t key, Visit&& visit) const;
    Found find(const Graph& graph, std::uint32_t id, std::uint32_t key, Digit* rank);
    Found count_off(const Graph& graph, std::uint32_t id, std::uint32_t key, Digit* rank);
    Table make_table(const std::vector<Digit>& records, std::size_t stride) const;
    std::size_t find_record(const Digit* table, std::size_t stride, Digit* rank) const;
    std::vector<Digit> rank_of(const Graph& graph, const TreeShape& tree, const Path& path,
                               std::size_t place) const;
    void write(const Graph& graph, std::uint32_t id, std::uint32_t key, Digit* rank, std::size_t begin,
               GraphTree& out);

    std::size_t digits_;
    Table root_keys_;                 // totals alone: how many trees there are up to each of the root's keys
    std::vector<std::size_t> first_;  // of each node, among all keys of all nodes
    std::vector<Cost> costs_;         // of all those keys: walking through whole keys takes longer
    std::vector<bool> met_;           // of all those keys
    std::vector<Table> tables_;       // of all those keys, once they were met twice
    std::vector<Digit> records_;      // of the table that is being made
    std::vector<Digit> scratch_;      // a product, and a rank for each level
};

}  // namespace splitsecond
