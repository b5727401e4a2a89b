// The trees of a graph, listed.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "sets/graph.hpp"

namespace splitsecond {

inline std::string leaf_text(std::size_t label) {
    return std::string(1, '=').append(std::to_string(label)) + " ";
}

// Features and labels in preorder: "0 =1 =0 ". Equal texts are equal trees.
inline std::string shape_of(const Graph& graph, const GraphTree& tree) {
    std::string text;
    for (std::size_t i = 0; i < tree.feature.size(); ++i)
        text += tree.feature[i] >= 0 ? std::to_string(tree.feature[i]) + " "
                                     : leaf_text(graph.nodes[tree.node[i]].label);
    return text;
}

inline Cost cost_of(const Graph& graph, const GraphTree& tree) {
    Cost cost = 0;
    for (std::size_t i = 0; i < tree.feature.size(); ++i)
        if (tree.feature[i] < 0) cost += graph.objective.price.of(graph.nodes[tree.node[i]].loss, 1);
    return cost;
}

// The trees number begin, begin + 1, ..., as many as `most` and the set allow.
inline std::vector<GraphTree> trees_of(Graph& graph, std::size_t most, Digit begin = 0) {
    std::vector<Digit> number(graph.digits(), 0);
    number[0] = begin;
    std::vector<GraphTree> trees(1);
    while (trees.size() <= most && graph.append_tree(number.data(), trees.back())) {
        trees.emplace_back();
        add_one(number.data(), graph.digits());
    }
    trees.pop_back();
    return trees;
}

inline std::vector<GraphTree> all_trees(Graph& graph) { return trees_of(graph, 1000000); }

inline std::vector<std::string> shapes_of(Graph& graph) {
    std::vector<std::string> shapes;
    for (const GraphTree& tree : all_trees(graph)) shapes.push_back(shape_of(graph, tree));
    return shapes;
}

}  // namespace splitsecond
