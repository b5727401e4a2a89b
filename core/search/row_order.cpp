#include "search/row_order.hpp"

#include <algorithm>
#include <bit>
#include <utility>
#include <vector>

namespace splitsecond {
namespace {

constexpr std::size_t kLevels = 3;          // of the tree; more made no difference
constexpr std::size_t kWordsPerBranch = 8;  // fewer, and there is nothing to skip
constexpr std::size_t kMinPart = 2048,
                      kMaxParts = 64;  // words that a thread takes at least; parts of the words at most

// The rows in each branch of the tree, from the node on.
void branches(const View& view, const Tree& tree, std::size_t node, std::size_t levels, Buffer<Word> rows,
              Workers& workers, std::vector<Buffer<Word>>& out) {
    if (levels == 0 || tree.feature[node] < 0) {
        out.push_back(std::move(rows));
        return;
    }
    const auto found =
        std::find(view.features.begin(), view.features.end(), static_cast<std::uint32_t>(tree.feature[node]));
    const auto f = static_cast<std::size_t>(found - view.features.begin());
    Buffer<Word> yes(rows.limits());
    yes.resize(rows.size());
    workers.run((rows.size() + kMinPart - 1) / kMinPart, [&](std::size_t i, std::size_t) {
        const std::size_t end = std::min(rows.size(), (i + 1) * kMinPart);
        for (std::size_t w = i * kMinPart; w < end; ++w) {
            yes[w] = rows[w] & view.column(w, f);
            rows[w] ^= yes[w];
        }
    });
    branches(view, tree, static_cast<std::size_t>(tree.left[node]), levels - 1, std::move(yes), workers, out);
    branches(view, tree, static_cast<std::size_t>(tree.right[node]), levels - 1, std::move(rows), workers,
             out);
}

// Some words of a run, of whose rows those in one group are gathered by one thread. The word in which the first of them
// lands may hold rows of earlier parts: what this part has of it waits in `head`.
struct Part {
    std::size_t run, begin, end;
    const Word* mask;  // of the view's first word
    Word* out = nullptr;
    int offset = 0;  // of the first row in the word at `out`
    std::vector<Word> head;
};

std::vector<Part> parts_of(const View& view, const std::vector<Buffer<Word>>& groups) {
    const std::size_t size = std::max(kMinPart, view.n_words() / kMaxParts + 1);
    std::vector<Part> parts;
    for (std::size_t run = 0; run < view.runs.size(); ++run)
        for (const Buffer<Word>& group : groups)
            for (std::size_t begin = view.runs[run].begin; begin < view.runs[run].end; begin += size)
                parts.push_back({run, begin, std::min(begin + size, view.runs[run].end), group.data()});
    return parts;
}

void gather(const Kernels& kernels, const View& view, Part& part) {
    const std::size_t stride = view.stride;
    std::size_t w = part.begin;
    const auto compress = [&](std::size_t n_words, Word* out, int offset) {
        kernels.compress(view.data.data() + w * stride, stride, part.mask + w, n_words, nullptr, 0, out,
                         stride, offset);
    };
    Word* out = part.out;
    int offset = part.offset;
    if (offset > 0) {
        part.head.assign(2 * stride, 0);
        for (; w < part.end && offset < 64; ++w) {
            compress(1, part.head.data(), offset);
            offset += std::popcount(part.mask[w]);
        }
        if (offset < 64) return;
        out += stride;
        offset -= 64;
        if (offset > 0) std::copy_n(part.head.data() + stride, stride, out);
    }
    compress(part.end - w, out, offset);
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

    Buffer<Word> ordered(problem.limits);
    ordered.resize(size);
    std::vector<Part> parts = parts_of(view, groups);
    std::vector<std::size_t> rows(parts.size());
    workers.run(parts.size(), [&](std::size_t i, std::size_t) {
        rows[i] = problem.kernels().count_bits(parts[i].mask + parts[i].begin, parts[i].end - parts[i].begin);
    });
    std::size_t place = 0;  // in the run
    for (std::size_t i = 0; i < parts.size(); ++i) {
        if (i > 0 && parts[i].run != parts[i - 1].run) place = 0;
        parts[i].out = ordered.data() + (view.runs[parts[i].run].begin + place / 64) * view.stride;
        parts[i].offset = static_cast<int>(place % 64);
        place += rows[i];
    }
    workers.run(parts.size(), [&](std::size_t i, std::size_t) {
        if (!problem.limits.stop())
            problem.limits.completes([&] { gather(problem.kernels(), view, parts[i]); });
    });
    if (problem.limits.stopped()) return;
    for (const Part& part : parts)
        for (std::size_t j = 0; !part.head.empty() && j < view.stride; ++j) part.out[j] |= part.head[j];
    view.data = std::move(ordered);
}

}  // namespace splitsecond
