// A set of three trees, put together by hand.
#pragma once

#include <cstddef>
#include <cstdint>

#include "sets/graph.hpp"

namespace splitsecond {

inline GraphNode leaf_node(std::uint32_t level, std::uint32_t label, Cost errors, Cost weight) {
    GraphNode node;
    node.level = level;
    node.leaf = true;
    node.label = label;
    node.loss = errors;
    node.weight = weight;
    node.budget = 100;
    return node;
}

// Ten rows, of which three are of class 1. Feature 0 tells them apart but for one, feature 1 does nothing.
inline Graph small_graph(bool keep_trivial, Cost bound) {
    Graph graph;
    graph.objective.price = {1, 1};
    graph.keep_trivial = keep_trivial;
    graph.n_classes = 2;
    graph.nodes = {leaf_node(0, 0, 3, 10), leaf_node(1, 1, 0, 2), leaf_node(1, 0, 1, 8),
                   leaf_node(1, 0, 1, 5), leaf_node(1, 0, 2, 5)};
    graph.edges = {{0, 1, 2}, {1, 3, 4}};
    graph.nodes[0].edge_end = 2;
    for (std::size_t i = 1; i < 5; ++i) graph.nodes[i].edge_begin = graph.nodes[i].edge_end = 2;
    graph.nodes[0].budget = bound;
    graph.counts = {7, 3, 0, 2, 7, 1, 4, 1, 3, 2};
    return graph;
}

}  // namespace splitsecond
