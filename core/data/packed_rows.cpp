#include "data/packed_rows.hpp"

#include <algorithm>

namespace splitsecond {

void split_rows(const Kernels& kernels, const View& view, const Word* rows, std::size_t j, Word* yes,
                Word* no, Count* counts) {
    std::fill_n(counts, view.n_counts(), 0);
    for (const Run& run : view.runs)
        kernels.split_rows(view.data.data() + run.begin * view.stride, view.stride, run.end - run.begin,
                           rows == nullptr ? nullptr : rows + run.begin, view.ones(), j, run.weight,
                           yes + run.begin, no + run.begin, counts + run.channel * view.stride);
}

void select_rows(const View& view, const Word* rows, std::size_t j, bool yes, Word* mask) {
    const Word flip = yes ? 0 : ~Word{0};
    for (std::size_t w = 0; w < view.n_words(); ++w) {
        const Word present = rows == nullptr ? view.column(w, view.ones()) : rows[w];
        mask[w] = present & (view.column(w, j) ^ flip);
    }
}

namespace {

void choose_columns(const View& view, const std::vector<std::uint32_t>& columns, View& out) {
    out.n_classes = view.n_classes;
    out.counts_rows = view.counts_rows;
    out.n_features = columns.size() - 2;
    out.stride = View::stride_for(out.n_features);
    out.features.resize(out.n_features);
    for (std::size_t j = 0; j < out.n_features; ++j) out.features[j] = view.features[columns[j]];
}

// Of all columns, or of some when they are given.
void gather_columns(const Kernels& kernels, const View& view, const Word* mask,
                    const std::vector<std::uint32_t>* columns, std::size_t left_out, View& out) {
    out.runs.clear();
    std::vector<std::size_t> sources;
    std::size_t word = 0;
    for (std::size_t r = 0; r < view.runs.size(); ++r) {
        const Run& run = view.runs[r];
        if (run.channel == left_out) continue;
        const std::size_t rows = kernels.count_bits(mask + run.begin, run.end - run.begin);
        if (rows == 0) continue;
        const std::size_t words = (rows + 63) / 64;
        out.runs.push_back({run.channel, run.weight, word, word + words});
        sources.push_back(r);
        word += words;
    }
    out.data.resize(word * out.stride);
    const bool all_columns = out.n_features == view.n_features;
    const std::uint32_t* chosen = all_columns ? nullptr : columns->data();
    constexpr std::size_t kBlock = 4096;  // words between polls of the limits
    Limits& limits = out.data.limits();
    for (std::size_t r = 0; r < sources.size(); ++r) {
        const Run& from = view.runs[sources[r]];
        std::size_t rows = 0;
        for (std::size_t begin = from.begin; begin < from.end; begin += kBlock) {
            if (begin != from.begin && limits.stop()) throw LimitReached{};
            const std::size_t n = std::min(kBlock, from.end - begin);
            kernels.compress(view.data.data() + begin * view.stride, view.stride, mask + begin, n, chosen,
                             out.n_features + 2,
                             out.data.data() + (out.runs[r].begin + rows / 64) * out.stride, out.stride,
                             static_cast<int>(rows % 64));
            rows += kernels.count_bits(mask + begin, n);
        }
    }
}

}  // namespace

void gather(const Kernels& kernels, const View& view, const Word* mask,
            const std::vector<std::uint32_t>& columns, View& out) {
    choose_columns(view, columns, out);
    gather_columns(kernels, view, mask, &columns, kNoChannel, out);
}

void gather_rows(const Kernels& kernels, const View& view, const Word* mask, View& out,
                 std::size_t left_out) {
    out.n_classes = view.n_classes;
    out.counts_rows = view.counts_rows;
    out.n_features = view.n_features;
    out.stride = view.stride;
    out.features = view.features;
    gather_columns(kernels, view, mask, nullptr, left_out, out);
}

std::vector<std::uint32_t> shape_node(const View& view, const Count* counts, View& out,
                                      Buffer<Count>& out_counts) {
    const auto weight = [&](std::size_t j) {
        std::int64_t sum = 0;
        for (std::size_t c = 0; c < view.n_classes; ++c) sum += counts[c * view.stride + j];
        return sum;
    };
    const std::int64_t all = weight(view.ones());
    std::vector<std::uint32_t> columns;
    for (std::size_t j = 0; j < view.n_features; ++j) {
        const std::int64_t with = weight(j);
        if (with != 0 && with != all) columns.push_back(static_cast<std::uint32_t>(j));
    }
    columns.push_back(static_cast<std::uint32_t>(view.ones()));
    columns.push_back(static_cast<std::uint32_t>(view.unavoidable()));
    choose_columns(view, columns, out);
    out_counts.resize(out.n_counts());
    out_counts.fill(0);
    for (std::size_t c = 0; c < view.n_channels(); ++c)
        for (std::size_t j = 0; j < columns.size(); ++j)
            out_counts[c * out.stride + j] = counts[c * view.stride + columns[j]];
    return columns;
}

std::vector<std::uint32_t> gather_node(const Kernels& kernels, const View& view, const Word* mask,
                                       const Count* counts, View& out, Buffer<Count>& out_counts) {
    std::vector<std::uint32_t> columns = shape_node(view, counts, out, out_counts);
    gather_columns(kernels, view, mask, &columns, kNoChannel, out);
    return columns;
}

}  // namespace splitsecond
