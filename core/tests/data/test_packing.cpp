// Packing: every type and layout, weights, columns left out, cells that are not binary, and the
// errors that no tree can avoid.
#include "data/equal_rows.hpp"
#include "data/packing.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <map>
#include <set>
#include <vector>

#include "support/check.hpp"
#include "support/data.hpp"
#include "support/views.hpp"

namespace splitsecond {
namespace {

const std::vector<Type> kTypes = {Type::u8,  Type::i8,  Type::u16, Type::i16, Type::u32,
                                  Type::i32, Type::u64, Type::i64, Type::f32, Type::f64};

template <class T>
std::size_t put(std::byte* at, double value) {
    const T typed = static_cast<T>(value);
    if (at != nullptr) std::memcpy(at, &typed, sizeof typed);
    return sizeof typed;
}

// Writes the value (nowhere when null); returns the size of the type.
std::size_t put(std::byte* at, Type type, double value) {
    switch (type) {
        case Type::u8: return put<std::uint8_t>(at, value);
        case Type::i8: return put<std::int8_t>(at, value);
        case Type::u16: return put<std::uint16_t>(at, value);
        case Type::i16: return put<std::int16_t>(at, value);
        case Type::u32: return put<std::uint32_t>(at, value);
        case Type::i32: return put<std::int32_t>(at, value);
        case Type::u64: return put<std::uint64_t>(at, value);
        case Type::i64: return put<std::int64_t>(at, value);
        case Type::f32: return put<float>(at, value);
        case Type::f64: break;
        case Type::bits: break;  // test_bits
    }
    return put<double>(at, value);
}

enum class Order { rows, columns, padded_rows, every_second, upside_down };
const std::vector<Order> kOrders = {Order::rows, Order::columns, Order::padded_rows, Order::every_second,
                                    Order::upside_down};

// The data as the user might hold it, in memory that ends with its last cell.
class Dense {
public:
    Dense(const Data& data, Type type, Order order) : type_(type) {
        const auto size = static_cast<std::ptrdiff_t>(put(nullptr, type, 0));
        const auto n = static_cast<std::ptrdiff_t>(data.n_rows);
        const auto k = static_cast<std::ptrdiff_t>(data.n_columns);
        std::ptrdiff_t first = 0;
        row_step_ = k * size;
        column_step_ = size;
        if (order == Order::columns) row_step_ = size, column_step_ = n * size;
        if (order == Order::padded_rows) row_step_ = (k + 3) * size;
        if (order == Order::every_second) row_step_ = 2 * k * size, column_step_ = 2 * size;
        if (order == Order::upside_down) first = (n - 1) * row_step_, row_step_ = -row_step_;
        const std::ptrdiff_t last =
            std::max<std::ptrdiff_t>(first, (n - 1) * row_step_) + (k - 1) * column_step_;
        memory_.assign(static_cast<std::size_t>(last + size), std::byte{0xAA});
        first_ = memory_.data() + first;
        for (std::size_t i = 0; i < data.n_rows; ++i)
            for (std::size_t j = 0; j < data.n_columns; ++j) set(i, j, data.at(i, j) ? 1 : 0);
        table_.n_rows = data.n_rows;
        table_.n_columns = data.n_columns;
        for (std::ptrdiff_t j = 0; j < k; ++j)
            table_.dense.push_back({first_ + j * column_step_, type, row_step_});
    }

