#include <stdexcept>

#include "bindings.hpp"

namespace splitsecond {
namespace {

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

}  // namespace

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

Table packed_table(const std::vector<Array<std::uint64_t>>& columns, std::size_t n_rows) {
    Table table;
    table.n_rows = n_rows;
    table.n_columns = columns.size();
    for (const Array<std::uint64_t>& column : columns) {
        if (column.size() != (n_rows + 63) / 64)
            throw std::invalid_argument("every column must have a bit for each row.");
        table.dense.push_back({column.data(), Type::bits, 0});
    }
    return table;
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

void bind_all(nb::module_& m, const std::string& name, OfTable function) {
    m.def(
        name.c_str(),
        [function](const std::vector<AnyArray>& blocks, const AnyArray& classes, std::size_t n_classes,
                   const std::optional<Array<std::int32_t>>& weights, const nb::dict& options) {
            return function(dense_table(blocks, classes.size()), classes, n_classes, weights, options);
        },
        "blocks"_a, "classes"_a, "n_classes"_a, "weights"_a.none(), "options"_a);
    m.def((name + "_sparse").c_str(),
          [function](const Array<std::int64_t>& row_begin, const Array<std::int32_t>& ones,
                     std::size_t n_columns, const AnyArray& classes, std::size_t n_classes,
                     const std::optional<Array<std::int32_t>>& weights, const nb::dict& options) {
              return function(sparse_table(row_begin, ones, n_columns), classes, n_classes, weights, options);
          },
          "row_begin"_a, "ones"_a, "n_columns"_a, "classes"_a, "n_classes"_a, "weights"_a.none(),
          "options"_a);
    m.def((name + "_packed").c_str(),
          [function](const std::vector<Array<std::uint64_t>>& columns, const AnyArray& classes,
                     std::size_t n_classes, const std::optional<Array<std::int32_t>>& weights,
                     const nb::dict& options) {
              return function(packed_table(columns, classes.size()), classes, n_classes, weights, options);
          },
          "columns"_a, "classes"_a, "n_classes"_a, "weights"_a.none(), "options"_a);
}

}  // namespace splitsecond
