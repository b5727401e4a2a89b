#include "search/block_counter.hpp"

#include <algorithm>
#include <atomic>

namespace splitsecond {
namespace {

constexpr std::size_t kBlockBytes = std::size_t{1} << 17;  // of rows: they stay in a core's cache
constexpr std::size_t kPathsTogether = 16;                 // that a thread takes, where blocks are few

}  // namespace

BlockCounter::BlockCounter(const Problem& problem, const View& view, Workers& workers)
    : problem_(problem), view_(view), workers_(workers) {
    const std::size_t words = std::max<std::size_t>(kBlockBytes / sizeof(Word) / view.stride, 8);
    for (const Run& run : view.runs)
        for (std::size_t begin = run.begin; begin < run.end; begin += words)
            blocks_.push_back({&run, begin, std::min(begin + words, run.end)});
    for (std::size_t i = 0; i < workers.count(); ++i) {
        scratch_.emplace_back(problem.limits);
        scratch_.back().mask.resize(words);
    }
}

bool BlockCounter::count(const Paths& paths, Count* out) {
    const std::size_t size = paths.count * view_.n_counts();
    for (Worker& worker : scratch_) worker.has_counts = false;
    // Of a few blocks, threads share the paths.
    const std::size_t together =
        blocks_.size() >= 4 * workers_.count() ? paths.count : std::min(paths.count, kPathsTogether);
    const std::size_t groups = together == 0 ? 0 : (paths.count + together - 1) / together;
    std::atomic<bool> complete{true};
    workers_.run(blocks_.size() * groups, [&](std::size_t i, std::size_t w) {
        if (problem_.limits.stop()) return complete.store(false);
        Worker& worker = scratch_[w];
        const bool done = problem_.limits.completes([&] {
            Count* counts = out;
            if (w > 0) {
                worker.counts.resize(size);
                counts = worker.counts.data();
            }
            if (!worker.has_counts) std::fill_n(counts, size, 0);
            worker.has_counts = true;
            const std::size_t begin = i % groups * together;
            count_block(blocks_[i / groups], paths, begin, std::min(begin + together, paths.count),
                        worker.mask.data(), counts);
        });
        if (!done) complete.store(false);
    });
    if (!complete) return false;
    if (!scratch_[0].has_counts) std::fill_n(out, size, 0);
    constexpr std::size_t kPart = 4096;
    workers_.run((size + kPart - 1) / kPart, [&](std::size_t i, std::size_t) {
        const std::size_t begin = i * kPart, end = std::min(begin + kPart, size);
        for (std::size_t w = 1; w < scratch_.size(); ++w) {
            if (!scratch_[w].has_counts) continue;
            const Count* counts = scratch_[w].counts.data();
            for (std::size_t j = begin; j < end; ++j) out[j] += counts[j];
        }
    });
    return true;
}

void BlockCounter::count_block(const Block& block, const Paths& paths, std::size_t begin, std::size_t end,
                               Word* mask, Count* out) const {
    const Word* data = view_.data.data() + block.begin * view_.stride;
    for (std::size_t p = begin; p < end; ++p)
        problem_.kernels().count_path(data, view_.stride, block.end - block.begin,
                                      paths.literals + p * paths.length, paths.length, view_.ones(),
                                      block.run->weight, mask,
                                      out + p * view_.n_counts() + block.run->channel * view_.stride);
}

}  // namespace splitsecond
