// What trees of a set ask on the paths from their root, for Python.
#include "sets/path_counts.hpp"

#include <nanobind/stl/tuple.h>

#include <optional>
#include <tuple>
#include <vector>

#include "bindings.hpp"

namespace splitsecond {
namespace {

// Feature, parent, side, questions, cost and leaves of the best, whether it is followed, and the words of the number.
using Step = std::tuple<std::int32_t, std::int32_t, bool, std::int64_t, Cost, Cost, bool, std::vector<Digit>>;

// None when interrupted.
std::optional<std::vector<Step>> steps_of(const Graph& graph, const std::vector<std::size_t>& max_kept,
                                          const RunOptions& run) {
    bool is_interrupted = false;
    const PathCounts found = run_within(run, [&](Limits& limits) {
        PathCounts counts = count_paths(graph, max_kept, limits);
        is_interrupted = limits.reason() == Status::interrupted;
        return counts;
    });
    if (is_interrupted) return std::nullopt;
    std::vector<Step> out;
    for (std::size_t i = 0; i < found.steps.size(); ++i) {
        const PathStep& step = found.steps[i];
        const Digit* words = found.numbers.data() + i * graph.digits();
        out.emplace_back(step.feature, step.parent, step.is_no, step.questions, step.cost, step.leaves,
                         step.is_followed, std::vector<Digit>(words, words + graph.digits()));
    }
    return out;
}

}  // namespace

void bind_path_counts(nb::module_& m) { m.def("count_paths", &steps_of, "graph"_a, "max_kept"_a, "run"_a); }

}  // namespace splitsecond
