#include "search/divide.hpp"

#include <algorithm>
#include <cassert>

#include "data/shared_gather.hpp"
#include "search/block_counter.hpp"

namespace splitsecond {
namespace {

constexpr std::size_t kPart = 2048;  // words that a thread takes at a time

void select_rows(const View& view, std::size_t f, Workers& workers, Word* yes, Word* no) {
    workers.run((view.n_words() + kPart - 1) / kPart, [&](std::size_t i, std::size_t) {
        const std::size_t end = std::min(view.n_words(), (i + 1) * kPart);
        for (std::size_t w = i * kPart; w < end; ++w) {
            yes[w] = view.column(w, f);
            no[w] = view.column(w, view.ones()) ^ yes[w];
        }
    });
}

}  // namespace

void divide(const Problem& problem, const Node& node, std::size_t f, Workers& workers, Node& yes, Node& no) {
    assert(node.wider == nullptr && node.rows == nullptr && node.counter == nullptr);
    const View& view = node.own;
    Buffer<Count> counts[2] = {Buffer<Count>(problem.limits), Buffer<Count>(problem.limits)};
    Buffer<Word> masks[2] = {Buffer<Word>(problem.limits), Buffer<Word>(problem.limits)};
    for (int side = 0; side < 2; ++side) {
        counts[side].resize(view.n_counts());
        masks[side].resize(view.n_words());
    }
    const auto has = static_cast<std::int32_t>(2 * f + 1);
    if (!BlockCounter(problem, view, workers).count({1, 1, &has}, counts[0].data())) throw LimitReached{};
    problem.kernels().subtract(node.counts.data(), counts[0].data(), view.n_counts(), counts[1].data());
    select_rows(view, f, workers, masks[0].data(), masks[1].data());
    Node* const children[2] = {&yes, &no};
    for (int side = 0; side < 2; ++side) {
        Node& child = *children[side];
        const auto columns = shape_node(view, counts[side].data(), child.own, child.counts);
        if (!gather_shared(problem.kernels(), view, {masks[side].data()}, &columns, workers, child.own))
            throw LimitReached{};
        child.literals = node.literals;
        add_literals(problem.kernels(), view, counts[side].data(), child.literals);
        child.has_pairs = false;
    }
}

}  // namespace splitsecond
