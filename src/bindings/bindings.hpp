// Bindings: numpy arrays and typed requests in, typed results out. No algorithm and no policy here.
//
// What all parts share: arrays, tables and requests that come in, arrays that go out, and how a search polls Python
// while it runs. Each part adds its functions and classes to the module.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "data/packing.hpp"
#include "runtime/limits.hpp"
#include "search/session.hpp"
#include "sets/graph.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace splitsecond {

void bind_requests(nb::module_& m);
void bind_tables(nb::module_& m);  // after requests
void bind_counters(nb::module_& m);
void bind_solving(nb::module_& m);      // after tables, requests and counters
void bind_guessing(nb::module_& m);     // after requests
void bind_graphs(nb::module_& m);       // after requests
void bind_sets(nb::module_& m);         // after tables, requests and graphs
void bind_reliance(nb::module_& m);     // after graphs
void bind_evaluation(nb::module_& m);   // after graphs
void bind_path_counts(nb::module_& m);  // after graphs

// ---- arrays ---------------------------------------------------------------------------------------

using AnyArray = nb::ndarray<nb::ro, nb::device::cpu>;
template <class T>
using Array = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
template <class T>
using NewArray = nb::ndarray<nb::numpy, T, nb::ndim<1>>;

template <class T>
NewArray<T> to_array(std::vector<T> values) {
    auto* owned = new std::vector<T>(std::move(values));
    nb::capsule owner(owned, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
    return {owned->data(), {owned->size()}, owner};
}

// A part of what `owner` holds, for reading; not copied.
template <class T>
using SharedArray = nb::ndarray<nb::numpy, const T, nb::ndim<1>>;
template <class T>
SharedArray<T> share(const T* values, std::size_t n, nb::handle owner) {
    return {values, {n}, owner};
}

// Numbers of trees, a row of words for each.
using TreeNumbers = nb::ndarray<const Digit, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
void check_numbers(const Graph& graph, const TreeNumbers& numbers);

// Trees as an array, whose rows are feature, left, right and the graph's node.
nb::ndarray<nb::numpy, std::int32_t, nb::ndim<2>> flatten(const GraphTree& trees);

// ---- what comes in --------------------------------------------------------------------------------

// A table whose arrays are kept alive.
struct HeldTable {
    Table table;
    std::vector<AnyArray> arrays;
};

// Classes and weights of its rows, likewise.
struct HeldTarget {
    Target target;
    std::size_t n_rows;
    AnyArray classes;
    std::optional<Array<std::int32_t>> weights;  // or how many rows each stands for
};

// Limits of one call, and the listener that is told its progress.
struct RunOptions {
    double seconds = Limits::kNoDeadline;
    std::size_t bytes = Limits::kNoBudget;
    std::size_t n_threads = 1;
    nb::object progress = nb::none();
};

void check_rows(const HeldTable& table, const HeldTarget& target);
// A loss of numbers needs sums. Costs must be of the classes that there are, and not so large that sums of them overflow.
void check_target(const Objective& objective, const HeldTarget& target);

// What requests for a tree and for a set have in common.
void set_search(SearchOptions& options, const Objective& objective, std::size_t max_depth,
                bool exact_last_split, Count min_leaf_rows, const RunOptions& run, const SpeedOptions& speed);

// What makes the counter of a backend in Python (counters.cpp); nothing for None. The object must outlive it.
CounterSource counter_source(const nb::object& open_counter);

// ---- what goes out --------------------------------------------------------------------------------

const char* name_of(Status status);

// (row, column) of a cell that is neither 0 nor 1.
inline std::optional<std::pair<std::size_t, std::size_t>> place_of(const std::optional<Cell>& cell) {
    if (!cell) return std::nullopt;
    return std::make_pair(cell->row, cell->column);
}

// ---- long work ------------------------------------------------------------------------------------

// Polls Python while a search runs: signals, and a listener that is told its progress. Ctrl-C ends the search, not the
// program; any other exception of a handler or the listener is raised afterwards.
class PythonPoll {
public:
    explicit PythonPoll(nb::object listener) : listener_(std::move(listener)) {}

    bool stop(const Limits& limits) {
        const nb::gil_scoped_acquire gil;
        try {
            if (PyErr_CheckSignals() != 0) throw nb::python_error();
            if (!listener_.is_none()) listener_(limits.done(), limits.steps(), limits.seconds());
        } catch (nb::python_error& error) {
            if (!error.matches(PyExc_KeyboardInterrupt)) other_.emplace(std::move(error));
            return true;
        }
        return false;
    }
    void raise_other() {
        if (other_) throw std::move(*other_);
    }

private:
    nb::object listener_;
    std::optional<nb::python_error> other_;
};

// Does work that may take long without the interpreter's lock, and returns what it returns.
template <class Work>
auto run_within(const RunOptions& run, const Work& work) {
    PythonPoll poll(run.progress);
    auto result = [&] {
        const nb::gil_scoped_release release;
        Limits limits(run.seconds, run.bytes, [&](const Limits& now) { return poll.stop(now); });
        return work(limits);
    }();
    poll.raise_other();
    return result;
}
template <class Work>
auto run_unlimited(const Work& work) {
    return run_within(RunOptions{}, work);
}

}  // namespace splitsecond