    void set(std::size_t row, std::size_t column, double value) {
        put(first_ + static_cast<std::ptrdiff_t>(row) * row_step_ +
                static_cast<std::ptrdiff_t>(column) * column_step_,
            type_, value);
    }
    const Table& table() const { return table_; }

private:
    Type type_;
    std::ptrdiff_t row_step_;
    std::ptrdiff_t column_step_;
    std::vector<std::byte> memory_;
    std::byte* first_;
    Table table_;
};

// Columns that are worth keeping: not constant, and not equal or opposite to an earlier one.
std::vector<std::uint32_t> expected_features(const Data& data) {
    std::set<std::vector<bool>> seen;
    std::vector<std::uint32_t> kept;
    for (std::size_t j = 0; j < data.n_columns; ++j) {
        std::vector<bool> column;
        for (std::size_t i = 0; i < data.n_rows; ++i)
            if (data.weight(i) > 0) column.push_back(data.at(i, j));
        if (!column.empty() && column[0]) column.flip();
        if (std::find(column.begin(), column.end(), true) == column.end()) continue;
        if (seen.insert(column).second) kept.push_back(static_cast<std::uint32_t>(j));
    }
    return kept;
}

std::map<RowKey, std::int64_t> expected_contents(const Data& data, bool count_rows = false) {
    const std::vector<std::uint32_t> kept = expected_features(data);
    std::map<RowKey, std::int64_t> weights;
    for (std::size_t i = 0; i < data.n_rows; ++i) {
        if (data.weight(i) == 0) continue;
        std::vector<bool> features;
        for (const std::uint32_t j : kept) features.push_back(data.at(i, j));
        weights[{features, data.class_of(i)}] += data.weight(i);
        if (count_rows && !data.weights.empty()) ++weights[{features, data.n_classes}];
    }
    return weights;
}

void check_view(const Data& data, const View& view, bool count_rows) {
    check_invariants(view);
    CHECK_EQ(view.n_classes, data.n_classes);
    CHECK_EQ(view.features, expected_features(data));
    CHECK(contents(view) == expected_contents(data, count_rows));
    for (std::size_t w = 0; w < view.n_words(); ++w) CHECK_EQ(view.column(w, view.unavoidable()), Word{0});
}

void check_packed(const Data& data, const Table& table) {
    for (const Kernels* kernels : available_kernels()) {
        const check::Context context(kernels->name);
        CHECK(!find_non_binary(*kernels, table));
        for (const Merging merging : {Merging::when_it_pays, Merging::never, Merging::always})
            for (const bool count_rows : {false, true}) {
                const std::size_t n_threads = merging == Merging::always ? 1 + 2 * count_rows : 1;
                const check::Context how("merging ", merging, ", counting rows ", count_rows);
                Limits limits;
                View view(limits);
                CHECK(!pack(*kernels, table, data.target(), limits, view,
                            {.count_rows = count_rows, .merging = merging, .n_threads = n_threads}));
                check_view(data, view, count_rows);
            }
    }
}

Data some_data(Random& random, std::size_t n_rows, std::size_t n_columns) {
    return make_data(random,
                     {.n_rows = n_rows,
                      .n_columns = n_columns,
                      .n_classes = random.between(1, 4),
                      .weights = random.one_of<Weights>({Weights::none, Weights::few, Weights::many})});
}

void test_types_and_layouts(Random& random) {
    for (const Type type : kTypes)
        for (const Order order : kOrders)
            for (const std::size_t n_columns : {1, 6, 64, 67}) {
                const check::Context context("type ", type, ", order ", order, ", ", n_columns, " columns");
                const Data data = some_data(random, random.between(1, 200), n_columns);
                check_packed(data, Dense(data, type, order).table());
            }
    const Data tall = some_data(random, 3000, 10);
    check_packed(tall, tall.table());
}

void test_mixed_types(Random& random) {
    const Data data = some_data(random, 150, 23);
    std::vector<std::vector<std::byte>> memory;
    Table table;
    table.n_rows = data.n_rows;
    table.n_columns = data.n_columns;
    for (std::size_t j = 0; j < data.n_columns; ++j) {
        const Type type = kTypes[j % kTypes.size()];
        const std::size_t size = put(nullptr, type, 0);
        memory.emplace_back(1 + data.n_rows * size);  // not aligned
        for (std::size_t i = 0; i < data.n_rows; ++i)
            put(memory.back().data() + 1 + i * size, type, data.at(i, j) ? 1 : 0);
        table.dense.push_back({memory.back().data() + 1, type, static_cast<std::ptrdiff_t>(size)});
    }
    check_packed(data, table);
}

void test_sparse(Random& random) {
    for (const std::size_t n_columns : {0, 1, 20, 90}) {
        const Data data = some_data(random, 180, n_columns);
        std::vector<std::int64_t> begin{0};
        std::vector<std::int32_t> ones;
        for (std::size_t i = 0; i < data.n_rows; ++i) {
            for (std::size_t j = n_columns; j-- > 0;)  // in any order
                if (data.at(i, j)) ones.push_back(static_cast<std::int32_t>(j));
            begin.push_back(static_cast<std::int64_t>(ones.size()));
        }
        Table table;
        table.n_rows = data.n_rows;
        table.n_columns = n_columns;
        table.row_begin = begin.data();
        table.ones = ones.data();
        check_packed(data, table);
    }
}

void test_bits(Random& random) {
    for (const std::size_t n_columns : {0, 1, 20, 90}) {
        const Data data = some_data(random, 180, n_columns);
        const std::size_t n_words = (data.n_rows + 63) / 64;
        std::vector<std::vector<Word>> words(n_columns, std::vector<Word>(n_words, 0));
        Table table = data.table();  // every third column as it was
        for (std::size_t j = 0; j < n_columns; ++j) {
            for (std::size_t i = 0; i < data.n_rows; ++i)
                words[j][i / 64] |= static_cast<Word>(data.at(i, j)) << i % 64;
            if (j % 3 != 0) table.dense[j] = {words[j].data(), Type::bits, 0};
        }
        check_packed(data, table);
    }
}

// ---- weights --------------------------------------------------------------------------------------

void test_weights(Random& random) {
    Data data = make_data(random, {.n_rows = 500, .n_columns = 9, .n_classes = 3});
    const auto packed_runs = [&] {
        check_packed(data, data.table());
        Limits limits;
        View view(limits);
        pack(find_kernels("auto"), data.table(), data.target(), limits, view);
        return view.runs;
    };
    for (std::size_t different = 1; different <= 12; ++different) {
        const check::Context context(different, " different weights");
        data.weights.assign(data.n_rows, 0);
        std::set<std::pair<std::size_t, std::int32_t>> kinds;
        for (std::size_t i = 0; i < data.n_rows; ++i) {
            data.weights[i] = static_cast<std::int32_t>(3 + 1000 * random.below(different));
            kinds.insert({data.class_of(i), data.weights[i]});
        }
        const std::vector<Run> runs = packed_runs();
        if (different <= 8) CHECK_EQ(runs.size(), kinds.size());  // a run for each
        CHECK_LE(runs.size(), 31 * data.n_classes);
        if (different <= 8) continue;
        for (const Run& run : runs) CHECK(std::has_single_bit(static_cast<unsigned>(run.weight)));
    }
    // A bootstrap: few rows have the larger weights, and go to the runs of their bits.
    for (std::size_t i = 0; i < data.n_rows; ++i)
        data.weights[i] = static_cast<std::int32_t>(i % 100 == 0 ? random.between(5, 7) : random.below(4));
    std::set<Count> bootstrap;
    for (const Run& run : packed_runs()) bootstrap.insert(run.weight);
    CHECK(bootstrap == (std::set<Count>{1, 2, 3, 4}));
    // As heavy as weights can be, and most rows without any.
    data.weights.assign(data.n_rows, 0);
    data.weights[7] = 2147483647;
    packed_runs();
    for (std::size_t i = 0; i < 40; ++i) data.weights[i] = static_cast<std::int32_t>(1000003 * i);
    packed_runs();
    for (std::int32_t& weight : data.weights) weight = weight == 0 ? 1 : 0;
    packed_runs();
}

// ---- many rows: in chunks, by several threads, and merged where that pays -------------------------

constexpr std::size_t kManyRows = 30000;  // fewer than in these tests

std::size_t stored_words(const Data& data, const PackOptions& options, Limits& limits) {
    View view(limits);
    CHECK(!pack(find_kernels("auto"), data.table(), data.target(), limits, view, options));
    check_view(data, view, options.count_rows);
    return view.n_words();
}

void test_many_rows(Random& random) {
    for (const std::size_t repeated : {0, 95})
        for (const Weights weights : {Weights::none, Weights::few, Weights::many}) {
            const check::Context context(repeated, " percent repeated, weights ", weights);
            const Data data = make_data(random, {.n_rows = 40000 + random.below(200),
                                                 .n_columns = repeated == 0 ? std::size_t{40} : 9,
                                                 .n_classes = 3,
                                                 .weights = weights,
                                                 .repeated = repeated});
            Limits limits;
            const std::size_t plain = stored_words(data, {}, limits);
            for (const Merging merging : {Merging::never, Merging::when_it_pays, Merging::always}) {
                const bool count_rows = random.chance(50);
                const std::size_t n_threads = random.one_of<std::size_t>({1, 2, 5});
                const check::Context with("merging ", merging, ", ", n_threads, " threads, counting rows ",
                                          count_rows);
                const std::size_t words = stored_words(data,
                                                       {.count_rows = count_rows,
                                                        .merging = merging,
                                                        .many_rows = kManyRows,
                                                        .n_threads = n_threads},
                                                       limits);
                if (merging == Merging::when_it_pays && repeated > 0) CHECK_LT(2 * words, plain);
                if (merging != Merging::always && repeated == 0 && !count_rows) CHECK_EQ(words, plain);
            }
            CHECK(limits.holds_nothing());
        }
}

// Rows that look alike at first: the order of a table does not hide that merging does not pay, or that it does.
void test_rows_in_order(Random& random) {
    Data data = make_data(random, {.n_rows = 40000, .n_columns = 40, .repeated = 0});
    std::fill_n(data.cells.begin(), 10000 * data.n_columns, std::uint8_t{0});
    Limits limits;
    const PackOptions when_it_pays{.merging = Merging::when_it_pays, .many_rows = kManyRows};
    CHECK_EQ(stored_words(data, when_it_pays, limits), stored_words(data, {}, limits));
    for (std::size_t i = 10000; i < data.n_rows; ++i)
        std::copy_n(data.cells.begin() + static_cast<std::ptrdiff_t>((i % 5000 + 30000) * data.n_columns),
                    data.n_columns, data.cells.begin() + static_cast<std::ptrdiff_t>(i * data.n_columns));
    CHECK_LT(2 * stored_words(data, when_it_pays, limits), stored_words(data, {}, limits));
}

// A budget that holds the packed rows alone is enough, as before.
void test_merging_with_little_memory(Random& random) {
    const Data data = make_data(random, {.n_rows = 40000, .n_columns = 9});
    for (const std::size_t n_threads : {1, 3}) {
        Limits unlimited;
        const std::size_t plain = stored_words(data, {.n_threads = n_threads}, unlimited);
        const std::size_t needed = unlimited.peak_bytes();
        bool merged = false;
        for (std::size_t budget = needed; !merged; budget += budget) {
            const check::Context context(n_threads, " threads, budget ", budget);
            Limits limits(Limits::kNoDeadline, budget);
            merged =
                stored_words(
                    data, {.merging = Merging::when_it_pays, .many_rows = kManyRows, .n_threads = n_threads},
                    limits) < plain;
            CHECK(!limits.stopped());
        }
    }
    for (const Merging merging : {Merging::never, Merging::always}) {
        Limits no_time(0);
        View view(no_time);
        CHECK_THROWS(pack(find_kernels("auto"), data.table(), data.target(), no_time, view,
                          {.merging = merging, .n_threads = 2}),
                     LimitReached);
        CHECK(no_time.reason() == Status::time_limit);
    }
}

void test_non_binary_in_many_rows(Random& random) {
    Data data = make_data(random, {.n_rows = 50000, .n_columns = 9});
    for (const std::size_t row : {45000, 31000, 77}) {
        data.cells[row * data.n_columns + 4] = 3;
        for (const std::size_t n_threads : {1, 3})
            for (const Merging merging : {Merging::never, Merging::when_it_pays, Merging::always}) {
                Limits limits;
                View view(limits);
                const auto bad = pack(find_kernels("auto"), data.table(), data.target(), limits, view,
                                      {.merging = merging, .many_rows = kManyRows, .n_threads = n_threads});
                CHECK(bad.has_value());
                if (bad) CHECK_EQ(data.cells[bad->row * data.n_columns + bad->column], 3);
            }
    }
}

// ---- columns that can never be chosen -------------------------------------------------------------

void test_columns_left_out() {
    // Rows 0-5; the last has weight 0, so that what only it tells apart is alike.
    const std::vector<std::vector<int>> columns = {
        {1, 1, 1, 1, 1, 1},  // constant
        {0, 1, 0, 1, 1, 0},  // kept
        {1, 0, 1, 0, 0, 1},  // its opposite
        {0, 0, 0, 0, 0, 1},  // constant where there is weight
        {1, 1, 0, 0, 1, 0},  // kept
        {0, 1, 0, 1, 1, 1},  // the second, where there is weight
        {0, 0, 1, 1, 0, 0},  // the opposite of the fifth, where there is weight
        {0, 0, 0, 0, 1, 0},  // kept
    };
    Data data;
    data.n_rows = 6;
    data.n_columns = columns.size();
    data.n_classes = 2;
    data.classes = {0, 1, 0, 1, 1, 0};
    data.weights = {1, 1, 2, 1, 1, 0};
    for (std::size_t i = 0; i < data.n_rows; ++i)
        for (const std::vector<int>& column : columns)
            data.cells.push_back(static_cast<std::uint8_t>(column[i]));
    CHECK_EQ(expected_features(data), (std::vector<std::uint32_t>{1, 4, 7}));
    check_packed(data, data.table());
}

// ---- cells that are not binary --------------------------------------------------------------------

void check_found(const Data& data, const Table& table, std::size_t row, std::size_t column) {
    for (const Kernels* kernels : available_kernels()) {
        const check::Context context(kernels->name);
        Limits limits;
        View view(limits);
        for (const auto& found :
             {find_non_binary(*kernels, table), pack(*kernels, table, data.target(), limits, view)}) {
            CHECK(found.has_value());
            if (!found) continue;
            CHECK_EQ(found->row, row);
            CHECK_EQ(found->column, column);
        }
    }
}

void test_non_binary(Random& random) {
    const std::map<Type, std::vector<double>> bad = {
        {Type::u8, {2, 255, 128}},
        {Type::i8, {2, -1, -128}},
        {Type::u16, {2, 256, 257, 65535}},
        {Type::i16, {-1, 256, 257}},
        {Type::u32, {2, 65536, 16777216}},
        {Type::i32, {-1, 65536, 16777217}},
        {Type::u64, {2, 4294967296.0, 4294967297.0}},
        {Type::i64, {-1, 4294967296.0, 4294967297.0}},
        {Type::f32, {0.5, -1, 1e-30, NAN, INFINITY, 1.0000002}},
        {Type::f64, {0.5, -1, 1e-300, NAN, -INFINITY, 1.0000000000000002}}};
    for (const auto& [type, values] : bad)
        for (const Order order : kOrders)
            for (const double value : values) {
                const check::Context context("type ", type, ", order ", order, ", value ", value);
                Data data = some_data(random, random.between(1, 150), random.between(1, 70));
                Dense dense(data, type, order);
                const std::size_t row = random.below(data.n_rows);
                const std::size_t column = random.below(data.n_columns);
                if (!data.weights.empty() && row > 0) data.weights[row] = 0;  // it counts even so
                dense.set(row, column, value);
                check_found(data, dense.table(), row, column);
            }
    // Minus zero is a zero.
    const Data data = some_data(random, 50, 4);
    Dense dense(data, Type::f64, Order::rows);
    for (std::size_t i = 0; i < data.n_rows; ++i)
        for (std::size_t j = 0; j < data.n_columns; ++j)
            if (!data.at(i, j)) dense.set(i, j, -0.0);
    check_packed(data, dense.table());
}

// ---- unavoidable errors ---------------------------------------------------------------------------

void check_unavoidable(const Data& data) {
    for (const Kernels* kernels : available_kernels()) {
        const check::Context context(kernels->name);
        Limits limits;
        View view(limits);
        CHECK(!pack(*kernels, data.table(), data.target(), limits, view));
        std::map<std::vector<bool>, std::vector<std::int64_t>> groups;
        for (const auto& [row, weight] : contents(view)) {
            std::vector<std::int64_t>& classes = groups[row.first];
            classes.resize(data.n_classes, 0);
            classes[row.second] += weight;
        }
        mark_unavoidable(*kernels, Objective{}, view, limits);
        check_invariants(view);
        CHECK(contents(view) == expected_contents(data));
        std::map<std::vector<bool>, std::vector<std::int64_t>> marked;
        for_view_rows(view, [&](const Run& run, std::size_t w, std::size_t bit) {
            std::vector<std::int64_t>& classes = marked[features_at(view, w, bit)];
            classes.resize(data.n_classes, 0);
            if (view.column(w, view.unavoidable()) >> bit & 1) classes[run.channel] += run.weight;
        });
        CHECK_EQ(marked.size(), groups.size());
        for (const auto& [features, classes] : groups) {
            // All of every class but a heaviest one.
            const std::int64_t heaviest = *std::max_element(classes.begin(), classes.end());
            std::int64_t spared = 0;
            for (std::size_t c = 0; c < data.n_classes; ++c) {
                const std::int64_t unmarked = classes[c] - marked[features][c];
                CHECK(unmarked == 0 || (unmarked == heaviest && spared == 0));
                spared += unmarked;
            }
            CHECK_EQ(spared, heaviest);
        }
    }
}

void test_unavoidable(Random& random) {
    for (int repeat = 0; repeat < 60; ++repeat) {
        const check::Context context("repeat ", repeat);
        check_unavoidable(make_small_data(random, 6));
    }
    for (const std::size_t n_columns : {0, 1, 63, 64, 65, 130})
        check_unavoidable(make_data(random, {.n_rows = 300,
                                             .n_columns = n_columns,
                                             .n_classes = 3,
                                             .weights = Weights::few,
                                             .odd_columns = false,
                                             .repeated = 60}));
}

// Marking is optional: with too little room for it nothing is marked, and nothing stops.
void test_unavoidable_with_little_memory(std::size_t n_bits) {
    const check::Context context(n_bits, " columns");
    Data data;  // all combinations once, so that no two rows are equal, in full words
    data.n_rows = 128;
    data.n_columns = n_bits;
    data.n_classes = 2;
    for (std::size_t i = 0; i < data.n_rows; ++i) {
        for (std::size_t j = 0; j < n_bits; ++j) data.cells.push_back(i >> j & 1);
        data.classes.push_back(i % 2);
    }
    const Kernels& kernels = find_kernels("auto");
    bool marked = false;
    for (std::size_t budget = 1024; !marked; budget += 4) {
        const check::Context with("budget ", budget);
        Limits limits(Limits::kNoDeadline, budget);
        View view(limits);
        CHECK(!pack(kernels, data.table(), data.target(), limits, view));
        const std::size_t before = limits.peak_bytes();
        try {
            mark_unavoidable(kernels, Objective{}, view, limits);
        } catch (const LimitReached&) {
            CHECK(false && "marking ran out of memory");
        }
        CHECK(!limits.stopped());
        marked = limits.peak_bytes() > before;
    }
}

}  // namespace
}  // namespace splitsecond

int main() {
    using namespace splitsecond;
    Random random(2);
    test_types_and_layouts(random);
    test_mixed_types(random);
    test_sparse(random);
    test_bits(random);
    test_weights(random);
    test_many_rows(random);
    test_rows_in_order(random);
    test_merging_with_little_memory(random);
    test_non_binary_in_many_rows(random);
    test_columns_left_out();
    test_non_binary(random);
    test_unavoidable(random);
    test_unavoidable_with_little_memory(7);
    test_unavoidable_with_little_memory(0);
    return check::report();
}
