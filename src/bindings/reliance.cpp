// How much trees rely on variables.
#include "sets/reliance.hpp"

#include <stdexcept>

#include "bindings.hpp"

namespace splitsecond {
namespace {

// Columns of bits, which are held on to, and the variable that each is about.
class HeldColumns {
public:
    HeldColumns(std::vector<Array<std::uint64_t>> columns, std::vector<std::size_t> variable_of,
                std::size_t n_rows)
        : held_(std::move(columns)), variable_of_(std::move(variable_of)) {
        for (const Array<std::uint64_t>& column : held_)
            columns_.push_back(column.size() < (n_rows + 63) / 64 ? nullptr : column.data());
        if (variable_of_.size() != columns_.size())
            throw std::invalid_argument("there must be a variable for each column.");
    }

    const std::vector<const std::uint64_t*>& columns() const { return columns_; }
    const std::vector<std::size_t>& variable_of() const { return variable_of_; }
    bool has(std::int32_t feature) const {
        return static_cast<std::size_t>(feature) < columns_.size() &&
               columns_[static_cast<std::size_t>(feature)] != nullptr;
    }

    // Arrays of a tree that asks only for columns that are there.
    GraphTree tree(const Array<std::int32_t>& feature, const Array<std::int32_t>& left,
                   const Array<std::int32_t>& right) const {
        GraphTree tree;
        tree.feature.assign(feature.data(), feature.data() + feature.size());
        tree.left.assign(left.data(), left.data() + left.size());
        tree.right.assign(right.data(), right.data() + right.size());
        for (std::size_t i = 0; i < feature.size(); ++i) {
            tree.node.push_back(static_cast<std::uint32_t>(i));
            const auto after = [&](std::int32_t child) {
                return child > static_cast<std::int32_t>(i) &&
                       static_cast<std::size_t>(child) < feature.size();
            };
            if (tree.feature[i] >= 0 &&
                (!has(tree.feature[i]) || !after(tree.left[i]) || !after(tree.right[i])))
                throw std::invalid_argument("the arrays are not those of a tree.");
        }
        return tree;
    }

    void check_set(const Graph& graph, const TreeNumbers& numbers) const {
        check_numbers(graph, numbers);
        for (const GraphEdge& edge : graph.edges)
            if (!has(edge.feature)) throw std::invalid_argument("a column that trees ask for is missing.");
    }

private:
    std::vector<Array<std::uint64_t>> held_;
    std::vector<const std::uint64_t*> columns_;
    std::vector<std::size_t> variable_of_;
};

// Measures trees of a set, those with these numbers: of(tree, row) returns the loss and fills a row.
// (Rows; losses; weight; whether it was stopped.)
template <class Number, class Weight, class Of>
nb::tuple of_trees(Graph& graph, const TreeNumbers& numbers, Weight weight, const Of& of) {
    std::vector<Number> permuted, losses;
    const bool stopped = run_unlimited([&](Limits& limits) {
        std::vector<Number> row;
        for (std::size_t i = 0; i < numbers.shape(0); ++i) {
            GraphTree tree;
            if (!graph.append_tree(numbers.data() + i * graph.digits(), tree)) break;
            losses.push_back(of(tree, row));
            permuted.insert(permuted.end(), row.begin(), row.end());
            if (limits.stop()) return true;
        }
        return false;
    });
    return nb::make_tuple(to_array(std::move(permuted)), to_array(std::move(losses)), weight, stopped);
}

// Reliance on some rows of classes.
class RowsReliance {
public:
    RowsReliance(std::vector<Array<std::uint64_t>> columns, std::vector<std::size_t> variable_of,
                 const Array<std::int32_t>& classes, std::size_t n_classes,
                 const std::optional<Array<std::int32_t>>& weights)
        : held_(std::move(columns), std::move(variable_of), classes.size()), n_classes_(n_classes) {
        const std::size_t n_rows = classes.size();
        if (weights && weights->size() != n_rows)
            throw std::invalid_argument("there must be a weight for each row.");
        for (std::size_t i = 0; i < n_rows; ++i)
            if (classes.data()[i] < 0 || static_cast<std::size_t>(classes.data()[i]) >= n_classes ||
                (weights && weights->data()[i] < 0))
                throw std::invalid_argument("a class or a weight is out of range.");
        reliance_.emplace(held_.columns(), held_.variable_of(), n_rows, classes.data(), n_classes,
                          weights ? weights->data() : nullptr);
    }

    // (weight * expected loss with each variable permuted, -1 where it is not asked about; loss; weight).
    // Without row_losses (what a row loses in each leaf by its class; nodes x classes), losses are errors.
    nb::tuple of_tree(const Array<std::int32_t>& feature, const Array<std::int32_t>& left,
                      const Array<std::int32_t>& right, const Array<std::int32_t>& label,
                      const std::optional<Array<double>>& row_losses) {
        const GraphTree tree = held_.tree(feature, left, right);
        if (row_losses) {
            check_losses(*row_losses, feature.size());
            std::vector<double> permuted;
            const double loss = reliance_->of(tree, losses_of(tree, *row_losses), permuted);
            return nb::make_tuple(to_array(std::move(permuted)), loss, reliance_->weight());
        }
        std::vector<std::uint32_t> labels;
        for (std::size_t i = 0; i < feature.size(); ++i) {
            labels.push_back(static_cast<std::uint32_t>(label.data()[i]));
            if (labels[i] >= n_classes_) throw std::invalid_argument("the arrays are not those of a tree.");
        }
        std::vector<std::int64_t> permuted;
        const std::int64_t errors = reliance_->of(tree, labels, permuted);
        return nb::make_tuple(to_array(std::move(permuted)), errors, reliance_->weight());
    }

