// What trees of a set ask on the paths from their root, for Python.
#include "sets/path_counts.hpp"

#include "bindings.hpp"

namespace splitsecond {
namespace {

// A tuple for each step: feature, parent, side, questions, cost and leaves of the best, followed, words of the number.
// None when interrupted.
nb::object steps_of(const Graph& graph, const std::vector<std::size_t>& max_kept, const RunOptions& run) {
    bool is_interrupted = false;
    const PathCounts found = run_within(run, [&](Limits& limits) {
        PathCounts counts = count_paths(graph, max_kept, limits);
        is_interrupted = limits.reason() == Status::interrupted;
        return counts;
    });
    if (is_interrupted) return nb::none();
    nb::list out;
    for (std::size_t i = 0; i < found.steps.size(); ++i) {
        const PathStep& step = found.steps[i];
        const Digit* words = found.numbers.data() + i * graph.digits();
        out.append(nb::make_tuple(step.feature, step.parent, step.is_no, step.questions, step.cost,
                                  step.leaves, step.is_followed,
                                  std::vector<Digit>(words, words + graph.digits())));
    }
    return std::move(out);
}

}  // namespace

void bind_path_counts(nb::module_& m) { m.def("count_paths", &steps_of, "graph"_a, "max_kept"_a, "run"_a); }

}  // namespace splitsecond
