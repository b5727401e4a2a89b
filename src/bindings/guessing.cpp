// Bins of raw columns, and the questions that boosted trees ask of them.
#include <stdexcept>

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
    return nb::make_tuple(to_array(std::move(bins.bins)), lowest, highest, bins.has_blank);
}

// Each column is (bins, number of bins, number of values, first question, ordered, ask if blank).
nb::dict guess(const std::vector<nb::tuple>& columns, const Array<std::int32_t>& classes,
               std::size_t n_classes, const std::optional<Array<double>>& weights, const nb::dict& options) {
    std::vector<BinnedColumn> binned;
    std::vector<Array<std::uint16_t>> held;
    for (const nb::tuple& column : columns) {
        held.push_back(nb::cast<Array<std::uint16_t>>(column[0]));
        const BinnedColumn next{held.back().data(),
                                nb::cast<std::uint32_t>(column[1]),
                                nb::cast<std::uint32_t>(column[2]),
                                nb::cast<std::uint32_t>(column[3]),
                                nb::cast<bool>(column[4]),
                                nb::cast<bool>(column[5])};
        if (held.back().size() != classes.size() || next.n_bins < 1 || next.n_values > next.n_bins)
            throw std::invalid_argument("a column does not fit.");
        for (std::size_t i = 0; i < classes.size(); ++i)
            if (next.bins[i] >= next.n_bins) throw std::invalid_argument("a bin is out of range.");
        binned.push_back(next);
    }
    for (std::size_t i = 0; i < classes.size(); ++i)
        if (classes.data()[i] < 0 || static_cast<std::size_t>(classes.data()[i]) >= n_classes)
            throw std::invalid_argument("a class is out of range.");
    if (weights && weights->size() != classes.size())
        throw std::invalid_argument("there must be one weight for each row.");
    BoostOptions chosen;
    chosen.rounds = nb::cast<std::size_t>(options["n_estimators"]);
    chosen.max_depth = nb::cast<std::size_t>(options["max_depth"]);
    chosen.learning_rate = nb::cast<double>(options["learning_rate"]);
    chosen.wanted = nb::cast<std::size_t>(options["wanted"]);
    chosen.n_threads = nb::cast<std::size_t>(options["n_threads"]);
    if (chosen.max_depth < 1 || chosen.max_depth > 7)
        throw std::invalid_argument("max_depth must be 1 to 7.");

    Status status = Status::complete;
    const std::vector<Question> questions =
        run_within(seconds_of(options), bytes_of(options), nb::none(), [&](Limits& limits) {
            auto found = boost(binned, classes.size(), classes.data(), n_classes,
                               weights ? weights->data() : nullptr, chosen, limits);
            status = limits.reason();
            return found;
        });
    std::vector<std::uint32_t> column, bin;
    std::vector<double> gain;
    for (const Question& question : questions) {
        column.push_back(question.column);
        bin.push_back(question.bin);
        gain.push_back(question.gain);
    }
    nb::dict out;
    out["column"] = to_array(std::move(column));
    out["bin"] = to_array(std::move(bin));
    out["gain"] = to_array(std::move(gain));
    out["status"] = name_of(status);
    return out;
}

}  // namespace

void bind_guessing(nb::module_& m) {
    m.def("bin", &bin, "values"_a, "weights"_a.none(), "max_bins"_a);
    m.def("guess", &guess, "columns"_a, "classes"_a, "n_classes"_a, "weights"_a.none(), "options"_a);
}

}  // namespace splitsecond
