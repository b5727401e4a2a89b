// One tree: the four algorithms.
#include <stdexcept>
#include <string>

#include "bindings.hpp"
#include "search/solve.hpp"

namespace splitsecond {
namespace {

Algorithm algorithm_of(const std::string& name) {
    if (name == "greedy") return Algorithm::greedy;
    if (name == "lickety") return Algorithm::lickety_split;
    if (name == "split") return Algorithm::split;
    if (name == "optimal") return Algorithm::optimal;
    throw std::invalid_argument("algorithm='" + name + "' is not one of greedy, lickety, split, optimal.");
}

nb::dict to_dict(const Solution& solution) {
    nb::dict out;
    if (solution.not_binary) {
        out["not_binary"] = nb::make_tuple(solution.not_binary->row, solution.not_binary->column);
        return out;
    }
    nb::dict numbers = to_dict(solution.statistics);
    numbers["peak_bytes"] = solution.peak_bytes;
    numbers["seconds"] = solution.seconds;
    out["feature"] = nb::cast(solution.tree.feature);
    out["left"] = nb::cast(solution.tree.left);
    out["right"] = nb::cast(solution.tree.right);
    out["counts"] = nb::cast(solution.tree.counts);
    out["packed"] = solution.packed;
    out["errors"] = solution.loss;
    out["leaves"] = solution.leaves;
    out["lower_bound"] = solution.lower_bound;
    out["status"] = name_of(solution.status);
    out["statistics"] = numbers;
    return out;
}

nb::dict run(const Table& table, const AnyArray& classes, std::size_t n_classes,
             const std::optional<Array<std::int32_t>>& weights, const nb::dict& options) {
    const Target target = target_of(table, classes, n_classes, weights);
    Options chosen;
    chosen.algorithm = algorithm_of(nb::cast<std::string>(options["algorithm"]));
    chosen.max_depth = nb::cast<std::size_t>(options["max_depth"]);
    chosen.lookahead = nb::cast<std::size_t>(options["lookahead"]);
    chosen.postprocess = nb::cast<bool>(options["postprocess"]);
    chosen.exact_last_split = nb::cast<bool>(options["exact_last_split"]);
    chosen.objective = objective_of(options);
    chosen.n_threads = nb::cast<std::size_t>(options["n_threads"]);
    chosen.speed = speed_of(options);
    return to_dict(run_within(seconds_of(options), bytes_of(options), nb::borrow(options["progress"]),
                              [&](Limits& limits) { return solve(table, target, chosen, limits); }));
}

}  // namespace

void bind_solving(nb::module_& m) {
    m.def("simd_paths", [] {
        std::vector<std::string> names;
        for (const Kernels* path : available_kernels()) names.emplace_back(path->name);
        return names;
    });
    m.def(
        "find_non_binary",
        [](const std::vector<AnyArray>& blocks,
           std::size_t n_rows) -> std::optional<std::pair<std::size_t, std::size_t>> {
            const Table table = dense_table(blocks, n_rows);
            const std::optional<Cell> cell = [&] {
                const nb::gil_scoped_release release;
                return find_non_binary(find_kernels("auto"), table);
            }();
            if (!cell) return std::nullopt;
            return std::make_pair(cell->row, cell->column);
        },
        "blocks"_a, "n_rows"_a);
    bind_all(m, "solve", &run);
}

}  // namespace splitsecond
