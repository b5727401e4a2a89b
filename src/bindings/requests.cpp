// What all requests have in common: the objective, limits, and switches that change only the speed; and what all
// results have.
#include <bit>
#include <cmath>
#include <stdexcept>
#include <string>

#include "bindings.hpp"

namespace splitsecond {
namespace {

RunOptions run_of(std::optional<double> time_limit, std::optional<std::size_t> memory_limit,
                  std::size_t n_threads, nb::object progress) {
    return {time_limit.value_or(Limits::kNoDeadline), memory_limit.value_or(Limits::kNoBudget), n_threads,
            std::move(progress)};
}

LevelUse level_use_named(const std::string& name) {
    if (name == "auto") return LevelUse::where_faster;
    if (name == "never") return LevelUse::never;
    if (name == "always") return LevelUse::always;
    throw std::invalid_argument("levels='" + name + "' is not one of auto, never, always.");
}

using CostArray = nb::ndarray<const Cost, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

Objective objective_of(const Price& price, const std::string& loss, double scale, int unit_bits,
                       const std::optional<CostArray>& costs, const std::optional<SumParameters>& sums) {
    Objective objective{price, loss_named(loss), {}};
    if (unit_bits < 0 || unit_bits > 50 || !(scale >= 0 && scale < 0x1p50))
        throw std::invalid_argument("scale and unit_bits must be from 0 to 2^50 and 50.");
    if ((objective.loss == loss_named("costs")) != costs.has_value())
        throw std::invalid_argument("costs belong to loss='costs', and to no other.");
    if (objective.is_of_numbers() != sums.has_value())
        throw std::invalid_argument("sums belong to losses of numbers, and to no other.");
    if (sums) objective.parameters.sums = *sums;
    objective.parameters.scale = scale;
    objective.parameters.root_loss = Cost{1} << unit_bits;
    if (costs)
        objective.parameters.set_costs(
            costs->shape(0), costs->shape(1),
            std::vector<Cost>(costs->data(), costs->data() + costs->shape(0) * costs->shape(1)));
    return objective;
}

// What leaves lose, given their counts [leaves, channels].
NewArray<Cost> losses_of(const Objective& objective,
                         const nb::ndarray<const Count, nb::ndim<2>, nb::c_contig, nb::device::cpu>& counts) {
    const std::size_t n_channels = counts.shape(1);
    std::vector<Cost> losses;
    for (std::size_t i = 0; i < counts.shape(0); ++i) {
        const Count* leaf = counts.data() + i * n_channels;
        losses.push_back(objective.leaf_loss(n_channels, [leaf](std::size_t c) { return leaf[c]; }));
    }
    return to_array(std::move(losses));
}

// By action and class, one after the other; none: None.
std::optional<NewArray<Cost>> costs_of(const Objective& objective) {
    const CostMatrix& costs = objective.parameters.costs;
    if (costs.n_actions == 0) return std::nullopt;
    return to_array(std::vector<Cost>(costs.values, costs.values + costs.n_actions * costs.n_classes));
}

}  // namespace

void set_search(SearchOptions& options, const Objective& objective, std::size_t max_depth,
                bool exact_last_split, Count min_leaf_rows, const RunOptions& run,
                const SpeedOptions& speed) {
    if (min_leaf_rows < 1) throw std::invalid_argument("min_leaf_rows must be at least 1.");
    options.min_leaf_rows = min_leaf_rows;
    options.objective = objective;
    options.max_depth = max_depth;
    options.exact_last_split = exact_last_split;
    options.n_threads = run.n_threads;
    options.speed = speed;
}

const char* name_of(Status status) {
    switch (status) {
        case Status::complete: return "complete";
        case Status::time_limit: return "time_limit";
        case Status::memory_limit: return "memory_limit";
        case Status::interrupted: return "interrupted";
    }
    return "";
}

void bind_requests(nb::module_& m) {
    nb::class_<SumParameters>(m, "Sums")
        .def(
            "__init__",
            [](SumParameters* self, double limb, double offset, double magnitude, double max_rate,
               double centre) {
                const auto is_bad = [](double value) { return !(value >= 0 && value < 0x1p1000); };
                if (!(limb >= 1 && limb <= 0x1p31) || is_bad(offset) || is_bad(magnitude) ||
                    is_bad(max_rate) || !(centre >= 0 && centre <= 0x1p53) || centre != std::floor(centre))
                    throw std::invalid_argument("a parameter of sums is out of range.");
                new (self) SumParameters{limb, offset, centre, magnitude, max_rate};
            },
            nb::kw_only(), "limb"_a, "offset"_a, "magnitude"_a, "max_rate"_a = 1.0, "centre"_a = 0.0)
        .def_ro("limb", &SumParameters::limb)
        .def_ro("offset", &SumParameters::offset)
        .def_ro("magnitude", &SumParameters::magnitude)
        .def_ro("max_rate", &SumParameters::max_rate)
        .def_ro("centre", &SumParameters::centre);
    nb::class_<Objective>(m, "Objective")
        .def(
            "__init__",
            [](Objective* self, Cost loss_price, Cost leaf_price, const std::string& loss, double scale,
               int unit_bits, const std::optional<CostArray>& costs,
               const std::optional<SumParameters>& sums) {
                new (self)
                    Objective(objective_of({loss_price, leaf_price}, loss, scale, unit_bits, costs, sums));
            },
            "loss_price"_a, "leaf_price"_a, "loss"_a = "zero_one", nb::kw_only(), "scale"_a = 1.0,
            "unit_bits"_a = 0, "costs"_a.none() = nb::none(), "sums"_a.none() = nb::none())
        .def_prop_ro("loss",
                     [](const Objective& objective) {
                         return std::string(Losses::names[static_cast<std::size_t>(objective.loss)]);
                     })
        .def_prop_ro("scale", [](const Objective& objective) { return objective.parameters.scale; })
        .def_prop_ro("unit_bits",
                     [](const Objective& objective) {
                         return std::bit_width(static_cast<Word>(objective.parameters.root_loss)) - 1;
                     })
        .def("leaf_rounding", &Objective::leaf_rounding, "weight"_a)
        .def("leaf_losses", &losses_of, "counts"_a)
        .def_prop_ro("costs", &costs_of, nb::rv_policy::automatic)
        .def_prop_ro("sums",
                     [](const Objective& objective) -> std::optional<SumParameters> {
                         if (!objective.is_of_numbers()) return std::nullopt;
                         return objective.parameters.sums;
                     })
        .def_prop_ro("loss_price", [](const Objective& objective) { return objective.price.loss; })
        .def_prop_ro("leaf_price", [](const Objective& objective) { return objective.price.leaf; });

    nb::class_<RunOptions>(m, "RunOptions")
        .def(
            "__init__",
            [](RunOptions* self, std::optional<double> time_limit, std::optional<std::size_t> memory_limit,
               std::size_t n_threads, nb::object progress) {
                new (self) RunOptions(run_of(time_limit, memory_limit, n_threads, std::move(progress)));
            },
            nb::kw_only(), "time_limit"_a.none() = nb::none(), "memory_limit"_a.none() = nb::none(),
            "n_threads"_a = 1, "progress"_a.none() = nb::none());

    nb::class_<SpeedOptions>(m, "Speed")
        .def(
            "__init__",
            [](SpeedOptions* self, const std::string& simd, bool equivalent_points, bool similar_support,
               bool minimum_support, bool cache, bool subtract_siblings, const std::string& levels) {
                new (self) SpeedOptions{&find_kernels(simd.c_str()),
                                        equivalent_points,
                                        similar_support,
                                        minimum_support,
                                        cache,
                                        subtract_siblings,
                                        level_use_named(levels)};
            },
            nb::kw_only(), "simd"_a = "auto", "equivalent_points"_a = true, "similar_support"_a = true,
            "minimum_support"_a = true, "cache"_a = true, "subtract_siblings"_a = true, "levels"_a = "auto");
    m.def("simd_paths", [] {
        std::vector<std::string> names;
        for (const Kernels* path : available_kernels()) names.emplace_back(path->name);
        return names;
    });

    nb::class_<Statistics>(m, "Statistics")
        .def_ro("subproblems", &Statistics::subproblems)
        .def_ro("completions", &Statistics::completions)
        .def_ro("pair_matrices", &Statistics::pair_matrices)
        .def_ro("cache_hits", &Statistics::cache_hits)
        .def_ro("cache_entries", &Statistics::cache_entries);

    nb::class_<Outcome>(m, "Outcome")
        .def_prop_ro("not_binary", [](const Outcome& outcome) { return place_of(outcome.not_binary); })
        .def_ro("packed", &Outcome::packed)
        .def_prop_ro("status", [](const Outcome& outcome) { return name_of(outcome.status); })
        .def_ro("statistics", &Outcome::statistics)
        .def_ro("peak_bytes", &Outcome::peak_bytes)
        .def_ro("seconds", &Outcome::seconds);
}

}  // namespace splitsecond
