// A decision tree as flat arrays, in preorder.
//
// Invariant: node 0 is the root; feature[i] < 0 marks a leaf; left is the child where the feature is 1.
//            counts holds n_classes weights per node.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "losses/objective.hpp"

namespace splitsecond {

struct TreeShape {
    std::vector<std::int32_t> feature;
    std::vector<std::int32_t> left;
    std::vector<std::int32_t> right;
};

struct Tree : TreeShape {
    std::size_t n_classes = 0;
    std::vector<Count> counts;

    explicit Tree(std::size_t classes = 0) : n_classes(classes) {}

    std::size_t size() const { return feature.size(); }
    std::size_t add_leaf(const Count* class_counts, std::size_t step);
    std::int32_t append(const Tree& other);  // returns where its root has gone
    void truncate(std::size_t size);         // forget the nodes from `size` on
    void make_leaf(std::size_t node);  // forget everything below; the node's subtree must be the last one
    Cost leaves() const;
    Cost loss(const Objective& objective) const;  // of all leaves
    std::size_t depth() const;
    Cost cost(const Objective& objective) const { return objective.price.of(loss(objective), leaves()); }
    const Count* counts_of(std::size_t node) const { return counts.data() + node * n_classes; }
    std::uint32_t label_of(std::size_t node, const Objective& objective) const;
};

// The tree with leaves in place of splits that say no more than a leaf (Objective::is_trivial).
Tree without_trivial_splits(const Tree& tree, const Objective& objective);

}  // namespace splitsecond
