// How much a tree relies on a variable: what it would lose, on average over all permutations of the variable among
// the rows.
//
// What:      a leaf is reached when the questions about the variable and the questions about all others are
//            answered as its path says. After a random permutation the two are independent, so that
//                expected loss = sum over leaves of  W(variable's part) * L(others' part) / W
//            with W(q) the weight of the rows that answer q so, L(q) what they lose in the leaf, and W the weight
//            of all rows. No permutation is ever made.
// Exact:     errors are integers. Other losses are doubles, added up in a fixed order.
// Cost:      one AND and popcount over the rows for each new set of answers; trees of one set share most.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

#include "search/tree.hpp"

namespace splitsecond {

class Reliance {
public:
    // columns: bit i of columns[f][i / 64] says whether row i has feature f; null where no tree asks.
    // variable_of: the variable that each feature is about. weights may be null.
    Reliance(std::vector<const std::uint64_t*> columns, std::vector<std::size_t> variable_of,
             std::size_t n_rows, const std::int32_t* classes, std::size_t n_classes,
             const std::int32_t* weights);

    std::int64_t weight() const { return weight_; }

    // labels: of the leaves, by node. Returns the errors of the tree as it is and fills, for each variable, W times
    // the expected errors with it permuted; -1 for variables that the tree does not ask about.
    std::int64_t of(const TreeShape& tree, const std::vector<std::uint32_t>& labels,
                    std::vector<std::int64_t>& permuted);

    // The same for any loss: row_losses[node] points to what a row of weight 1 loses in that leaf, by its class.
    double of(const TreeShape& tree, const std::vector<const double*>& row_losses,
              std::vector<double>& permuted);

private:
    using Answers = std::vector<std::int32_t>;  // 2 * feature + (no ? 1 : 0), increasing

    // loss(node, weights of the classes): what such rows lose in a leaf.
    template <class Number, class LossOf>
    Number expected(const TreeShape& tree, std::vector<Number>& permuted, const LossOf& loss);

    const std::vector<std::int64_t>& weights_of(const Answers& answers);

    const std::vector<const std::uint64_t*> columns_;  // what they point to must stay
    const std::vector<std::size_t> variable_of_;
    const std::size_t n_words_;
    const std::size_t n_classes_;
    std::size_t n_variables_ = 0;
    std::int64_t weight_ = 0;
    struct Plane {  // the rows of a class that have one bit in their weight
        std::size_t cls;
        std::int64_t value;
        std::vector<std::uint64_t> rows;
    };
    std::vector<Plane> planes_;
    std::map<Answers, std::vector<std::int64_t>> known_;  // weight of each class
};

}  // namespace splitsecond
