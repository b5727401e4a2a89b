// Bindings: numpy arrays in, a plain dict out. No algorithm here.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <memory>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <utility>

#include "algorithms.hpp"
#include "binning.hpp"
#include "boost.hpp"
#include "rashomon.hpp"
#include "reliance.hpp"

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

nb::dict to_dict(const Statistics& statistics) {
    nb::dict numbers;
    numbers["subproblems"] = statistics.subproblems;
    numbers["completions"] = statistics.completions;
    numbers["pair_matrices"] = statistics.pair_matrices;
    numbers["cache_hits"] = statistics.cache_hits;
    numbers["cache_entries"] = statistics.cache_entries;
    return numbers;
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
    out["errors"] = solution.errors;
    out["leaves"] = solution.leaves;
    out["lower_bound"] = solution.lower_bound;
    out["status"] = name_of(solution.status);
    out["statistics"] = numbers;
    return out;
}

double seconds_of(const nb::dict& options) {
    return options["time_limit"].is_none() ? Limits::kNoDeadline : nb::cast<double>(options["time_limit"]);
}

std::size_t bytes_of(const nb::dict& options) {
    return options["memory_limit"].is_none() ? Limits::kNoBudget
                                             : nb::cast<std::size_t>(options["memory_limit"]);
}

Target target_of(const Table& table, const AnyArray& classes, std::size_t n_classes,
                 const std::optional<Array<std::int32_t>>& weights) {
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
    return target;
}

Price price_of(const nb::dict& options) {
    return {nb::cast<Cost>(options["error_price"]), nb::cast<Cost>(options["leaf_price"])};
}

