// The module `_core`.
#include "bindings.hpp"

NB_MODULE(_core, m) {
    m.doc() = "The native core of splitsecond; use the estimators instead.";
    // A model may be alive when Python ends, such as in a notebook's history: that is no leak to print.
    nb::set_leak_warnings(false);
    splitsecond::bind_requests(m);
    splitsecond::bind_tables(m);
    splitsecond::bind_blocks(m);
    splitsecond::bind_counters(m);
    splitsecond::bind_solving(m);
    splitsecond::bind_guessing(m);
    splitsecond::bind_graphs(m);
    splitsecond::bind_sets(m);
    splitsecond::bind_reliance(m);
    splitsecond::bind_evaluation(m);
    splitsecond::bind_path_counts(m);
}
