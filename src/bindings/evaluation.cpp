// Second criteria over a set, on rows of any kind.
#include <memory>
#include <stdexcept>
#include <string>

#include "bindings.hpp"
#include "sets/walked_set.hpp"

namespace splitsecond {
namespace {

using TreeNodes = nb::ndarray<const std::int32_t, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using PriceArray = nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

// Where None stands for a limit, Ctrl-C is an exception.
[[noreturn]] void interrupt() {
    PyErr_SetNone(PyExc_KeyboardInterrupt);
    throw nb::python_error();
}

// A set walked with some rows, which it holds on to with the graph.
class SetRows {
public:
    SetRows(std::shared_ptr<Graph> graph, const std::vector<Array<std::uint64_t>>& columns,
            std::size_t n_rows, const Array<std::int32_t>& channels, std::size_t n_channels,
            const std::optional<Array<std::int64_t>>& weights, const RunOptions& run,
            const std::optional<Array<std::int64_t>>& sums, const std::optional<Array<std::int32_t>>& order,
            const std::optional<Array<std::int32_t>>& ranks)
        : graph_(std::move(graph)) {
        check(columns, n_rows, channels, n_channels, weights);
        check_numbers(n_rows, sums, order, ranks);
        if (ranks) ranks_.assign(ranks->data(), ranks->data() + ranks->size());
        RowNumbers numbers;
        if (sums) numbers = {sums->data(), order->data()};
        std::vector<const std::uint64_t*> bits(columns.size(), nullptr);
        for (const GraphEdge& edge : graph_->edges)
            bits[static_cast<std::size_t>(edge.feature)] =
                columns[static_cast<std::size_t>(edge.feature)].data();
        run_within(run, [&](Limits& limits) {
            rows_.emplace(bits, n_rows, channels.data(), n_channels, weights ? weights->data() : nullptr,
                          numbers);
            set_.emplace(*graph_, *rows_, limits, ranks_.empty() ? nullptr : ranks_.data());
            is_interrupted_ = limits.reason() == Status::interrupted;
            return true;
        });
    }

    bool is_complete() const { return set_->is_complete(); }
    bool is_interrupted() const { return is_interrupted_; }
    std::size_t n_states() const { return set_->n_states(); }
    NewArray<std::int64_t> totals() const { return to_array(set_->totals()); }

    std::optional<Frontier> frontier(const PriceArray& prices, const std::string& by, const RunOptions& run,
                                     const Array<double>& least) const {
        if (least.size() != rows_->n_channels())
            throw std::invalid_argument("there must be a least price for each channel.");
        Prices given = prices_of(prices, by);
        given.least = least.data();
        return run_within(run, [&](Limits& limits) -> std::optional<Frontier> {
            Frontier out = set_->frontier(given, limits);
            if (limits.reason() == Status::interrupted) return std::nullopt;
            return out;
        });
    }

    std::optional<double> mean(const PriceArray& prices, const std::string& by, const RunOptions& run) {
        const Prices given = prices_of(prices, by);
        bool is_interrupted = false;
        const auto found = run_within(run, [&](Limits& limits) {
            const auto out = set_->mean(given, limits);
            is_interrupted = limits.reason() == Status::interrupted;
            return out;
        });
        if (is_interrupted) interrupt();
        return found;
    }

    std::shared_ptr<Graph> at_most(const PriceArray& prices, const std::string& by, double bound,
                                   const RunOptions& run) const {
        const Prices given = prices_of(prices, by);
        auto out = std::make_shared<Graph>();
        bool is_interrupted = false;
        const bool done = run_within(run, [&](Limits& limits) {
            const bool found = set_->at_most(given, bound, *out, limits);
            is_interrupted = limits.reason() == Status::interrupted;
            return found;
        });
        if (is_interrupted) interrupt();
        return done ? out : nullptr;
    }

    // Weight of each channel at each node of given trees: nodes x channels, one after the other. Trees are rows of
    // numbers as Graph::trees gives them: feature, left, right, node.
    NewArray<std::int64_t> weights(const TreeNodes& trees, const Array<std::int64_t>& ends) const;

private:
    void check(const std::vector<Array<std::uint64_t>>& columns, std::size_t n_rows,
               const Array<std::int32_t>& channels, std::size_t n_channels,
               const std::optional<Array<std::int64_t>>& weights) const {
        if (n_channels == 0 || channels.size() != n_rows || (weights && weights->size() != n_rows))
            throw std::invalid_argument("there must be a channel and a weight for each row.");
        for (std::size_t i = 0; i < n_rows; ++i)
            if (channels.data()[i] < -1 || channels.data()[i] >= static_cast<std::int64_t>(n_channels) ||
                (weights && weights->data()[i] < 0))
                throw std::invalid_argument("a channel or a weight is out of range.");
        for (const GraphEdge& edge : graph_->edges)
            if (static_cast<std::size_t>(edge.feature) >= columns.size() ||
                columns[static_cast<std::size_t>(edge.feature)].size() < (n_rows + 63) / 64)
                throw std::invalid_argument("a column that trees ask for is missing.");
    }
    void check_numbers(std::size_t n_rows, const std::optional<Array<std::int64_t>>& sums,
                       const std::optional<Array<std::int32_t>>& order,
                       const std::optional<Array<std::int32_t>>& ranks) const {
        if (!sums && !order && !ranks) return;
        if (!sums || !order || !ranks || sums->size() != n_rows || order->size() != n_rows ||
            ranks->size() != graph_->nodes.size())
            throw std::invalid_argument(
                "there must be a sum and a rank for each row, and a rank for each node.");
        for (std::size_t i = 0; i < n_rows; ++i)
            if (sums->data()[i] < 0) throw std::invalid_argument("a sum is out of range.");
    }
    Prices prices_of(const PriceArray& prices, const std::string& by) const {
        const bool by_node = by == "node";
        if ((!by_node && by != "label") || prices.shape(1) != rows_->n_channels() ||
            prices.shape(0) != (by_node ? graph_->nodes.size() : graph_->n_labels()))
            throw std::invalid_argument("there must be prices by label or node, for each channel.");
        return {prices.data(), by_node, nullptr};
    }