SpeedOptions speed_of(const nb::dict& options) {
    SpeedOptions speed;
    speed.kernels = &find_kernels(nb::cast<std::string>(options["simd"]).c_str());
    speed.equivalent_points = nb::cast<bool>(options["equivalent_points"]);
    speed.similar_support = nb::cast<bool>(options["similar_support"]);
    speed.minimum_support = nb::cast<bool>(options["minimum_support"]);
    speed.cache = nb::cast<bool>(options["cache"]);
    speed.subtract_siblings = nb::cast<bool>(options["subtract_siblings"]);
    return speed;
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
    chosen.price = price_of(options);
    chosen.n_threads = nb::cast<std::size_t>(options["n_threads"]);
    chosen.speed = speed_of(options);
    const double seconds = seconds_of(options);
    const std::size_t bytes = bytes_of(options);
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

template <class T>
nb::ndarray<nb::numpy, T, nb::ndim<1>> to_array(std::vector<T> values) {
    auto* owned = new std::vector<T>(std::move(values));
    nb::capsule owner(owned, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
    return {owned->data(), {owned->size()}, owner};
}

nb::tuple bin(const Array<double>& values, const std::optional<Array<double>>& weights,
              std::size_t max_bins) {
    if (weights && weights->size() != values.size())
        throw std::invalid_argument("there must be one weight for each value.");
    if (max_bins < 1 || max_bins > UINT16_MAX) throw std::invalid_argument("max_bins must be 1 to 65535.");
    Bins bins;
    {
        const nb::gil_scoped_release release;
        bins = bin_numbers(values.data(), values.size(), weights ? weights->data() : nullptr, max_bins);
    }
    const bool shared = bins.lowest == bins.highest;  // one value a bin: one array will do
    const nb::object lowest = nb::cast(to_array(std::move(bins.lowest)));
    const nb::object highest = shared ? lowest : nb::cast(to_array(std::move(bins.highest)));
    return nb::make_tuple(to_array(std::move(bins.bins)), lowest, highest, bins.has_blank);
}

// Each column is (bins, number of bins, number of values, first question, ordered, ask if blank).
nb::dict guess(const std::vector<nb::tuple>& columns, const Array<std::int32_t>& classes,
               std::size_t n_classes, const std::optional<Array<double>>& weights, const nb::dict& options) {
    std::vector<BinnedColumn> binned;
    std::vector<Array<std::uint16_t>> held;
    for (const nb::tuple& column : columns) {
        held.push_back(nb::cast<Array<std::uint16_t>>(column[0]));
        const BinnedColumn next{held.back().data(),
                                nb::cast<std::uint32_t>(column[1]),
                                nb::cast<std::uint32_t>(column[2]),
                                nb::cast<std::uint32_t>(column[3]),
                                nb::cast<bool>(column[4]),
                                nb::cast<bool>(column[5])};
        if (held.back().size() != classes.size() || next.n_bins < 1 || next.n_values > next.n_bins)
            throw std::invalid_argument("a column does not fit.");
        for (std::size_t i = 0; i < classes.size(); ++i)
            if (next.bins[i] >= next.n_bins) throw std::invalid_argument("a bin is out of range.");
        binned.push_back(next);
    }
    for (std::size_t i = 0; i < classes.size(); ++i)
        if (classes.data()[i] < 0 || static_cast<std::size_t>(classes.data()[i]) >= n_classes)
            throw std::invalid_argument("a class is out of range.");
    if (weights && weights->size() != classes.size())
        throw std::invalid_argument("there must be one weight for each row.");
    BoostOptions chosen;
    chosen.rounds = nb::cast<std::size_t>(options["n_estimators"]);
    chosen.max_depth = nb::cast<std::size_t>(options["max_depth"]);
    chosen.learning_rate = nb::cast<double>(options["learning_rate"]);
    chosen.wanted = nb::cast<std::size_t>(options["wanted"]);
    chosen.n_threads = nb::cast<std::size_t>(options["n_threads"]);
    if (chosen.max_depth < 1 || chosen.max_depth > 7)
        throw std::invalid_argument("max_depth must be 1 to 7.");

    const double seconds = seconds_of(options);
    const std::size_t bytes = bytes_of(options);
    Ears ears{nb::none()};
    std::vector<Question> questions;
    Status status;
    {
        const nb::gil_scoped_release release;
        Limits limits(seconds, bytes, [&](const Limits& now) { return ears.stop(now); });
        questions = boost(binned, classes.size(), classes.data(), n_classes,
                          weights ? weights->data() : nullptr, chosen, limits);
        status = limits.reason();
    }
    ears.raise_other();
    std::vector<std::uint32_t> column, bin;
    std::vector<double> gain;
    for (const Question& question : questions) {
        column.push_back(question.column);
        bin.push_back(question.bin);
        gain.push_back(question.gain);
    }
    nb::dict out;
    out["column"] = to_array(std::move(column));
    out["bin"] = to_array(std::move(bin));
    out["gain"] = to_array(std::move(gain));
    out["status"] = name_of(status);
    return out;
}

// The part of a time limit that is spent on looking for trees; the rest is for counting them.
constexpr double kSearchShare = 0.7;

nb::dict run_rashomon(const Table& table, const AnyArray& classes, std::size_t n_classes,
                      const std::optional<Array<std::int32_t>>& weights, const nb::dict& options) {
    const Target target = target_of(table, classes, n_classes, weights);
    RashomonOptions chosen;
    chosen.max_depth = nb::cast<std::size_t>(options["max_depth"]);
    if (!options["lookahead"].is_none()) chosen.lookahead = nb::cast<std::size_t>(options["lookahead"]);
    chosen.keep_trivial = nb::cast<bool>(options["keep_trivial"]);
    chosen.exact_last_split = nb::cast<bool>(options["exact_last_split"]);
    chosen.price = price_of(options);
    chosen.n_threads = nb::cast<std::size_t>(options["n_threads"]);
    chosen.speed = speed_of(options);
    const nb::object bound = nb::borrow(options["bound"]);
    chosen.bound = [&](Cost errors, Cost leaves) {
        const nb::gil_scoped_acquire gil;
        return nb::cast<Cost>(bound(errors, leaves));
    };
    const double seconds = seconds_of(options);
    const std::size_t bytes = bytes_of(options);
    Ears ears(nb::borrow(options["progress"]));
    auto set = std::make_shared<RashomonSet>();
    {
        const nb::gil_scoped_release release;
        const auto interrupted = [&](const Limits& now) { return ears.stop(now); };
        Limits limits(seconds * kSearchShare, bytes, interrupted), whole(seconds, bytes, interrupted);
        *set = rashomon_set(table, target, chosen, limits, whole);
    }
    ears.raise_other();
    nb::dict out;
    if (set->not_binary) {
        out["not_binary"] = nb::make_tuple(set->not_binary->row, set->not_binary->column);
        return out;
    }
    nb::dict numbers = to_dict(set->statistics);
    numbers["nodes"] = set->graph.nodes.size();
    numbers["edges"] = set->graph.edges.size();
    numbers["peak_bytes"] = set->peak_bytes;
    numbers["seconds"] = set->seconds;
    out["packed"] = set->packed;
    out["errors"] = set->reference_errors;
    out["leaves"] = set->reference_leaves;
    out["bound"] = set->bound;
    out["proved"] = set->proved;
    out["status"] = name_of(set->status);
    out["statistics"] = numbers;
    out["graph"] = nb::cast(std::make_shared<Graph>(std::move(set->graph)));
    return out;
}

// Numbers of trees, a row of words for each.
using TreeNumbers = nb::ndarray<const Digit, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

void check_numbers(const Graph& graph, const TreeNumbers& numbers) {
    if (numbers.shape(1) != graph.digits())
        throw std::invalid_argument("a number must have as many words as the set needs.");
}

// The trees of these numbers, one after the other: rows of the array are feature, left, right and the graph's
// node; `ends` says where each tree ends.
nb::tuple trees_of(Graph& graph, const TreeNumbers& numbers) {
    check_numbers(graph, numbers);
    FlatTree trees;
    std::vector<std::int64_t> ends;
    for (std::size_t i = 0; i < numbers.shape(0); ++i) {
        if (!graph.append_tree(numbers.data() + i * graph.digits(), trees))
            throw std::invalid_argument("there is no tree of such a number.");
        ends.push_back(static_cast<std::int64_t>(trees.feature.size()));
    }
    const std::size_t n_nodes = trees.feature.size();
    std::vector<std::int32_t> flat = std::move(trees.feature);
    flat.reserve(4 * n_nodes);
    flat.insert(flat.end(), trees.left.begin(), trees.left.end());
    flat.insert(flat.end(), trees.right.begin(), trees.right.end());
    flat.insert(flat.end(), trees.node.begin(), trees.node.end());
    return nb::make_tuple(to_array(std::move(flat)), to_array(std::move(ends)));
}

// The features that trees of the set may ask for.
std::vector<std::int32_t> features_of(const Graph& graph) {
    std::set<std::int32_t> features;
    for (const GraphEdge& edge : graph.edges) features.insert(edge.feature);
    return {features.begin(), features.end()};
}

// The whole graph as arrays, for saving.
nb::dict state_of(const Graph& graph) {
    std::vector<std::int64_t> nodes, edges;
    for (const GraphNode& node : graph.nodes)
        nodes.insert(nodes.end(), {node.level, static_cast<std::int64_t>(node.role), node.leaf ? 1 : 0,
                                   node.budget, node.prefix_budget, node.stop, node.fill,
                                   static_cast<std::int64_t>(node.edge_end - node.edge_begin)});
    for (const GraphEdge& edge : graph.edges) edges.insert(edges.end(), {edge.feature, edge.yes, edge.no});
    nb::dict out;
    out["error_price"] = graph.price.error;
    out["leaf_price"] = graph.price.leaf;
    out["keep_trivial"] = graph.keep_trivial;
    out["max_leaves"] = graph.max_leaves;
    out["n_classes"] = graph.n_classes;
    out["root"] = graph.root;
    out["nodes"] = to_array(std::move(nodes));
    out["edges"] = to_array(std::move(edges));
    out["counts"] = to_array(std::vector<Count>(graph.counts));
    return out;
}

// The graph behind such arrays. Everything is checked: they may come from anywhere.
std::shared_ptr<Graph> graph_from(const nb::dict& state) {
    auto graph = std::make_shared<Graph>();
    graph->price = price_of(state);
    graph->keep_trivial = nb::cast<bool>(state["keep_trivial"]);
    graph->max_leaves = nb::cast<Cost>(state["max_leaves"]);
    graph->n_classes = nb::cast<std::size_t>(state["n_classes"]);
    graph->root = nb::cast<std::uint32_t>(state["root"]);
    const auto nodes = nb::cast<Array<std::int64_t>>(state["nodes"]);
    const auto edges = nb::cast<Array<std::int64_t>>(state["edges"]);
    const auto counts = nb::cast<Array<std::int32_t>>(state["counts"]);
    const auto refuse = [](bool wrong) {
        if (wrong) throw std::invalid_argument("the arrays are not those of a set of trees.");
    };
    constexpr std::size_t kPerNode = 8, kPerEdge = 3;
    const std::size_t n = nodes.size() / kPerNode;
    refuse(n == 0 || nodes.size() % kPerNode != 0 || edges.size() % kPerEdge != 0 || graph->n_classes == 0 ||
           counts.size() != n * graph->n_classes || graph->root >= n);
    const auto is_cost = [](std::int64_t value) { return value >= -1 && value <= kInfinite; };
    refuse(graph->price.error < 0 || graph->price.leaf < 0 || graph->price.error > kInfinite ||
           graph->price.leaf > kInfinite || !is_cost(graph->max_leaves));
    std::size_t next_edge = 0;
    for (std::size_t i = 0; i < n; ++i) {
        const std::int64_t* given = nodes.data() + i * kPerNode;
        refuse(given[0] < 0 || given[0] > 65535 || given[1] < 0 || given[1] > 2 || given[2] < 0 ||
               given[2] > 1 || given[7] < 0 ||
               static_cast<std::size_t>(given[7]) > edges.size() / kPerEdge - next_edge);
        for (int k = 3; k < 7; ++k) refuse(!is_cost(given[k]));
        GraphNode node;
        node.level = static_cast<std::uint32_t>(given[0]);
        node.role = static_cast<Role>(given[1]);
        node.leaf = given[2] == 1;
        node.budget = given[3];
        node.prefix_budget = given[4];
        node.stop = given[5];
        node.fill = given[6];
        node.edge_begin = next_edge;
        node.edge_end = next_edge += static_cast<std::size_t>(given[7]);
        const Count* own = counts.data() + i * graph->n_classes;
        for (std::size_t c = 0; c < graph->n_classes; ++c) {
            refuse(own[c] < 0);
            node.weight += own[c];
            if (own[c] > own[node.label]) node.label = static_cast<std::uint32_t>(c);
            graph->counts.push_back(own[c]);
        }
        node.errors = node.weight - own[node.label];
        refuse(node.weight <= 0 || node.weight > INT32_MAX ||
               (node.errors > 0 && graph->price.error > kInfinite / node.errors));
        graph->nodes.push_back(node);
    }
    refuse(next_edge != edges.size() / kPerEdge);
    for (const GraphNode& node : graph->nodes)
        for (std::size_t e = node.edge_begin; e < node.edge_end; ++e) {
            const std::int64_t* given = edges.data() + e * kPerEdge;
            refuse(given[0] < 0 || given[0] > INT32_MAX);
            for (int side = 1; side <= 2; ++side) {
                refuse(given[side] < 0 || static_cast<std::size_t>(given[side]) >= n);
                const GraphNode& child = graph->nodes[static_cast<std::size_t>(given[side])];
                // Levels rise along edges, so that there is no way round in circles.
                refuse(child.edge_begin != child.edge_end && child.level <= node.level);
            }
            graph->edges.push_back({static_cast<std::int32_t>(given[0]), static_cast<std::uint32_t>(given[1]),
                                    static_cast<std::uint32_t>(given[2])});
        }
    Ears ears{nb::none()};
    bool done;
    {
        const nb::gil_scoped_release release;
        constexpr double kMostSeconds = 120;  // a file may have been made to take forever
        Limits limits(kMostSeconds, Limits::kNoBudget, [&](const Limits& now) { return ears.stop(now); });
        done = graph->count(limits);
    }
    ears.raise_other();
    return done ? graph : nullptr;
}

std::vector<char> flags_of(const nb::dict& options, const char* name) {
    std::vector<char> flags;
    for (const bool flag : nb::cast<std::vector<bool>>(options[name])) flags.push_back(flag ? 1 : 0);
    return flags;
}

// None when interrupted.
std::shared_ptr<Graph> filter_graph(const Graph& graph, const nb::dict& options) {
    Filter filter;
    filter.avoid = flags_of(options, "avoid");
    filter.uses = flags_of(options, "uses");
    if (!options["max_depth"].is_none()) filter.max_depth = nb::cast<std::size_t>(options["max_depth"]);
    if (!options["max_leaves"].is_none()) filter.max_leaves = nb::cast<Cost>(options["max_leaves"]);
    if (!options["min_weight"].is_none()) filter.min_weight = nb::cast<Cost>(options["min_weight"]);
    if (!options["budget"].is_none()) filter.budget = nb::cast<Cost>(options["budget"]);
    for (const GraphEdge& edge : graph.edges)
        for (const std::vector<char>* flags : {&filter.avoid, &filter.uses})
            if (!flags->empty() && static_cast<std::size_t>(edge.feature) >= flags->size())
                throw std::invalid_argument("there must be a flag for each feature.");
    auto out = std::make_shared<Graph>();
    Ears ears{nb::none()};
    bool done;
    {
        const nb::gil_scoped_release release;
        Limits limits(Limits::kNoDeadline, Limits::kNoBudget,
                      [&](const Limits& now) { return ears.stop(now); });
        done = graph.filtered(filter, *out, limits);
    }
    ears.raise_other();
    return done ? out : nullptr;
}

// Reliance on some rows, which it holds on to.
class RowsReliance {
public:
    RowsReliance(std::vector<Array<std::uint64_t>> columns, std::vector<std::size_t> variable_of,
                 const Array<std::int32_t>& classes, std::size_t n_classes,
                 const std::optional<Array<std::int32_t>>& weights)
        : held_(std::move(columns)), variable_of_(std::move(variable_of)), n_classes_(n_classes) {
        const std::size_t n_rows = classes.size();
        for (const Array<std::uint64_t>& column : held_)
            columns_.push_back(column.size() < (n_rows + 63) / 64 ? nullptr : column.data());
        if (variable_of_.size() != columns_.size() || (weights && weights->size() != n_rows))
            throw std::invalid_argument(
                "there must be a variable for each column and a weight for each row.");
        for (std::size_t i = 0; i < n_rows; ++i)
            if (classes.data()[i] < 0 || static_cast<std::size_t>(classes.data()[i]) >= n_classes ||
                (weights && weights->data()[i] < 0))
                throw std::invalid_argument("a class or a weight is out of range.");
        reliance_.emplace(columns_, variable_of_, n_rows, classes.data(), n_classes,
                          weights ? weights->data() : nullptr);
    }

    // (weight * expected errors with each variable permuted, -1 where it is not asked about; errors)
    nb::tuple of_tree(const Array<std::int32_t>& feature, const Array<std::int32_t>& left,
                      const Array<std::int32_t>& right, const Array<std::int32_t>& label) {
        FlatTree tree;
        tree.feature.assign(feature.data(), feature.data() + feature.size());
        tree.left.assign(left.data(), left.data() + left.size());
        tree.right.assign(right.data(), right.data() + right.size());
        std::vector<std::uint32_t> labels;
        for (std::size_t i = 0; i < feature.size(); ++i) {
            labels.push_back(static_cast<std::uint32_t>(label.data()[i]));
            const auto after = [&](std::int32_t child) {
                return child > static_cast<std::int32_t>(i) &&
                       static_cast<std::size_t>(child) < feature.size();
            };
            if (labels[i] >= n_classes_ ||
                (tree.feature[i] >= 0 &&
                 (!has(tree.feature[i]) || !after(tree.left[i]) || !after(tree.right[i]))))
                throw std::invalid_argument("the arrays are not those of a tree.");
        }
        std::vector<std::int64_t> permuted;
        const std::int64_t errors = reliance_->of(tree, labels, permuted);
        return nb::make_tuple(to_array(std::move(permuted)), errors, reliance_->weight());
    }

    // The same for trees of a set: those with these numbers, or (none) the first `most`; one row for each tree.
    nb::tuple of_set(Graph& graph, const TreeNumbers& numbers) {
        check_numbers(graph, numbers);
        for (const GraphEdge& edge : graph.edges)
            if (!has(edge.feature)) throw std::invalid_argument("a column that trees ask for is missing.");
        if (graph.n_classes != n_classes_)
            throw std::invalid_argument("the classes are not those of the set.");
        std::vector<std::int64_t> permuted, errors;
        Ears ears{nb::none()};
        bool stopped = false;
        {
            const nb::gil_scoped_release release;
            Limits limits(Limits::kNoDeadline, Limits::kNoBudget,
                          [&](const Limits& now) { return ears.stop(now); });
            std::vector<std::int64_t> row;
            for (std::size_t i = 0; i < numbers.shape(0) && !stopped; ++i) {
                FlatTree tree;
                if (!graph.append_tree(numbers.data() + i * graph.digits(), tree)) break;
                std::vector<std::uint32_t> labels;
                for (const std::uint32_t node : tree.node) labels.push_back(graph.nodes[node].label);
                errors.push_back(reliance_->of(tree, labels, row));
                permuted.insert(permuted.end(), row.begin(), row.end());
                stopped = limits.stop();
            }
        }
        ears.raise_other();
        return nb::make_tuple(to_array(std::move(permuted)), to_array(std::move(errors)), reliance_->weight(),
                              stopped);
    }

private:
    bool has(std::int32_t feature) const {
        return static_cast<std::size_t>(feature) < columns_.size() &&
               columns_[static_cast<std::size_t>(feature)] != nullptr;
    }

    std::vector<Array<std::uint64_t>> held_;
    std::vector<const std::uint64_t*> columns_;
    std::vector<std::size_t> variable_of_;
    std::size_t n_classes_;
    std::optional<Reliance> reliance_;
};

// Columns of packed bits, one for each feature of the problem; empty ones are never asked for.
std::optional<nb::ndarray<nb::numpy, Digit, nb::ndim<1>>> vote_of(
    const Graph& graph, const std::vector<Array<std::uint64_t>>& columns, std::size_t n_rows) {
    std::vector<const std::uint64_t*> bits;
    for (const Array<std::uint64_t>& column : columns) bits.push_back(column.data());
    for (const GraphEdge& edge : graph.edges)
        if (static_cast<std::size_t>(edge.feature) >= columns.size() ||
            columns[static_cast<std::size_t>(edge.feature)].size() < (n_rows + 63) / 64)
            throw std::invalid_argument("a column that trees ask for is missing.");
    std::vector<Digit> votes;
    Ears ears{nb::none()};
    bool done;
    {
        const nb::gil_scoped_release release;
        Limits limits(Limits::kNoDeadline, Limits::kNoBudget,
                      [&](const Limits& now) { return ears.stop(now); });
        done = graph.vote(bits, n_rows, votes, limits);
    }
    ears.raise_other();
    if (!done) return std::nullopt;
    return to_array(std::move(votes));
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
    m.def("bin", &bin, "values"_a, "weights"_a.none(), "max_bins"_a);
    m.def("guess", &guess, "columns"_a, "classes"_a, "n_classes"_a, "weights"_a.none(), "options"_a);
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
    m.def(
        "rashomon",
        [](const std::vector<AnyArray>& blocks, const AnyArray& classes, std::size_t n_classes,
           const std::optional<Array<std::int32_t>>& weights, const nb::dict& options) {
            return run_rashomon(dense_table(blocks, classes.size()), classes, n_classes, weights, options);
        },
        "blocks"_a, "classes"_a, "n_classes"_a, "weights"_a.none(), "options"_a);
    m.def(
        "rashomon_sparse",
        [](const Array<std::int64_t>& row_begin, const Array<std::int32_t>& ones, std::size_t n_columns,
           const AnyArray& classes, std::size_t n_classes, const std::optional<Array<std::int32_t>>& weights,
           const nb::dict& options) {
            return run_rashomon(sparse_table(row_begin, ones, n_columns), classes, n_classes, weights,
                                options);
        },
        "row_begin"_a, "ones"_a, "n_columns"_a, "classes"_a, "n_classes"_a, "weights"_a.none(), "options"_a);
    nb::class_<Graph>(m, "Graph")
        .def_prop_ro("digits", &Graph::digits)
        .def_ro("n_classes", &Graph::n_classes)
        .def("n_trees", &Graph::n_trees)
        .def("histogram",
             [](const Graph& graph) {
                 nb::list out;
                 for (const auto& [key, number] : graph.histogram())
                     out.append(nb::make_tuple(key.cost, key.leaves, number));
                 return out;
             })
        .def("trees", &trees_of, "numbers"_a)
        .def("filtered", &filter_graph, "options"_a)
        .def("vote", &vote_of, "columns"_a, "n_rows"_a)
        .def("counts", [](const Graph& graph) { return to_array(std::vector<Count>(graph.counts)); })
        .def("features", &features_of)
        .def("state", &state_of)
        .def_static("from_state", &graph_from, "state"_a);
    nb::class_<RowsReliance>(m, "Reliance")
        .def(nb::init<std::vector<Array<std::uint64_t>>, std::vector<std::size_t>, const Array<std::int32_t>&,
                      std::size_t, const std::optional<Array<std::int32_t>>&>(),
             "columns"_a, "variable_of"_a, "classes"_a, "n_classes"_a, "weights"_a.none())
        .def("of_tree", &RowsReliance::of_tree, "feature"_a, "left"_a, "right"_a, "label"_a)
        .def("of_set", &RowsReliance::of_set, "graph"_a, "numbers"_a);
}
