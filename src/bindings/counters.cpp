// A backend that counts for the level engine (core/search/level_counter.hpp), written in Python: on a GPU, for example.
//
// The protocol. `counter=` of a TreeRequest for greedy, or for lickety with lookahead 1, is called once with the packed
// table, and returns a counter of all its rows:
//
//     open_counter(table: PackedRows) -> Counter
//     table.words          uint64[n_words, stride], to be read while the solve lasts: bit r of words[w, j] is row
//                          64 * w + r in column j
//     table.runs           [(channel, weight, begin, end), ...]: the rows in words begin to end - 1 count so many in that
//                          channel. A row may stand in several runs
//     table.n_channels     int
//     table.n_columns      int: the features, and last the column of ones, which marks the rows there are. Columns of
//                          `words` from n_columns on are padding
//
//     Counter.count(paths) paths: int32[n, length], the literals of n sets of rows: 2 * column + 1 (they have it),
//                          2 * column (they lack it), -1 (none). A length of 0 means all rows. Returns
//                          int32[n, n_channels, n_columns], C-contiguous: of the rows in each set that have each column
//                          how many there are in each channel, with their weights
//     Counter.below(path)  path: int32[length]. Returns a Counter of these rows alone, in the same columns. This one may
//                          be asked again later
//
// All are called with the interpreter's lock, by the thread that called solve. An exception ends the solve and is raised
// from there; KeyboardInterrupt ends it as an interrupt does elsewhere.
#include <algorithm>
#include <stdexcept>

#include "bindings.hpp"
#include "search/level_counter.hpp"

namespace splitsecond {
namespace {

struct PackedRows {
    const View& view;
};

using Literals = nb::ndarray<nb::numpy, const std::int32_t, nb::c_contig>;

// Calls Python, whose Ctrl-C is as good as any other.
template <class Call>
auto ask_python(Limits& limits, const Call& call) {
    const nb::gil_scoped_acquire gil;
    try {
        return call();
    } catch (nb::python_error& error) {
        if (!error.matches(PyExc_KeyboardInterrupt)) throw;
        limits.interrupt();
    }
    throw LimitReached{};
}

class PythonCounter : public RemoteCounter {
public:
    // columns: the places in the table of the view's columns, without that of unavoidable loss.
    PythonCounter(nb::object counter, std::vector<std::uint32_t> columns, const View& table)
        : counter_(std::move(counter)), columns_(std::move(columns)), table_(table) {}
    ~PythonCounter() override {
        const nb::gil_scoped_acquire gil;
        counter_.reset();
    }

    bool count(const Paths& paths, Count* out) override {
        if (limits().stop()) return false;
        const std::vector<std::int32_t> literals = of_table(paths.literals, paths.count * paths.length);
        try {
            ask_python(limits(), [&] {
                const std::size_t shape[2] = {paths.count, paths.length};
                copy(counter_.attr("count")(Literals(literals.data(), 2, shape).cast()), paths.count, out);
            });
        } catch (const LimitReached&) {
            return false;
        }
        return true;
    }

    std::unique_ptr<RemoteCounter> below(const std::vector<std::int32_t>& path,
                                         const std::vector<std::uint32_t>& columns) override {
        const std::vector<std::int32_t> literals = of_table(path.data(), path.size());
        std::vector<std::uint32_t> kept;
        for (std::size_t j = 0; j + 1 < columns.size(); ++j) kept.push_back(columns_[columns[j]]);
        return ask_python(limits(), [&] {
            const std::size_t shape[1] = {path.size()};
            return std::make_unique<PythonCounter>(
                counter_.attr("below")(Literals(literals.data(), 1, shape).cast()), std::move(kept), table_);
        });
    }

private:
    using Counts = nb::ndarray<const Count, nb::ndim<3>, nb::c_contig, nb::device::cpu>;

    Limits& limits() const { return table_.data.limits(); }

    std::vector<std::int32_t> of_table(const std::int32_t* literals, std::size_t n) const {
        std::vector<std::int32_t> out(literals, literals + n);
        for (std::int32_t& literal : out)
            if (literal >= 0)
                literal = static_cast<std::int32_t>(2 * columns_[static_cast<std::size_t>(literal >> 1)]) +
                          (literal & 1);
        return out;
    }

    void copy(const nb::object& result, std::size_t n_paths, Count* out) const {
        const std::size_t n_columns = table_.ones() + 1, n_channels = table_.n_channels();
        Counts counts;
        if (!nb::try_cast(result, counts) || counts.shape(0) != n_paths || counts.shape(1) != n_channels ||
            counts.shape(2) != n_columns)
            throw std::invalid_argument("a counter must return int32[paths, channels, columns].");
        // Columns of the view; its last, of unavoidable loss, is empty, as are those behind it.
        const std::size_t stride = View::stride_for(columns_.size() - 1);
        std::fill_n(out, n_paths * n_channels * stride, 0);
        for (std::size_t i = 0; i < n_paths * n_channels; ++i)
            for (std::size_t j = 0; j < columns_.size(); ++j)
                out[i * stride + j] = counts.data()[i * n_columns + columns_[j]];
    }

    nb::object counter_;
    const std::vector<std::uint32_t> columns_;
    const View& table_;
};

nb::object words_of(const PackedRows& rows) {
    const std::size_t shape[2] = {rows.view.n_words(), rows.view.stride};
    return nb::ndarray<nb::numpy, const Word, nb::ndim<2>>(rows.view.data.data(), 2, shape)
        .cast(nb::rv_policy::reference);
}

nb::list runs_of(const PackedRows& rows) {
    nb::list runs;
    for (const Run& run : rows.view.runs)
        runs.append(nb::make_tuple(run.channel, run.weight, run.begin, run.end));
    return runs;
}

}  // namespace

CounterSource counter_source(const nb::object& open_counter) {
    if (open_counter.is_none()) return {};
    return [&open_counter](const View& view) -> std::unique_ptr<RemoteCounter> {
        std::vector<std::uint32_t> columns(view.ones() + 1);
        for (std::uint32_t j = 0; j < columns.size(); ++j) columns[j] = j;
        return ask_python(view.data.limits(), [&] {
            return std::make_unique<PythonCounter>(open_counter(PackedRows{view}), std::move(columns), view);
        });
    };
}

void bind_counters(nb::module_& m) {
    nb::class_<PackedRows>(m, "PackedRows")
        .def_prop_ro("words", &words_of)
        .def_prop_ro("runs", &runs_of)
        .def_prop_ro("n_channels", [](const PackedRows& rows) { return rows.view.n_channels(); })
        .def_prop_ro("n_columns", [](const PackedRows& rows) { return rows.view.ones() + 1; });
}

}  // namespace splitsecond
