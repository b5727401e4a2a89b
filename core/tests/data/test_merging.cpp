// Rows with equal columns are merged: whatever the table is, against a map of the rows themselves.
#include "data/merging.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <stdexcept>
#include <vector>

#include "support/check.hpp"
#include "support/data.hpp"

namespace splitsecond {
namespace {

using Row = std::vector<bool>;

Row row_of(const Data& data, std::size_t i) {
    Row row;
    for (std::size_t j = 0; j < data.n_columns; ++j) row.push_back(data.at(i, j));
    return row;
}

// The data in other forms, which lie here.
struct Forms {
    std::vector<double> by_column;
    std::vector<std::vector<Word>> bits;
    std::vector<std::int64_t> row_begin;
    std::vector<std::int32_t> ones;

    explicit Forms(const Data& data)
        : by_column(data.n_rows * data.n_columns),
          bits(data.n_columns, std::vector<Word>((data.n_rows + 63) / 64, 0)) {
        for (std::size_t i = 0; i < data.n_rows; ++i) {
            row_begin.push_back(static_cast<std::int64_t>(ones.size()));
            for (std::size_t j = 0; j < data.n_columns; ++j) {
                if (!data.at(i, j)) continue;
                by_column[j * data.n_rows + i] = 1;
                bits[j][i / 64] |= Word{1} << i % 64;
                ones.push_back(static_cast<std::int32_t>(j));
            }
        }
        row_begin.push_back(static_cast<std::int64_t>(ones.size()));
    }

    std::vector<Table> tables(const Data& data) const {
        Table columns, packed, sparse;
        for (Table* table : {&columns, &packed, &sparse}) {
            table->n_rows = data.n_rows;
            table->n_columns = data.n_columns;
        }
        for (std::size_t j = 0; j < data.n_columns; ++j) {
            columns.dense.push_back({by_column.data() + j * data.n_rows, Type::f64, sizeof(double)});
            packed.dense.push_back({bits[j].data(), Type::bits, 0});
        }
        sparse.row_begin = row_begin.data();
        sparse.ones = ones.data();
        return {data.table(), columns, packed, sparse};
    }
};

void check_merged(const Data& data, const MergedRows& merged) {
    CHECK_EQ(merged.status, Status::complete);
    CHECK(!merged.not_binary.has_value());
    CHECK_EQ(merged.group.size(), data.n_rows);
    CHECK_EQ(merged.columns.size(), data.n_columns * merged.n_words());
    std::map<Row, std::size_t> known;
    for (std::size_t i = 0; i < data.n_rows; ++i) {
        const auto [place, is_new] = known.emplace(row_of(data, i), known.size());
        CHECK_EQ(static_cast<std::size_t>(merged.group[i]), place->second);
        if (is_new && place->second < merged.first.size())
            CHECK_EQ(static_cast<std::size_t>(merged.first[place->second]), i);
    }
    CHECK_EQ(merged.n_groups(), known.size());
    if (merged.columns.size() != data.n_columns * ((known.size() + 63) / 64)) return;
    for (std::size_t j = 0; j < data.n_columns; ++j) {
        std::vector<Word> expected(merged.n_words(), 0);
        for (const auto& [row, group] : known)
            if (row[j]) expected[group / 64] |= Word{1} << group % 64;
        CHECK(std::equal(expected.begin(), expected.end(), merged.columns.data() + j * merged.n_words()));
    }
}

void test_all_forms() {
    Random random(20);
    for (const Kernels* kernels : available_kernels())
        for (const std::size_t n_rows : {0, 1, 63, 64, 65, 700, 3000})
            for (const std::size_t n_columns : {0, 1, 5, 64, 65, 130})
                for (const std::size_t repeated : {0, 90}) {
                    const check::Context context(kernels->name, ": ", n_rows, " rows, ", n_columns,
                                                 " columns, ", repeated, " percent repeated");
                    const Data data =
                        make_data(random, {.n_rows = n_rows, .n_columns = n_columns, .repeated = repeated});
                    const Forms forms(data);
                    for (const Table& table : forms.tables(data)) {
                        Limits limits;
                        check_merged(data, merge_rows(*kernels, table, limits));
                    }
                }
}

void check_empty(const MergedRows& merged) {
    CHECK(merged.group.empty());
    CHECK(merged.first.empty());
    CHECK(merged.columns.empty());
}

void test_not_binary() {
    Random random(21);
    Data data = make_data(random, {.n_rows = 300, .n_columns = 20});
    data.cells[170 * data.n_columns + 3] = 2;
    Limits limits;
    const MergedRows merged = merge_rows(find_kernels("auto"), data.table(), limits);
    CHECK(merged.not_binary.has_value());
    if (merged.not_binary) {
        CHECK_EQ(merged.not_binary->row, 170u);
        CHECK_EQ(merged.not_binary->column, 3u);
    }
    check_empty(merged);
}

void test_limits() {
    Random random(22);
    const Data data = make_data(random, {.n_rows = 5000, .n_columns = 70, .repeated = 0});
    const Kernels& kernels = find_kernels("auto");
    Limits unlimited;
    const MergedRows expected = merge_rows(kernels, data.table(), unlimited);
    const std::size_t peak = unlimited.peak_bytes();
    CHECK_LE(expected.columns.size() * sizeof(Word), peak);
    for (const std::size_t bytes : {peak / 1000, peak / 10, peak / 2, peak - 1}) {
        const check::Context context(bytes, " bytes");
        Limits limits(Limits::kNoDeadline, bytes);
        const MergedRows merged = merge_rows(kernels, data.table(), limits);
        CHECK_EQ(merged.status, Status::memory_limit);
        check_empty(merged);
    }
    Limits enough(Limits::kNoDeadline, peak);
    check_merged(data, merge_rows(kernels, data.table(), enough));
    Limits no_time(0);
    const MergedRows late = merge_rows(kernels, data.table(), no_time);
    CHECK_EQ(late.status, Status::time_limit);
    check_empty(late);
}

void test_too_many_rows() {
    Table table;
    table.n_rows = std::size_t{1} << 31;
    Limits limits;
    CHECK_THROWS(merge_rows(find_kernels("auto"), table, limits), std::invalid_argument);
}

}  // namespace
}  // namespace splitsecond

int main() {
    using namespace splitsecond;
    test_all_forms();
    test_not_binary();
    test_limits();
    test_too_many_rows();
    return check::report();
}