    // The same for trees of a set: those with these numbers; one row for each tree. row_losses are of the graph's
    // nodes.
    nb::tuple of_set(Graph& graph, const TreeNumbers& numbers,
                     const std::optional<Array<double>>& row_losses) {
        held_.check_set(graph, numbers);
        if (graph.n_classes != n_classes_)
            throw std::invalid_argument("the classes are not those of the set.");
        if (row_losses) {
            check_losses(*row_losses, graph.nodes.size());
            const auto of = [&](const GraphTree& tree, std::vector<double>& row) {
                return reliance_->of(tree, losses_of(tree, *row_losses), row);
            };
            return of_trees<double>(graph, numbers, reliance_->weight(), of);
        }
        const auto of = [&](const GraphTree& tree, std::vector<std::int64_t>& row) {
            std::vector<std::uint32_t> labels;
            for (const std::uint32_t node : tree.node) labels.push_back(graph.nodes[node].label);
            return reliance_->of(tree, labels, row);
        };
        return of_trees<std::int64_t>(graph, numbers, reliance_->weight(), of);
    }

private:
    void check_losses(const Array<double>& row_losses, std::size_t n_nodes) const {
        if (row_losses.size() != n_nodes * n_classes_)
            throw std::invalid_argument("there must be a loss for each class at each node.");
    }
    std::vector<const double*> losses_of(const GraphTree& tree, const Array<double>& row_losses) const {
        std::vector<const double*> found;
        for (const std::uint32_t node : tree.node) found.push_back(row_losses.data() + node * n_classes_);
        return found;
    }

    HeldColumns held_;
    std::size_t n_classes_;
    std::optional<Reliance> reliance_;
};

// Reliance on some rows of numbers.
class RowsNumberReliance {
public:
    RowsNumberReliance(std::vector<Array<std::uint64_t>> columns, std::vector<std::size_t> variable_of,
                       const Array<double>& weights, const Array<double>& sums, const NumberLoss& loss)
        : held_(std::move(columns), std::move(variable_of), weights.size()) {
        if (sums.size() != weights.size())
            throw std::invalid_argument("there must be a weight and a sum for each row.");
        reliance_.emplace(held_.columns(), held_.variable_of(), weights.size(), weights.data(), sums.data(),
                          loss);
    }

    // As for classes; values: what the leaves say, by node.
    nb::tuple of_tree(const Array<std::int32_t>& feature, const Array<std::int32_t>& left,
                      const Array<std::int32_t>& right, const Array<double>& values) {
        const GraphTree tree = held_.tree(feature, left, right);
        if (values.size() != feature.size())
            throw std::invalid_argument("there must be a value for each node.");
        std::vector<double> permuted;
        const double loss = reliance_->of(tree, values.data(), permuted);
        return nb::make_tuple(to_array(std::move(permuted)), loss, reliance_->weight());
    }

    // The same for trees of a set, whose leaves say the mean of these rows.
    nb::tuple of_set(Graph& graph, const TreeNumbers& numbers) {
        held_.check_set(graph, numbers);
        const auto of = [&](const GraphTree& tree, std::vector<double>& row) {
            return reliance_->of(tree, nullptr, row);
        };
        return of_trees<double>(graph, numbers, reliance_->weight(), of);
    }

private:
    HeldColumns held_;
    std::optional<NumberReliance> reliance_;
};

}  // namespace

void bind_reliance(nb::module_& m) {
    nb::class_<RowsReliance>(m, "Reliance")
        .def(nb::init<std::vector<Array<std::uint64_t>>, std::vector<std::size_t>, const Array<std::int32_t>&,
                      std::size_t, const std::optional<Array<std::int32_t>>&>(),
             "columns"_a, "variable_of"_a, "classes"_a, "n_classes"_a, "weights"_a.none())
        .def("of_tree", &RowsReliance::of_tree, "feature"_a, "left"_a, "right"_a, "label"_a,
             "row_losses"_a.none() = nb::none())
        .def("of_set", &RowsReliance::of_set, "graph"_a, "numbers"_a, "row_losses"_a.none() = nb::none());
    nb::class_<NumberLoss>(m, "NumberLoss")
        .def(
            "__init__",
            [](NumberLoss* made, bool is_rate, double own, double rounding, double rare_events,
               double rare_weight) {
                new (made) NumberLoss{is_rate, own, rounding, rare_events, rare_weight};
            },
            nb::kw_only(), "is_rate"_a, "own"_a, "rounding"_a, "rare_events"_a, "rare_weight"_a);
    nb::class_<RowsNumberReliance>(m, "NumberReliance")
        .def(nb::init<std::vector<Array<std::uint64_t>>, std::vector<std::size_t>, const Array<double>&,
                      const Array<double>&, const NumberLoss&>(),
             "columns"_a, "variable_of"_a, "weights"_a, "sums"_a, "loss"_a)
        .def("of_tree", &RowsNumberReliance::of_tree, "feature"_a, "left"_a, "right"_a, "values"_a)
        .def("of_set", &RowsNumberReliance::of_set, "graph"_a, "numbers"_a);
}

}  // namespace splitsecond