    std::shared_ptr<Graph> graph_;
    std::vector<std::int32_t> ranks_;  // by node, where rows have numbers
    std::optional<MeasuredRows> rows_;
    std::optional<WalkedSet> set_;
    bool is_interrupted_ = false;
};

NewArray<std::int64_t> SetRows::weights(const TreeNodes& trees, const Array<std::int64_t>& ends) const {
    const auto refuse_if = [](bool wrong) {
        if (wrong) throw std::invalid_argument("the arrays are not those of trees of the set.");
    };
    refuse_if(trees.shape(0) != 4);
    const std::size_t n = trees.shape(1), n_words = rows_->n_words();
    const std::int32_t *feature = trees.data(), *left = feature + n, *right = left + n, *node = right + n;
    std::vector<std::int64_t> out(n * rows_->n_channels());
    std::vector<std::uint64_t> masks;
    std::size_t begin = 0;
    for (std::size_t t = 0; t < ends.size(); ++t) {
        const auto end = static_cast<std::size_t>(ends.data()[t]);
        refuse_if(end <= begin || end > n);
        masks.assign((end - begin) * n_words, 0);
        std::copy_n(rows_->all(), n_words, masks.data());
        for (std::size_t i = 0; i < end - begin; ++i) {
            const std::uint64_t* mask = masks.data() + i * n_words;
            const auto place = static_cast<std::size_t>(node[begin + i]);
            refuse_if(place >= graph_->nodes.size());
            rows_->weigh(mask, ranks_.empty() ? 0 : ranks_[place],
                         out.data() + (begin + i) * rows_->n_channels());
            const std::int32_t f = feature[begin + i];
            if (f < 0) continue;
            const auto yes = static_cast<std::size_t>(left[begin + i]);
            const auto no = static_cast<std::size_t>(right[begin + i]);
            refuse_if(!rows_->has_column(f) || yes <= i || no <= i || yes >= end - begin ||
                      no >= end - begin);
            const std::uint64_t* column = rows_->column(f);
            for (std::size_t w = 0; w < n_words; ++w) {
                masks[yes * n_words + w] = mask[w] & column[w];
                masks[no * n_words + w] = mask[w] & ~column[w];
            }
        }
        begin = end;
    }
    return to_array(std::move(out));
}

}  // namespace

void bind_evaluation(nb::module_& m) {
    nb::class_<Frontier>(m, "Frontier")
        .def_prop_ro(
            "costs", [](const Frontier& f) { return to_array(std::vector<Cost>(f.costs)); },
            nb::rv_policy::automatic)
        .def_prop_ro(
            "leaves", [](const Frontier& f) { return to_array(std::vector<Cost>(f.leaves)); },
            nb::rv_policy::automatic)
        .def_prop_ro(
            "values", [](const Frontier& f) { return to_array(std::vector<double>(f.values)); },
            nb::rv_policy::automatic)
        .def_prop_ro(
            "nodes", [](const Frontier& f) { return flatten(f.trees); }, nb::rv_policy::automatic)
        .def_prop_ro(
            "ends", [](const Frontier& f) { return to_array(std::vector<std::int64_t>(f.ends)); },
            nb::rv_policy::automatic)
        .def_ro("is_exact", &Frontier::is_exact);
    nb::class_<SetRows>(m, "SetRows")
        .def(nb::init<std::shared_ptr<Graph>, const std::vector<Array<std::uint64_t>>&, std::size_t,
                      const Array<std::int32_t>&, std::size_t, const std::optional<Array<std::int64_t>>&,
                      const RunOptions&, const std::optional<Array<std::int64_t>>&,
                      const std::optional<Array<std::int32_t>>&, const std::optional<Array<std::int32_t>>&>(),
             "graph"_a, "columns"_a, "n_rows"_a, "channels"_a, "n_channels"_a, "weights"_a.none(), "run"_a,
             nb::kw_only(), "sums"_a.none() = nb::none(), "order"_a.none() = nb::none(),
             "ranks"_a.none() = nb::none())
        .def_prop_ro("is_complete", &SetRows::is_complete)
        .def_prop_ro("is_interrupted", &SetRows::is_interrupted)
        .def_prop_ro("n_states", &SetRows::n_states)
        .def_prop_ro("totals", &SetRows::totals, nb::rv_policy::automatic)
        .def("frontier", &SetRows::frontier, "prices"_a, "by"_a, "run"_a, nb::kw_only(), "least"_a)
        .def("mean", &SetRows::mean, "prices"_a, "by"_a, "run"_a)
        .def("at_most", &SetRows::at_most, "prices"_a, "by"_a, "bound"_a, "run"_a)
        .def("weights", &SetRows::weights, "trees"_a, "ends"_a);
}

}  // namespace splitsecond
