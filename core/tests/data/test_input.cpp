// Bad input throws at the boundary or is named; odd but valid input gives a tree.
#include <limits>
#include <stdexcept>

#include "search/solve.hpp"
#include "support/check.hpp"
#include "support/data.hpp"

namespace splitsecond {
namespace {

Data valid_data() {
    Random random(8);
    return make_data(random, {.n_rows = 40, .n_columns = 5, .n_classes = 3});
}

Solution solved(const Data& data, const Options& options = {}) {
    Limits limits;
    return solve(data.table(), data.target(), options, limits);
}

void test_classes_out_of_range() {
    Data data = valid_data();
    data.wide_classes.clear();
    data.classes.assign(data.n_rows, 0);
    for (const int cls : {3, 4, 255}) {
        data.classes[17] = static_cast<std::uint8_t>(cls);
        CHECK_THROWS(solved(data), std::invalid_argument);
    }
    data.wide_classes.assign(data.n_rows, 0);
    for (const std::int32_t cls : {-1, 3, 256, std::numeric_limits<std::int32_t>::min()}) {
        data.wide_classes[17] = cls;
        CHECK_THROWS(solved(data), std::invalid_argument);
    }
}

void test_weights_out_of_range() {
    Data data = valid_data();
    data.weights.assign(data.n_rows, 1);
    data.weights[39] = -1;
    CHECK_THROWS(solved(data), std::invalid_argument);
    data.weights.assign(data.n_rows, 0);
    CHECK_THROWS(solved(data), std::invalid_argument);
    data.weights[3] = std::numeric_limits<std::int32_t>::max();
    data.weights[4] = 1;
    CHECK_THROWS(solved(data), std::invalid_argument);
    data.weights[4] = 0;
    check_tree(data, {}, solved(data));
}

void test_no_rows() {
    Data data;
    data.n_columns = 3;
    CHECK_THROWS(solved(data), std::invalid_argument);
}

void test_not_binary() {
    for (const Algorithm algorithm :
         {Algorithm::greedy, Algorithm::lickety_split, Algorithm::split, Algorithm::optimal}) {
        Data data = valid_data();
        data.cells[13 * data.n_columns + 2] = 7;
        Options options;
        options.algorithm = algorithm;
        const Solution solution = solved(data, options);
        CHECK(solution.not_binary.has_value());
        if (!solution.not_binary) continue;
        CHECK_EQ(solution.not_binary->row, 13u);
        CHECK_EQ(solution.not_binary->column, 2u);
        CHECK_EQ(solution.tree.size(), 0u);
    }
}

void test_odd_shapes() {
    Random random(9);
    for (const Algorithm algorithm :
         {Algorithm::greedy, Algorithm::lickety_split, Algorithm::split, Algorithm::optimal})
        for (const std::size_t n_rows : {1, 2, 64})
            for (const std::size_t n_columns : {0, 1, 200})
                for (const std::size_t n_classes : {1, 2, 300})
                    for (const std::size_t depth : {0, 1, 2}) {
                        const check::Context context("algorithm ", algorithm, ", ", n_rows, " rows, ",
                                                     n_columns, " columns, ", n_classes, " classes, depth ",
                                                     depth);
                        const Data data = make_data(
                            random,
                            {.n_rows = n_rows, .n_columns = n_columns, .n_classes = n_classes, .noise = 50});
                        Options options;
                        options.algorithm = algorithm;
                        options.max_depth = depth;
                        options.lookahead = 7;  // more than there are levels
                        options.n_threads = 0;  // as good as one
                        check_tree(data, options, solved(data, options));
                    }
}

}  // namespace
}  // namespace splitsecond

int main() {
    using namespace splitsecond;
    test_classes_out_of_range();
    test_weights_out_of_range();
    test_no_rows();
    test_not_binary();
    test_odd_shapes();
    return check::report();
}
