#include "data/shared_gather.hpp"

#include <algorithm>
#include <bit>

namespace splitsecond {
namespace {

constexpr std::size_t kMinPart = 2048,
                      kMaxParts = 64;  // words that a thread takes at least; parts of the words at most

// Some words of a run, of whose rows those in one mask are gathered by one thread. The word in which the first of them
// lands may hold rows of earlier parts: what this part has of it waits in `head`.
struct Part {
    std::size_t run, begin, end;
    const Word* mask;  // of the view's first word
    std::size_t rows = 0;
    Word* out = nullptr;
    int offset = 0;  // of the first row in the word at `out`
    std::vector<Word> head;
};

std::vector<Part> parts_of(const View& view, const std::vector<const Word*>& masks) {
    const std::size_t size = std::max(kMinPart, view.n_words() / kMaxParts + 1);
    std::vector<Part> parts;
    for (std::size_t run = 0; run < view.runs.size(); ++run)
        for (const Word* mask : masks)
            for (std::size_t begin = view.runs[run].begin; begin < view.runs[run].end; begin += size)
                parts.push_back({run, begin, std::min(begin + size, view.runs[run].end), mask});
    return parts;
}

// Makes the runs of `out`, and tells each part where its rows go.
void place(const View& view, std::vector<Part>& parts, View& out) {
    out.runs.clear();
    std::size_t n_words = 0;
    std::vector<std::size_t> first_row(parts.size());  // in its run
    std::vector<std::size_t> first_word(parts.size());
    for (std::size_t i = 0; i < parts.size();) {
        std::size_t rows = 0, end = i;
        for (; end < parts.size() && parts[end].run == parts[i].run; ++end) {
            first_row[end] = rows;
            first_word[end] = n_words;
            rows += parts[end].rows;
        }
        const Run& from = view.runs[parts[i].run];
        if (rows > 0) out.runs.push_back({from.channel, from.weight, n_words, n_words + (rows + 63) / 64});
        n_words += (rows + 63) / 64;
        i = end;
    }
    out.data.resize(n_words * out.stride);
    for (std::size_t i = 0; i < parts.size(); ++i) {
        parts[i].out = out.data.data() + (first_word[i] + first_row[i] / 64) * out.stride;
        parts[i].offset = static_cast<int>(first_row[i] % 64);
    }
}

void gather(const Kernels& kernels, const View& view, const std::uint32_t* columns, const View& to,
            Part& part) {
    if (part.rows == 0) return;
    std::size_t w = part.begin;
    const auto compress = [&](std::size_t n_words, Word* out, int offset) {
        kernels.compress(view.data.data() + w * view.stride, view.stride, part.mask + w, n_words, columns,
                         to.n_features + 2, out, to.stride, offset);
    };
    Word* out = part.out;
    int offset = part.offset;
    if (offset > 0) {
        part.head.assign(2 * to.stride, 0);
        for (; w < part.end && offset < 64; ++w) {
            compress(1, part.head.data(), offset);
            offset += std::popcount(part.mask[w]);
        }
        if (offset < 64) return;
        out += to.stride;
        offset -= 64;
        if (offset > 0) std::copy_n(part.head.data() + to.stride, to.stride, out);
    }
    compress(part.end - w, out, offset);
}

}  // namespace

bool gather_shared(const Kernels& kernels, const View& view, const std::vector<const Word*>& masks,
                   const std::vector<std::uint32_t>* columns, Workers& workers, View& out) {
    Limits& limits = out.data.limits();
    std::vector<Part> parts = parts_of(view, masks);
    workers.run(parts.size(), [&](std::size_t i, std::size_t) {
        Part& part = parts[i];
        part.rows = kernels.count_bits(part.mask + part.begin, part.end - part.begin);
    });
    place(view, parts, out);
    const bool all_columns = columns == nullptr || out.n_features == view.n_features;
    workers.run(parts.size(), [&](std::size_t i, std::size_t) {
        if (!limits.stop())
            limits.completes(
                [&] { gather(kernels, view, all_columns ? nullptr : columns->data(), out, parts[i]); });
    });
    if (limits.stopped()) return false;
    for (const Part& part : parts)
        for (std::size_t j = 0; !part.head.empty() && j < out.stride; ++j) part.out[j] |= part.head[j];
    return true;
}

}  // namespace splitsecond
