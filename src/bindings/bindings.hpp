// Bindings: numpy arrays in, plain dicts out. No algorithm here.
//
// What all parts share: the arrays and options that come in, the arrays that go out, and what a search hears
// of Python while it runs. Each part adds its functions and classes to the module.
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
#include <string>
#include <utility>
#include <vector>

#include "data/packing.hpp"
#include "runtime/limits.hpp"
#include "search/problem.hpp"
#include "sets/graph.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace splitsecond {

void bind_solving(nb::module_& m);
void bind_guessing(nb::module_& m);
void bind_graphs(nb::module_& m);
void bind_reliance(nb::module_& m);  // after the graphs

// ---- arrays ---------------------------------------------------------------------------------------

using AnyArray = nb::ndarray<nb::ro, nb::device::cpu>;
template <class T>
using Array = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

template <class T>
nb::ndarray<nb::numpy, T, nb::ndim<1>> to_array(std::vector<T> values) {
    auto* owned = new std::vector<T>(std::move(values));
    nb::capsule owner(owned, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
    return {owned->data(), {owned->size()}, owner};
}

// Blocks stand side by side: each is one column (1-D) or several (2-D).
Table dense_table(const std::vector<AnyArray>& blocks, std::size_t n_rows);
Table sparse_table(const Array<std::int64_t>& row_begin, const Array<std::int32_t>& ones,
                   std::size_t n_columns);
Target target_of(const Table& table, const AnyArray& classes, std::size_t n_classes,
                 const std::optional<Array<std::int32_t>>& weights);

// Columns of bits, 64 rows a word.
Table packed_table(const std::vector<Array<std::uint64_t>>& columns, std::size_t n_rows);

// Adds a function of a table, classes, weights and options in a form for each kind of table: `name` for dense
// ones, `name`_sparse and `name`_packed.
using OfTable = nb::dict (*)(const Table& table, const AnyArray& classes, std::size_t n_classes,
                             const std::optional<Array<std::int32_t>>& weights, const nb::dict& options);
void bind_all(nb::module_& m, const std::string& name, OfTable function);

// Numbers of trees, a row of words for each.
using TreeNumbers = nb::ndarray<const Digit, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
void check_numbers(const Graph& graph, const TreeNumbers& numbers);

// ---- options and results --------------------------------------------------------------------------

double seconds_of(const nb::dict& options);
std::size_t bytes_of(const nb::dict& options);
Objective objective_of(const nb::dict& options);
SpeedOptions speed_of(const nb::dict& options);
const char* name_of(Status status);
nb::dict to_dict(const Statistics& statistics);

// What the search hears of Python while it runs: signals, and a listener that is told how far it is. Ctrl-C
// ends the search, not the program; any other exception of a handler or the listener is raised afterwards.
class Ears {
public:
    explicit Ears(nb::object listener) : listener_(std::move(listener)) {}

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

// Does work that may take long without the interpreter's lock, and returns what it returns. The work is given
// what its limits ask whether to go on.
template <class Work>
auto run_long(nb::object listener, const Work& work) {
    Ears ears(std::move(listener));
    auto result = [&] {
        const nb::gil_scoped_release release;
        return work([&](const Limits& now) { return ears.stop(now); });
    }();
    ears.raise_other();
    return result;
}

// The same, within limits.
template <class Work>
auto run_within(double seconds, std::size_t bytes, nb::object listener, const Work& work) {
    return run_long(std::move(listener), [&](const auto& interrupted) {
        Limits limits(seconds, bytes, interrupted);
        return work(limits);
    });
}
template <class Work>
auto run_unlimited(const Work& work) {
    return run_within(Limits::kNoDeadline, Limits::kNoBudget, nb::none(), work);
}

}  // namespace splitsecond
