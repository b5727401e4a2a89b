// How much a tree relies on a variable: what it would lose, on average over all permutations of the variable among
// the rows.
//
// What:      a leaf is reached when the questions about the variable and the questions about all others are
//            answered as its path says. After a random permutation the two are independent, so that
//                expected loss = sum over leaves of  W(variable's part) * L(others' part) / W
//            with W(q) the weight of the rows that answer q so, L(q) what they lose in the leaf, and W the weight
//            of all rows. No permutation is ever made.
// Exact:     errors are integers. Other losses are doubles, added up in a fixed order.
// Cost:      for each new set of answers an AND over the rows, and for classes a popcount, for numbers an addition for
//            each row that answers so; trees of one set share most.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

#include "search/tree.hpp"

namespace splitsecond {

// Rows by the answers that they give, each set of answers once. Rows has what is added up: Sums, of(bits of rows), and
// weight(sums), that of the rows.
template <class Rows>
class Answered {
public:
    // columns: bit i of columns[f][i / 64] says whether row i has feature f; null where no tree asks.
    // variable_of: the variable that each feature is about.
    Answered(std::vector<const std::uint64_t*> columns, std::vector<std::size_t> variable_of, Rows rows);

    const Rows& rows() const { return rows_; }

    // at_leaf(node, sums of its rows) returns what rows lose there: a function of their sums. together(losses, times)
    // returns what the leaves lose together, so many times. Returns the loss of the tree as it is, and fills `permuted`
    // as told below.
    template <class Number, class AtLeaf, class Together>
    Number expected(const TreeShape& tree, std::vector<Number>& permuted, const AtLeaf& at_leaf,
                    const Together& together);

private:
    using Answers = std::vector<std::int32_t>;  // 2 * feature + (no ? 1 : 0), increasing

    const typename Rows::Sums& sums_of(const Answers& answers);

    const std::vector<const std::uint64_t*> columns_;  // what they point to must stay
    const std::vector<std::size_t> variable_of_;
    std::size_t n_variables_ = 0;
    const Rows rows_;
    std::map<Answers, typename Rows::Sums> known_;
};

// Classes: their weights, in whole numbers.
class ClassRows {
public:
    using Sums = std::vector<std::int64_t>;  // weight of each class

    ClassRows(std::size_t n_rows, const std::int32_t* classes, std::size_t n_classes,
              const std::int32_t* weights);

    std::size_t n_words() const { return n_words_; }
    std::int64_t all() const { return weight_; }
    Sums of(const std::vector<std::uint64_t>& rows) const;
    static std::int64_t weight(const Sums& sums);

private:
    struct Plane {  // the rows of a class that have one bit in their weight
        std::size_t cls;
        std::int64_t value;
        std::vector<std::uint64_t> rows;
    };
    std::size_t n_words_;
    std::size_t n_classes_;
    std::int64_t weight_ = 0;
    std::vector<Plane> planes_;
};

class Reliance {
public:
    // As for Answered; weights may be null.
    Reliance(std::vector<const std::uint64_t*> columns, std::vector<std::size_t> variable_of,
             std::size_t n_rows, const std::int32_t* classes, std::size_t n_classes,
             const std::int32_t* weights);

    std::int64_t weight() const { return rows_.rows().all(); }

    // labels: of the leaves, by node. Returns the errors of the tree as it is and fills, for each variable, W times
    // the expected errors with it permuted; -1 for variables that the tree does not ask about.
    std::int64_t of(const TreeShape& tree, const std::vector<std::uint32_t>& labels,
                    std::vector<std::int64_t>& permuted);

    // The same for any loss: row_losses[node] points to what a row of weight 1 loses in that leaf, by its class.
    double of(const TreeShape& tree, const std::vector<const double*>& row_losses,
              std::vector<double>& permuted);

private:
    Answered<ClassRows> rows_;
};

// Numbers: weights, and weights times number.
class NumberRows {
public:
    struct Sums {
        double weight = 0;
        double sum = 0;
    };

    NumberRows(std::size_t n_rows, const double* weights, const double* sums);

    std::size_t n_words() const { return present_.size(); }
    double all() const { return weight_; }
    Sums of(const std::vector<std::uint64_t>& rows) const;
    static double weight(const Sums& sums) { return sums.weight; }

private:
    std::vector<Sums> rows_;
    std::vector<std::uint64_t> present_;  // rows of some weight
    double weight_ = 0;
};

// What numbers lose in a leaf that says v: squared distances, Q + N v^2 - 2 v S; or Poisson deviances,
// Q + 2 N v - 2 S (1 + ln v).
struct NumberLoss {
    bool is_rate = false;
    double own = 0;       // Q, of all rows
    double rounding = 0;  // a loss that is no larger is nothing
    // Where v would be 0, so that an event were impossible, it is as if these events were there as well, in so much
    // weight.
    double rare_events = 0;
    double rare_weight = 0;
};

class NumberReliance {
public:
    // As for Answered; sums are weights times number.
    NumberReliance(std::vector<const std::uint64_t*> columns, std::vector<std::size_t> variable_of,
                   std::size_t n_rows, const double* weights, const double* sums, const NumberLoss& loss);

    double weight() const { return rows_.rows().all(); }

    // As for classes. values: what the leaves say, by node; null: the mean of the rows that are in them.
    double of(const TreeShape& tree, const double* values, std::vector<double>& permuted);

private:
    double mean(const NumberRows::Sums& sums) const;

    Answered<NumberRows> rows_;
    const NumberLoss loss_;
};

}  // namespace splitsecond
