// The tables and targets that searches are given: numpy arrays, which are kept alive and never copied.
#include <algorithm>
#include <stdexcept>

#include "bindings.hpp"
#include "data/merging.hpp"

namespace splitsecond {
namespace {

// Blocks stand side by side: each is one column (1-D) or several (2-D).
HeldTable dense_table(std::vector<AnyArray> blocks, std::size_t n_rows) {
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
    return {std::move(table), std::move(blocks)};
}

HeldTable sparse_table(const Array<std::int64_t>& row_begin, const Array<std::int32_t>& ones,
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
    return {std::move(table), {AnyArray(row_begin), AnyArray(ones)}};
}

// Columns of bits, 64 rows a word.
HeldTable packed_table(const std::vector<Array<std::uint64_t>>& columns, std::size_t n_rows) {
    std::vector<AnyArray> arrays;
    Table table;
    table.n_rows = n_rows;
    table.n_columns = columns.size();
    for (const Array<std::uint64_t>& column : columns) {
        if (column.size() != (n_rows + 63) / 64)
            throw std::invalid_argument("every column must have a bit for each row.");
        table.dense.push_back({column.data(), Type::bits, 0});
        arrays.emplace_back(column);
    }
    return {std::move(table), std::move(arrays)};
}

void check_rows_of(const std::optional<Array<std::int32_t>>& rows, std::size_t n_rows) {
    if (rows && rows->size() != n_rows)
        throw std::invalid_argument("there must be a number of rows for each row.");
}

HeldTarget target_of(AnyArray classes, std::size_t n_classes, std::optional<Array<std::int32_t>> weights,
                     std::optional<Array<std::int32_t>> rows) {
    if (classes.ndim() != 1 || classes.stride(0) != 1)
        throw std::invalid_argument("classes must be a contiguous array of one dimension.");
    const std::size_t n_rows = classes.size();
    if (weights && weights->size() != n_rows)
        throw std::invalid_argument("there must be one weight for each row.");
    if (rows && !weights) throw std::invalid_argument("rows that stand for several must have weights.");
    check_rows_of(rows, n_rows);
    Target target;
    switch (type_of(classes.dtype())) {
        case Type::u8: target.classes = static_cast<const std::uint8_t*>(classes.data()); break;
        case Type::i32: target.wide_classes = static_cast<const std::int32_t*>(classes.data()); break;
        default: throw std::invalid_argument("classes must be unsigned bytes or 32-bit integers.");
    }
    target.n_classes = n_classes;
    target.weights = weights ? weights->data() : nullptr;
    target.rows = rows ? rows->data() : nullptr;
    return {target, n_rows, std::move(classes), std::move(weights), std::move(rows)};
}

// For numbers: [channels, rows] (losses/sums.hpp), and how many rows each stands for.
HeldTarget target_of_sums(
    const nb::ndarray<const std::int32_t, nb::ndim<2>, nb::c_contig, nb::device::cpu>& sums,
    std::optional<Array<std::int32_t>> rows) {
    if (sums.shape(0) < 3) throw std::invalid_argument("there must be three channels at least.");
    check_rows_of(rows, sums.shape(1));
    Target target;
    target.rows = rows ? rows->data() : nullptr;
    target.sums = sums.data();
    target.n_classes = sums.shape(0);
    target.n_rows = sums.shape(1);
    return {target, target.n_rows, AnyArray(sums), std::nullopt, std::move(rows)};
}

MergedRows merge(const HeldTable& held, const RunOptions& run) {
    return run_within(run,
                      [&](Limits& limits) { return merge_rows(find_kernels("auto"), held.table, limits); });
}

std::vector<SharedArray<Word>> merged_columns(const nb::handle& self) {
    const auto& merged = nb::cast<const MergedRows&>(self);
    std::vector<SharedArray<Word>> columns;
    for (std::size_t j = 0; j < merged.n_columns; ++j)
        columns.push_back(share(merged.columns.data() + j * merged.n_words(), merged.n_words(), self));
    return columns;
}

void bind_merging(nb::module_& m) {
    const auto list = [](std::vector<std::int32_t> MergedRows::* member) {
        return [member](const nb::handle& self) {
            const auto& values = nb::cast<const MergedRows&>(self).*member;
            return share(values.data(), values.size(), self);
        };
    };
    nb::class_<MergedRows>(m, "MergedRows")
        .def_prop_ro("not_binary", [](const MergedRows& merged) { return place_of(merged.not_binary); })
        .def_prop_ro("status", [](const MergedRows& merged) { return name_of(merged.status); })
        .def_prop_ro("n_groups", &MergedRows::n_groups)
        .def_prop_ro("group", list(&MergedRows::group), "The number of each row's group.")
        .def_prop_ro("first", list(&MergedRows::first), "The first row of each group.")
        .def_prop_ro("columns", &merged_columns,
                     "Each of the table's columns: bits of the groups, 64 a word.");
    m.def("merge_rows", &merge, "table"_a, "run"_a,
          "Groups rows with equal columns. All is empty where there is a cell that is not binary, or a "
          "limit was reached.");
}

}  // namespace

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
    throw std::invalid_argument("arrays must hold booleans, integers, or 32- or 64-bit floats.");
}

void check_rows(const HeldTable& table, const HeldTarget& target) {
    if (table.table.n_rows != target.n_rows)
        throw std::invalid_argument("there must be one class for each row.");
}

void check_target(const Objective& objective, const HeldTarget& target) {
    if (objective.is_of_numbers() != (target.target.sums != nullptr))
        throw std::invalid_argument("losses of numbers and targets of sums belong together.");
    const CostMatrix& costs = objective.parameters.costs;
    if (costs.n_actions == 0) return;
    if (costs.n_classes != target.target.n_classes)
        throw std::invalid_argument("there must be a cost for every action and class.");
    Cost total = 0;
    for (std::size_t i = 0; i < target.n_rows; ++i) total += target.target.weight_of(i);
    if (costs.maximum > kInfinite / std::max<Cost>(objective.price.loss, 1) / std::max<Cost>(total, 1))
        throw std::invalid_argument("the costs are too large.");
}

void bind_tables(nb::module_& m) {
    nb::class_<HeldTable>(m, "Table")
        .def_static("dense", &dense_table, "blocks"_a, "n_rows"_a)
        .def_static("sparse", &sparse_table, "row_begin"_a, "ones"_a, "n_columns"_a)
        .def_static("packed", &packed_table, "columns"_a, "n_rows"_a)
        .def(
            "find_non_binary",
            [](const HeldTable& held) {
                const std::optional<Cell> cell = [&] {
                    const nb::gil_scoped_release release;
                    return find_non_binary(find_kernels("auto"), held.table);
                }();
                return place_of(cell);
            },
            "A cell (row, column) that is neither 0 nor 1; None: there is none.");
    nb::class_<HeldTarget>(m, "Target")
        .def(
            "__init__",
            [](HeldTarget* self, AnyArray classes, std::size_t n_classes,
               std::optional<Array<std::int32_t>> weights, std::optional<Array<std::int32_t>> rows) {
                new (self)
                    HeldTarget(target_of(std::move(classes), n_classes, std::move(weights), std::move(rows)));
            },
            "classes"_a, "n_classes"_a, "weights"_a.none() = nb::none(), "rows"_a.none() = nb::none(),
            "rows: how many each stands for, if it has a weight; None: one.")
        .def_static("of_sums", &target_of_sums, "sums"_a, "rows"_a.none() = nb::none());
    bind_merging(m);
}

}  // namespace splitsecond
