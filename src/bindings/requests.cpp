// What all requests have in common: the objective, limits, and switches that change only the speed; and what all
// results have.
#include <string>

#include "bindings.hpp"

namespace splitsecond {
namespace {

RunOptions run_of(std::optional<double> time_limit, std::optional<std::size_t> memory_limit,
                  std::size_t n_threads, nb::object progress) {
    return {time_limit.value_or(Limits::kNoDeadline), memory_limit.value_or(Limits::kNoBudget), n_threads,
            std::move(progress)};
}

}  // namespace

void set_search(SearchOptions& options, const Objective& objective, std::size_t max_depth,
                bool exact_last_split, const RunOptions& run, const SpeedOptions& speed) {
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
    nb::class_<Objective>(m, "Objective")
        .def(
            "__init__",
            [](Objective* self, Cost loss_price, Cost leaf_price, const std::string& loss) {
                new (self) Objective{{loss_price, leaf_price}, loss_named(loss)};
            },
            "loss_price"_a, "leaf_price"_a, "loss"_a = "zero_one")
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
               bool minimum_support, bool cache, bool subtract_siblings) {
                new (self) SpeedOptions{&find_kernels(simd.c_str()),
                                        equivalent_points,
                                        similar_support,
                                        minimum_support,
                                        cache,
                                        subtract_siblings};
            },
            nb::kw_only(), "simd"_a = "auto", "equivalent_points"_a = true, "similar_support"_a = true,
            "minimum_support"_a = true, "cache"_a = true, "subtract_siblings"_a = true);
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
        .def_prop_ro("not_binary",
                     [](const Outcome& outcome) -> std::optional<std::pair<std::size_t, std::size_t>> {
                         if (!outcome.not_binary) return std::nullopt;
                         return std::make_pair(outcome.not_binary->row, outcome.not_binary->column);
                     })
        .def_ro("packed", &Outcome::packed)
        .def_prop_ro("status", [](const Outcome& outcome) { return name_of(outcome.status); })
        .def_ro("statistics", &Outcome::statistics)
        .def_ro("peak_bytes", &Outcome::peak_bytes)
        .def_ro("seconds", &Outcome::seconds);
}

}  // namespace splitsecond
