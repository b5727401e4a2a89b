#include "search/row_order.hpp"

#include <algorithm>
#include <utility>
#include <vector>

namespace splitsecond {
namespace {

constexpr std::size_t kLevels = 3;          // of the tree; more made no difference
constexpr std::size_t kWordsPerBranch = 8;  // fewer, and there is nothing to skip

// The rows in each branch of the tree, from the node on.
void branches(const View& view, const Tree& tree, std::size_t node, std::size_t levels, Buffer<Word> rows,
              Limits& limits, std::vector<Buffer<Word>>& out) {
    if (levels == 0 || tree.feature[node] < 0) {
        out.push_back(std::move(rows));
        return;
    }
    const auto found =
        std::find(view.features.begin(), view.features.end(), static_cast<std::uint32_t>(tree.feature[node]));
    const auto f = static_cast<std::size_t>(found - view.features.begin());
    Buffer<Word> yes(limits);
    yes.resize(rows.size());
    for (std::size_t w = 0; w < rows.size(); ++w) {
        yes[w] = rows[w] & view.column(w, f);
        rows[w] ^= yes[w];
    }
    branches(view, tree, static_cast<std::size_t>(tree.left[node]), levels - 1, std::move(yes), limits, out);
    branches(view, tree, static_cast<std::size_t>(tree.right[node]), levels - 1, std::move(rows), limits,
             out);
}

}  // namespace

void cluster_rows(const Problem& problem, const Tree& tree, View& view) {
    if (view.n_words() < kWordsPerBranch << kLevels || tree.size() == 1) return;
    // Worth a copy of the rows only if there is room for it.
    const std::size_t size = view.n_words() * view.stride;
    if (!problem.limits.has_room((size + (view.n_words() << (kLevels + 1))) * sizeof(Word))) return;
    Buffer<Word> all(problem.limits);
    all.resize(view.n_words());
    for (std::size_t w = 0; w < view.n_words(); ++w) all[w] = view.column(w, view.ones());
    std::vector<Buffer<Word>> groups;
    branches(view, tree, 0, kLevels, std::move(all), problem.limits, groups);

    Buffer<Word> ordered(problem.limits);
    ordered.resize(size);
    for (const Run& run : view.runs) {
        const std::size_t n_words = run.end - run.begin;
        std::size_t rows = 0;  // placed so far
        for (const Buffer<Word>& group : groups) {
            if (problem.limits.stop()) return;
            const Word* mask = group.data() + run.begin;
            problem.kernels().compress(view.data.data() + run.begin * view.stride, view.stride, mask, n_words,
                                       nullptr, 0, ordered.data() + (run.begin + rows / 64) * view.stride,
                                       view.stride, static_cast<int>(rows % 64));
            rows += problem.kernels().count_bits(mask, n_words);
        }
    }
    view.data = std::move(ordered);
}

}  // namespace splitsecond
