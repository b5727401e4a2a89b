// Bindings: numpy arrays in, a plain dict out. No algorithm here.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <optional>
#include <stdexcept>
#include <string>
#include <utility>

#include "algorithms.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace splitsecond {
namespace {

using AnyArray = nb::ndarray<nb::ro, nb::device::cpu>;
template <class T>
using Array = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

Type type_of(const nb::dlpack::dtype& dtype) {
    const auto code = static_cast<nb::dlpack::dtype_code>(dtype.code);
    const bool is_signed = code == nb::dlpack::dtype_code::Int;
    if (code == nb::dlpack::dtype_code::Float) {
        if (dtype.bits == 32) return Type::f32;
        if (dtype.bits == 64) return Type::f64;
    } else if (is_signed || code == nb::dlpack::dtype_code::UInt || code == nb::dlpack::dtype_code::Bool) {
        switch (dtype.bits) {
            case 8: return is_signed ? Type::i8 : Type::u8;
            case 16: return is_signed ? Type::i16 : Type::u16;
            case 32: return is_signed ? Type::i32 : Type::u32;
            case 64: return is_signed ? Type::i64 : Type::u64;
            default: break;
        }
    }
    throw std::invalid_argument("blocks must hold booleans, integers, or 32- or 64-bit floats.");
}

// Blocks stand side by side: each is one column (1-D) or several (2-D).
Table dense_table(const std::vector<AnyArray>& blocks, std::size_t n_rows) {
    Table table;
    table.n_rows = n_rows;
    for (const AnyArray& block : blocks) {
        if (block.ndim() < 1 || block.ndim() > 2 || block.shape(0) != n_rows)
            throw std::invalid_argument("every block must have one row for each class.");
        const Type type = type_of(block.dtype());
        const auto size = static_cast<std::ptrdiff_t>(block.itemsize());
        const std::size_t width = block.ndim() == 2 ? block.shape(1) : 1;
        const std::ptrdiff_t step = block.ndim() == 2 ? block.stride(1) * size : 0;
        for (std::size_t j = 0; j < width; ++j)
            table.dense.push_back(
                {static_cast<const std::byte*>(block.data()) + static_cast<std::ptrdiff_t>(j) * step, type,
                 block.stride(0) * size});
    }
    table.n_columns = table.dense.size();
    return table;
}

Table sparse_table(const Array<std::int64_t>& row_begin, const Array<std::int32_t>& ones,
                   std::size_t n_columns) {
    Table table;
    if (row_begin.size() == 0)
        throw std::invalid_argument("row_begin must have one entry more than there are rows.");
    table.n_rows = row_begin.size() - 1;
    table.n_columns = n_columns;
    table.row_begin = row_begin.data();
    table.ones = ones.data();
    if (row_begin.data()[0] != 0 || row_begin.data()[table.n_rows] != static_cast<std::int64_t>(ones.size()))
        throw std::invalid_argument("row_begin does not fit the list of ones.");
    for (std::size_t i = 0; i < table.n_rows; ++i)
        if (row_begin.data()[i] > row_begin.data()[i + 1])
            throw std::invalid_argument("row_begin must not decrease.");
    for (std::size_t i = 0; i < ones.size(); ++i)
        if (ones.data()[i] < 0 || static_cast<std::size_t>(ones.data()[i]) >= n_columns)
            throw std::invalid_argument("a column index is out of range.");
    return table;
}

Algorithm algorithm_of(const std::string& name) {
    if (name == "greedy") return Algorithm::greedy;
    if (name == "lickety") return Algorithm::lickety;
    if (name == "split") return Algorithm::split;
    if (name == "optimal") return Algorithm::optimal;
    throw std::invalid_argument("algorithm='" + name + "' is not one of greedy, lickety, split, optimal.");
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

nb::dict to_dict(const Solution& solution) {
    nb::dict out;
    if (solution.not_binary) {
        out["not_binary"] = nb::make_tuple(solution.not_binary->row, solution.not_binary->column);
        return out;
    }
    const Statistics& statistics = solution.statistics;
    nb::dict numbers;
    numbers["subproblems"] = statistics.subproblems;
    numbers["completions"] = statistics.completions;
    numbers["pair_matrices"] = statistics.pair_matrices;
    numbers["cache_hits"] = statistics.cache_hits;
    numbers["cache_entries"] = statistics.cache_entries;
    numbers["peak_bytes"] = solution.peak_bytes;
    numbers["seconds"] = solution.seconds;
    out["feature"] = nb::cast(solution.tree.feature);
    out["left"] = nb::cast(solution.tree.left);
    out["right"] = nb::cast(solution.tree.right);
    out["counts"] = nb::cast(solution.tree.counts);
    out["packed"] = solution.packed;
    out["errors"] = solution.errors;
    out["leaves"] = solution.leaves;
    out["lower_bound"] = solution.lower_bound;
    out["status"] = name_of(solution.status);
    out["statistics"] = numbers;
    return out;
}

nb::dict run(const Table& table, const AnyArray& classes, std::size_t n_classes,
             const std::optional<Array<std::int32_t>>& weights, const nb::dict& options) {
    if (classes.size() != table.n_rows) throw std::invalid_argument("there must be one class for each row.");
    if (weights && weights->size() != table.n_rows)
        throw std::invalid_argument("there must be one weight for each row.");
    if (classes.ndim() != 1 || classes.stride(0) != 1)
        throw std::invalid_argument("classes must be a contiguous array of one dimension.");
    Target target;
    switch (type_of(classes.dtype())) {
        case Type::u8: target.classes = static_cast<const std::uint8_t*>(classes.data()); break;
        case Type::i32: target.wide_classes = static_cast<const std::int32_t*>(classes.data()); break;
        default: throw std::invalid_argument("classes must be unsigned bytes or 32-bit integers.");
    }
    target.n_classes = n_classes;
    target.weights = weights ? weights->data() : nullptr;

    Options chosen;
    chosen.algorithm = algorithm_of(nb::cast<std::string>(options["algorithm"]));
    chosen.max_depth = nb::cast<std::size_t>(options["max_depth"]);
    chosen.lookahead = nb::cast<std::size_t>(options["lookahead"]);
    chosen.postprocess = nb::cast<bool>(options["postprocess"]);
    chosen.exact_last_split = nb::cast<bool>(options["exact_last_split"]);
    chosen.price = {nb::cast<Cost>(options["error_price"]), nb::cast<Cost>(options["leaf_price"])};
    chosen.n_threads = nb::cast<std::size_t>(options["n_threads"]);
    chosen.speed.kernels = &find_kernels(nb::cast<std::string>(options["simd"]).c_str());
    chosen.speed.equivalent_points = nb::cast<bool>(options["equivalent_points"]);
    chosen.speed.similar_support = nb::cast<bool>(options["similar_support"]);
    chosen.speed.minimum_support = nb::cast<bool>(options["minimum_support"]);
    chosen.speed.cache = nb::cast<bool>(options["cache"]);
    chosen.speed.subtract_siblings = nb::cast<bool>(options["subtract_siblings"]);
    const double seconds =
        options["time_limit"].is_none() ? Limits::kNoDeadline : nb::cast<double>(options["time_limit"]);
    const std::size_t bytes = options["memory_limit"].is_none()
                                  ? Limits::kNoBudget
                                  : nb::cast<std::size_t>(options["memory_limit"]);

    Ears ears(nb::borrow(options["progress"]));
    Solution solution;
    {
        const nb::gil_scoped_release release;
        Limits limits(seconds, bytes, [&](const Limits& now) { return ears.stop(now); });
        solution = solve(table, target, chosen, limits);
    }
    ears.raise_other();
    return to_dict(solution);
}

}  // namespace
}  // namespace splitsecond

NB_MODULE(_core, m) {
    using namespace splitsecond;
    m.doc() = "The native core of splitsecond; use the estimators instead.";
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
    m.def(
        "solve",
        [](const std::vector<AnyArray>& blocks, const AnyArray& classes, std::size_t n_classes,
           const std::optional<Array<std::int32_t>>& weights, const nb::dict& options) {
            return run(dense_table(blocks, classes.size()), classes, n_classes, weights, options);
        },
        "blocks"_a, "classes"_a, "n_classes"_a, "weights"_a.none(), "options"_a);
    m.def(
        "solve_sparse",
        [](const Array<std::int64_t>& row_begin, const Array<std::int32_t>& ones, std::size_t n_columns,
           const AnyArray& classes, std::size_t n_classes, const std::optional<Array<std::int32_t>>& weights,
           const nb::dict& options) {
            return run(sparse_table(row_begin, ones, n_columns), classes, n_classes, weights, options);
        },
        "row_begin"_a, "ones"_a, "n_columns"_a, "classes"_a, "n_classes"_a, "weights"_a.none(), "options"_a);
}
