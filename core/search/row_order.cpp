#include "search/row_order.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "data/shared_gather.hpp"

namespace splitsecond {
namespace {

constexpr std::size_t kLevels = 3;          // of the tree; more made no difference
constexpr std::size_t kWordsPerBranch = 8;  // fewer, and there is nothing to skip
constexpr std::size_t kPart = 2048;         // words that a thread takes at a time

// The rows in each branch of the tree, from the node on.
void branches(const View& view, const Tree& tree, std::size_t node, std::size_t levels, Buffer<Word> rows,
              Workers& workers, std::vector<Buffer<Word>>& out) {
    if (levels == 0 || tree.feature[node] < 0) {
        out.push_back(std::move(rows));
        return;
    }
    const std::size_t f = view.place_of(tree.feature[node]);
    Buffer<Word> yes(rows.limits());
    yes.resize(rows.size());
    workers.run((rows.size() + kPart - 1) / kPart, [&](std::size_t i, std::size_t) {
        const std::size_t end = std::min(rows.size(), (i + 1) * kPart);
        for (std::size_t w = i * kPart; w < end; ++w) {
            yes[w] = rows[w] & view.column(w, f);
            rows[w] ^= yes[w];
        }
    });
    branches(view, tree, static_cast<std::size_t>(tree.left[node]), levels - 1, std::move(yes), workers, out);
    branches(view, tree, static_cast<std::size_t>(tree.right[node]), levels - 1, std::move(rows), workers,
             out);
}

}  // namespace

void cluster_rows(const Problem& problem, const Tree& tree, Workers& workers, View& view) {
    if (view.n_words() < kWordsPerBranch << kLevels || tree.size() == 1) return;
    // Worth a copy of the rows only if there is room for it.
    const std::size_t size = view.n_words() * view.stride;
    if (!problem.limits.has_room((size + (view.n_words() << (kLevels + 1))) * sizeof(Word))) return;
    Buffer<Word> all(problem.limits);
    all.resize(view.n_words());
    for (std::size_t w = 0; w < view.n_words(); ++w) all[w] = view.column(w, view.ones());
    std::vector<Buffer<Word>> groups;
    branches(view, tree, 0, kLevels, std::move(all), workers, groups);

    std::vector<const Word*> masks;
    for (const Buffer<Word>& group : groups) masks.push_back(group.data());
    View ordered(problem.limits);
    ordered.n_features = view.n_features;
    ordered.stride = view.stride;
    if (gather_shared(problem.kernels(), view, masks, nullptr, workers, ordered))
        view.data = std::move(ordered.data);
}

}  // namespace splitsecond
