// Bins of raw columns, and the questions that boosted trees ask of them.
#include <cmath>
#include <stdexcept>
#include <string>

#include "bindings.hpp"
#include "guess/binning.hpp"
#include "guess/boosting.hpp"

namespace splitsecond {
namespace {

nb::tuple bin(const Array<double>& values, const std::optional<Array<double>>& weights,
              std::size_t max_bins) {
    if (weights && weights->size() != values.size())
        throw std::invalid_argument("there must be one weight for each value.");
    if (max_bins < 1 || max_bins > UINT16_MAX) throw std::invalid_argument("max_bins must be 1 to 65535.");
    Bins bins;
    {
        const nb::gil_scoped_release release;
        bins = bin_numbers(values.data(), values.size(), weights ? weights->data() : nullptr, max_bins);
    }
    const bool shared = bins.lowest == bins.highest;  // one value a bin: one array will do
    const nb::object lowest = nb::cast(to_array(std::move(bins.lowest)));
    const nb::object highest = shared ? lowest : nb::cast(to_array(std::move(bins.highest)));
    return nb::make_tuple(to_array(std::move(bins.bins)), lowest, highest, bins.has_missing);
}

// A column whose bins are kept alive.
struct HeldColumn {
    BinnedColumn column;
    Array<std::uint16_t> bins;
};

HeldColumn column_of(Array<std::uint16_t> bins, std::uint32_t n_bins, std::uint32_t n_values,
                     std::uint32_t first, bool ordered, bool ask_if_missing) {
    if (n_bins < 1 || n_values > n_bins) throw std::invalid_argument("a column does not fit.");
    for (std::size_t i = 0; i < bins.size(); ++i)
        if (bins.data()[i] >= n_bins) throw std::invalid_argument("a bin is out of range.");
    const BinnedColumn column{bins.data(), n_bins, n_values, first, ordered, ask_if_missing};
    return {column, std::move(bins)};
}

struct Questions {
    std::vector<Question> list;
    Status status = Status::complete;

    template <class T>
    NewArray<T> field(T Question::* member) const {
        std::vector<T> values;
        for (const Question& question : list) values.push_back(question.*member);
        return to_array(std::move(values));
    }
};

struct GuessOptions {
    std::size_t n_estimators, max_depth;
    double learning_rate;
    std::size_t wanted;
};

// Runs boost(columns, weights, options, limits) on checked arguments.
template <class Boost>
Questions guess_with(const std::vector<HeldColumn>& columns, std::size_t n_rows,
                     const std::optional<Array<double>>& weights, const GuessOptions& asked,
                     const RunOptions& run, const Boost& boost_target) {
    std::vector<BinnedColumn> binned;
    for (const HeldColumn& held : columns) {
        if (held.bins.size() != n_rows) throw std::invalid_argument("a column does not fit.");
        binned.push_back(held.column);
    }
    if (weights && weights->size() != n_rows)
        throw std::invalid_argument("there must be one weight for each row.");
    if (asked.max_depth < 1 || asked.max_depth > 7) throw std::invalid_argument("max_depth must be 1 to 7.");
    const BoostOptions options{asked.n_estimators, asked.max_depth, asked.learning_rate, asked.wanted,
                               run.n_threads};
    return run_within(run, [&](Limits& limits) {
        Questions found;
        found.list = boost_target(binned, weights ? weights->data() : nullptr, options, limits);
        found.status = limits.reason();
        return found;
    });
}

Questions guess(const std::vector<HeldColumn>& columns, const Array<std::int32_t>& classes,
                std::size_t n_classes, const std::optional<Array<double>>& weights, std::size_t n_estimators,
                std::size_t max_depth, double learning_rate, std::size_t wanted, const RunOptions& run) {
    for (std::size_t i = 0; i < classes.size(); ++i)
        if (classes.data()[i] < 0 || static_cast<std::size_t>(classes.data()[i]) >= n_classes)
            throw std::invalid_argument("a class is out of range.");
    return guess_with(
        columns, classes.size(), weights, {n_estimators, max_depth, learning_rate, wanted}, run,
        [&](const auto& binned, const double* row_weights, const auto& options, Limits& limits) {
            return boost(binned, classes.size(), classes.data(), n_classes, row_weights, options, limits);
        });
}

NumberLoss number_loss(const std::string& name) {
    if (name == "squared_error") return NumberLoss::squared_error;
    if (name == "poisson") return NumberLoss::poisson;
    throw std::invalid_argument("loss must be squared_error or poisson.");
}

Questions guess_numbers(const std::vector<HeldColumn>& columns, const Array<double>& values,
                        const std::string& loss, const std::optional<Array<double>>& weights,
                        std::size_t n_estimators, std::size_t max_depth, double learning_rate,
                        std::size_t wanted, const RunOptions& run) {
    const NumberLoss kind = number_loss(loss);
    for (std::size_t i = 0; i < values.size(); ++i)
        if (!std::isfinite(values.data()[i]) || (kind == NumberLoss::poisson && values.data()[i] < 0))
            throw std::invalid_argument("a value is out of range.");
    return guess_with(
        columns, values.size(), weights, {n_estimators, max_depth, learning_rate, wanted}, run,
        [&](const auto& binned, const double* row_weights, const auto& options, Limits& limits) {
            return boost_numbers(binned, values.size(), values.data(), kind, row_weights, options, limits);
        });
}

}  // namespace

void bind_guessing(nb::module_& m) {
    m.def("bin", &bin, "values"_a, "weights"_a.none(), "max_bins"_a);
    nb::class_<HeldColumn>(m, "BinnedColumn")
        .def(
            "__init__",
            [](HeldColumn* self, Array<std::uint16_t> bins, std::uint32_t n_bins, std::uint32_t n_values,
               std::uint32_t first, bool ordered, bool ask_if_missing) {
                new (self)
                    HeldColumn(column_of(std::move(bins), n_bins, n_values, first, ordered, ask_if_missing));
            },
            "bins"_a, nb::kw_only(), "n_bins"_a, "n_values"_a, "first"_a, "ordered"_a, "ask_if_missing"_a);
    nb::class_<Questions>(m, "Questions")
        .def_prop_ro(
            "column", [](const Questions& found) { return found.field(&Question::column); },
            nb::rv_policy::automatic)
        .def_prop_ro(
            "bin", [](const Questions& found) { return found.field(&Question::bin); },
            nb::rv_policy::automatic)
        .def_prop_ro(
            "gain", [](const Questions& found) { return found.field(&Question::gain); },
            nb::rv_policy::automatic)
        .def_prop_ro("status", [](const Questions& found) { return name_of(found.status); });
    m.def("guess", &guess, "columns"_a, "classes"_a, "n_classes"_a, "weights"_a.none(), nb::kw_only(),
          "n_estimators"_a, "max_depth"_a, "learning_rate"_a, "wanted"_a, "run"_a);
    m.def("guess_numbers", &guess_numbers, "columns"_a, "values"_a, "loss"_a, "weights"_a.none(),
          nb::kw_only(), "n_estimators"_a, "max_depth"_a, "learning_rate"_a, "wanted"_a, "run"_a);
}

}  // namespace splitsecond
