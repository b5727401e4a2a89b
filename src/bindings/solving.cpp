// One tree: the four algorithms.
#include <stdexcept>
#include <string>

#include "bindings.hpp"
#include "search/solve.hpp"

namespace splitsecond {
namespace {

struct TreeRequest {
    Options options;
    RunOptions run;
    nb::object counter;  // None: the core counts
};

Algorithm algorithm_named(const std::string& name) {
    if (name == "greedy") return Algorithm::greedy;
    if (name == "lickety") return Algorithm::lickety_split;
    if (name == "split") return Algorithm::split;
    if (name == "optimal") return Algorithm::optimal;
    throw std::invalid_argument("algorithm='" + name + "' is not one of greedy, lickety, split, optimal.");
}

Completion completion_named(const std::string& name) {
    if (name == "greedy") return Completion::greedy;
    if (name == "lickety") return Completion::lickety;
    throw std::invalid_argument("completion='" + name + "' is not one of greedy, lickety.");
}

Solution solve_request(const HeldTable& table, const HeldTarget& target, const TreeRequest& request) {
    check_rows(table, target);
    check_target(request.options.objective, target);
    Options options = request.options;
    options.open_counter = counter_source(request.counter);
    return run_within(request.run,
                      [&](Limits& limits) { return solve(table.table, target.target, options, limits); });
}

}  // namespace

void bind_solving(nb::module_& m) {
    nb::class_<TreeRequest>(m, "TreeRequest")
        .def(
            "__init__",
            [](TreeRequest* self, const std::string& algorithm, const Objective& objective,
               std::size_t max_depth, std::size_t lookahead, bool postprocess, bool exact_last_split,
               Count min_leaf_rows, const std::string& completion, const RunOptions& run,
               const SpeedOptions& speed, nb::object counter) {
                Options options;
                options.completion = completion_named(completion);
                options.algorithm = algorithm_named(algorithm);
                options.lookahead = lookahead;
                options.postprocess = postprocess;
                set_search(options, objective, max_depth, exact_last_split, min_leaf_rows, run, speed);
                if (!counter.is_none() && !options.can_count_elsewhere())
                    throw std::invalid_argument("a counter is for greedy, or lickety with lookahead 1.");
                new (self) TreeRequest{options, run, std::move(counter)};
            },
            "algorithm"_a, "objective"_a, nb::kw_only(), "max_depth"_a, "lookahead"_a, "postprocess"_a,
            "exact_last_split"_a, "min_leaf_rows"_a = 1, "completion"_a = "greedy", "run"_a, "speed"_a,
            "counter"_a.none() = nb::none());

    nb::class_<Solution, Outcome>(m, "Solution")
        .def_prop_ro(
            "feature", [](const Solution& found) { return to_array(found.tree.feature); },
            nb::rv_policy::automatic)
        .def_prop_ro(
            "left", [](const Solution& found) { return to_array(found.tree.left); }, nb::rv_policy::automatic)
        .def_prop_ro(
            "right", [](const Solution& found) { return to_array(found.tree.right); },
            nb::rv_policy::automatic)
        .def_prop_ro(
            "counts", [](const Solution& found) { return to_array(found.tree.counts); },
            nb::rv_policy::automatic)
        .def_ro("loss", &Solution::loss)
        .def_ro("leaves", &Solution::leaves)
        .def_ro("lower_bound", &Solution::lower_bound);

    m.def("solve", &solve_request, "table"_a, "target"_a, "request"_a);
}

}  // namespace splitsecond
