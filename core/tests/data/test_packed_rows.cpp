// Dividing, choosing, gathering and ordering the rows of a node: nothing is lost, nothing is added.
#include "data/packed_rows.hpp"

#include <cstddef>
#include <map>
#include <numeric>
#include <vector>

#include "data/equal_rows.hpp"
#include "data/packing.hpp"
#include "data/shared_gather.hpp"
#include "search/problem.hpp"
#include "search/row_order.hpp"
#include "support/check.hpp"
#include "support/data.hpp"
#include "support/views.hpp"

namespace splitsecond {
namespace {

// Weight of each class in each column over the rows of a mask.
std::vector<Count> naive_counts(const View& view, const std::vector<Word>& mask) {
    std::vector<Count> counts(view.n_classes * view.stride, 0);
    for_view_rows(view, [&](const Run& run, std::size_t w, std::size_t bit) {
        if ((mask[w] >> bit & 1) == 0) return;
        for (std::size_t j = 0; j < view.stride; ++j)
            if (view.column(w, j) >> bit & 1) counts[run.channel * view.stride + j] += run.weight;
    });
    return counts;
}

// What the rows of a mask hold in some of the columns.
std::map<RowKey, std::int64_t> contents_of(const View& view, const std::vector<Word>& mask,
                                           const std::vector<std::size_t>& columns) {
    std::map<RowKey, std::int64_t> weights;
    for_view_rows(view, [&](const Run& run, std::size_t w, std::size_t bit) {
        if ((mask[w] >> bit & 1) == 0) return;
        const std::vector<bool> all = features_at(view, w, bit);
        std::vector<bool> features;
        for (const std::size_t j : columns) features.push_back(all[j]);
        weights[{features, run.channel}] += run.weight;
    });
    return weights;
}

std::int64_t marked_weight(const View& view, const std::vector<Word>& mask) {
    const std::vector<Count> counts = naive_counts(view, mask);
    return weight_at(view, counts.data(), view.unavoidable());
}

std::vector<Word> all_rows(const View& view) {
    std::vector<Word> mask;
    for (std::size_t w = 0; w < view.n_words(); ++w) mask.push_back(view.column(w, view.ones()));
    return mask;
}

void check_divided(const Kernels& kernels, Random& random, const View& view) {
    const std::vector<Word> all = all_rows(view);
    std::vector<Word> some = all;
    for (Word& word : some) word &= random.word();
    for (std::size_t j = 0; j <= view.unavoidable(); ++j)
        for (const bool of_some : {false, true}) {
            const std::vector<Word>& rows = of_some ? some : all;
            std::vector<Word> yes(view.n_words()), no(view.n_words()), selected(view.n_words());
            std::vector<Count> counts(view.n_classes * view.stride, -1);
            split_rows(kernels, view, of_some ? some.data() : nullptr, j, yes.data(), no.data(),
                       counts.data());
            for (std::size_t w = 0; w < view.n_words(); ++w) {
                CHECK_EQ(yes[w], rows[w] & view.column(w, j));
                CHECK_EQ(no[w], rows[w] & ~view.column(w, j));
            }
            CHECK(counts == naive_counts(view, yes));
            const Word* given = of_some ? some.data() : nullptr;
            select_rows(view, given, j, true, selected.data());
            CHECK(selected == yes);
            select_rows(view, given, j, false, selected.data());
            CHECK(selected == no);
        }
}

// Features that differ on the rows of a mask.
std::vector<std::size_t> dividing_columns(const View& view, const std::vector<Count>& counts) {
    std::vector<std::size_t> columns;
    const Cost all = weight_at(view, counts.data(), view.ones());
    for (std::size_t j = 0; j < view.n_features; ++j) {
        const Cost with = weight_at(view, counts.data(), j);
        if (with != 0 && with != all) columns.push_back(j);
    }
    return columns;
}

// `out` keeps its memory from one gather to the next: what was there before must not shine through.
void check_gathered(const Kernels& kernels, const View& view, const std::vector<Word>& mask, Limits& limits,
                    View& out) {
    std::vector<std::size_t> columns(view.n_features);
    std::iota(columns.begin(), columns.end(), std::size_t{0});
    gather_rows(kernels, view, mask.data(), out);
    check_invariants(out);
    CHECK_EQ(out.features, view.features);
    CHECK(contents(out) == contents_of(view, mask, columns));
    CHECK_EQ(marked_weight(out, all_rows(out)), marked_weight(view, mask));

    const std::vector<Count> counts = naive_counts(view, mask);
    Buffer<Count> out_counts(limits);
    columns = dividing_columns(view, counts);
    gather_node(kernels, view, mask.data(), counts.data(), out, out_counts);
    check_invariants(out);
    CHECK_EQ(out.n_features, columns.size());
    for (std::size_t j = 0; j < out.n_features && j < columns.size(); ++j)
        CHECK_EQ(out.features[j], view.features[columns[j]]);
    CHECK(contents(out) == contents_of(view, mask, columns));
    const std::vector<Count> expected = naive_counts(out, all_rows(out));
    CHECK_EQ(out_counts.size(), expected.size());
    CHECK(std::equal(expected.begin(), expected.end(), out_counts.data()));
}

void test_divide_and_gather(const Kernels& kernels, Random& random) {
    for (const std::size_t n_columns : {0, 1, 6, 14, 70})
        for (const std::size_t n_rows : {1, 64, 65, 400}) {
            const check::Context context(n_rows, " rows, ", n_columns, " columns");
            Limits limits;
            View view(limits), out(limits);
            const Data data =
                make_data(random, {.n_rows = n_rows,
                                   .n_columns = n_columns,
                                   .n_classes = random.between(1, 4),
                                   .weights = random.one_of<Weights>({Weights::none, Weights::many})});
            CHECK(!pack(kernels, data.table(), data.target(), limits, view));
            mark_unavoidable(kernels, Objective{}, view, limits);
            check_divided(kernels, random, view);
            const std::vector<Word> all = all_rows(view);
            check_gathered(kernels, view, all, limits, out);
            std::vector<Word> mask = all;
            for (Word& word : mask) word &= random.chance(30) ? 0 : random.word();
            check_gathered(kernels, view, mask, limits, out);
            for (std::size_t j = 0; j < view.n_features && j < 8; ++j)
                for (const bool yes : {true, false}) {
                    select_rows(view, nullptr, j, yes, mask.data());
                    check_gathered(kernels, view, mask, limits, out);
                }
            std::fill(mask.begin(), mask.end(), Word{0});
            check_gathered(kernels, view, mask, limits, out);
        }
}

void check_same_rows(const View& view, const View& expected) {
    CHECK_EQ(view.runs.size(), expected.runs.size());
    for (std::size_t r = 0; r < view.runs.size(); ++r) {
        CHECK_EQ(view.runs[r].channel, expected.runs[r].channel);
        CHECK_EQ(view.runs[r].weight, expected.runs[r].weight);
        CHECK_EQ(view.runs[r].end, expected.runs[r].end);
    }
    CHECK_EQ(view.stride, expected.stride);
    CHECK(
        std::equal(view.data.data(), view.data.data() + view.n_words() * view.stride, expected.data.data()));
}

// Runs so long that they are gathered piece by piece, and on several threads.
void test_gather_long_runs(const Kernels& kernels, Random& random) {
    Data data;
    data.n_rows = 600000;
    data.n_columns = 1;
    data.n_classes = 2;
    for (std::size_t i = 0; i < data.n_rows; ++i) {
        data.cells.push_back(random.word() & 1);
        data.classes.push_back(i % 2 == 0 && random.chance(50));
    }
    Limits limits;
    View view(limits), out(limits);
    CHECK(!pack(kernels, data.table(), data.target(), limits, view));
    std::vector<Word> mask = all_rows(view);
    for (Word& word : mask) word &= random.word() | random.word();
    gather_rows(kernels, view, mask.data(), out);
    std::vector<bool> expected, gathered;  // the one column, in order
    for_view_rows(view, [&](const Run&, std::size_t w, std::size_t bit) {
        if (mask[w] >> bit & 1) expected.push_back((view.column(w, 0) >> bit & 1) != 0);
    });
    for_view_rows(out, [&](const Run&, std::size_t w, std::size_t bit) {
        gathered.push_back((out.column(w, 0) >> bit & 1) != 0);
    });
    check_invariants(out);
    CHECK(gathered == expected);

    for (const std::size_t n_threads : {1, 3}) {
        Workers workers(n_threads, limits);
        View shared(limits);
        shared.n_features = view.n_features;
        shared.stride = view.stride;
        CHECK(gather_shared(kernels, view, {mask.data()}, nullptr, workers, shared));
        check_same_rows(shared, out);
    }

    Limits past(0);
    View stopped(past);
    CHECK_THROWS(gather_rows(kernels, view, mask.data(), stopped), LimitReached);
}

// Rows move within their run, whole, and those of one branch end up side by side. In a large table several threads
// gather parts of a run that share words.
void test_cluster(const Kernels& kernels, Random& random) {
    struct Case {
        std::size_t n_rows, n_columns;
        Weights weights;
    };
    const std::vector<Case> cases = {{9000, 9, Weights::none},
                                     {9000, 9, Weights::few},
                                     {9000, 9, Weights::many},
                                     {400'000, 3, Weights::none}};
    for (const auto& [n_rows, n_columns, weights] : cases) {
        Limits limits;
        Workers workers(2, limits);
        View view(limits);
        const Data data = make_data(
            random,
            {.n_rows = n_rows, .n_columns = n_columns, .n_classes = 2, .weights = weights, .noise = 0});
        SpeedOptions speed;
        speed.kernels = &kernels;
        const Problem problem{{{1, 1}, {}, {}}, speed, limits};
        CHECK(!pack(kernels, data.table(), data.target(), limits, view));
        mark_unavoidable(kernels, Objective{}, view, limits);
        const auto before = contents(view);
        const std::int64_t marked = marked_weight(view, all_rows(view));
        const std::vector<Run> runs = view.runs;

        Tree tree(2);  // a split on the first feature, and one below it
        for (int node = 0; node < 5; ++node) tree.add_leaf(std::vector<Count>(2, 0).data(), 1);
        tree.feature = {static_cast<std::int32_t>(view.features[0]),
                        static_cast<std::int32_t>(view.features[1]), -1, -1, -1};
        tree.left = {1, 2, -1, -1, -1};
        tree.right = {4, 3, -1, -1, -1};
        cluster_rows(problem, tree, workers, view);
        check_invariants(view);
        CHECK(contents(view) == before);
        CHECK_EQ(marked_weight(view, all_rows(view)), marked);
        CHECK_EQ(view.runs.size(), runs.size());
        std::size_t last_word = 0, last_branch = 0;
        for_view_rows(view, [&](const Run& run, std::size_t w, std::size_t bit) {
            const auto has = [&](std::size_t j) { return (view.column(w, j) >> bit & 1) != 0; };
            const std::size_t branch = !has(0) ? 2 : has(1) ? 0 : 1;
            if (w >= run.begin && last_word >= run.begin) CHECK_LE(last_branch, branch);
            last_word = w;
            last_branch = branch;
        });
    }
}

}  // namespace
}  // namespace splitsecond

int main() {
    using namespace splitsecond;
    Random random(3);
    for (const Kernels* kernels : available_kernels()) {
        const check::Context context(kernels->name);
        test_divide_and_gather(*kernels, random);
        test_gather_long_runs(*kernels, random);
        test_cluster(*kernels, random);
    }
    return check::report();
}
