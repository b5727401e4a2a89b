// Rashomon sets.
#include <memory>
#include <utility>

#include "bindings.hpp"
#include "sets/rashomon.hpp"

namespace splitsecond {
namespace {

struct SetRequest {
    SetOptions options;  // without its bound
    nb::object bound;
    RunOptions run;
};

// The graph belongs to Python from here on.
struct FoundSet : Outcome {
    FoundSet(RashomonSet set)
        : Outcome(std::move(set)),
          graph(std::make_shared<Graph>(std::move(set.graph))),
          loss(set.reference_loss),
          leaves(set.reference_leaves),
          proved(set.proved) {}

    std::shared_ptr<Graph> graph;
    Cost loss;
    Cost leaves;
    bool proved;
};

FoundSet find_set(const HeldTable& table, const HeldTarget& target, const SetRequest& request) {
    check_rows(table, target);
    check_target(request.options.objective, target);
    SetOptions options = request.options;
    options.bound = [&](Cost loss, Cost leaves) {
        const nb::gil_scoped_acquire gil;
        return nb::cast<Cost>(request.bound(loss, leaves));
    };
    return run_within(request.run, [&](Limits& limits) {
        return rashomon_set(table.table, target.target, options, limits);
    });
}

}  // namespace

void bind_sets(nb::module_& m) {
    nb::class_<SetRequest>(m, "SetRequest")
        .def(
            "__init__",
            [](SetRequest* self, const Objective& objective, std::size_t max_depth,
               std::optional<std::size_t> lookahead, bool keep_trivial, bool exact_last_split,
               Count min_leaf_rows, nb::callable bound, const RunOptions& run, const SpeedOptions& speed) {
                SetOptions options;
                options.lookahead = lookahead;
                options.keep_trivial = keep_trivial;
                set_search(options, objective, max_depth, exact_last_split, min_leaf_rows, run, speed);
                new (self) SetRequest{std::move(options), std::move(bound), run};
            },
            "objective"_a, nb::kw_only(), "max_depth"_a, "lookahead"_a.none(), "keep_trivial"_a,
            "exact_last_split"_a, "min_leaf_rows"_a = 1, "bound"_a, "run"_a, "speed"_a);

    nb::class_<FoundSet, Outcome>(m, "FoundSet")
        .def_ro("graph", &FoundSet::graph)
        .def_ro("loss", &FoundSet::loss)
        .def_ro("leaves", &FoundSet::leaves)
        .def_ro("proved", &FoundSet::proved);

    m.def("find_set", &find_set, "table"_a, "target"_a, "request"_a);
}

}  // namespace splitsecond
