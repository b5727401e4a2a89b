// What a View holds, read back bit by bit, and its invariants.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "data/packed_rows.hpp"
#include "support/check.hpp"

namespace splitsecond {

// The features of a row, in the view's columns, and its class.
using RowKey = std::pair<std::vector<bool>, std::size_t>;

// Calls visit(run, word, bit) for every row of the view.
template <class Visit>
void for_view_rows(const View& view, Visit visit) {
    for (const Run& run : view.runs)
        for (std::size_t w = run.begin; w < run.end; ++w)
            for (std::size_t bit = 0; bit < 64; ++bit)
                if (view.column(w, view.ones()) >> bit & 1) visit(run, w, bit);
}

inline std::vector<bool> features_at(const View& view, std::size_t w, std::size_t bit) {
    std::vector<bool> features;
    for (std::size_t j = 0; j < view.n_features; ++j) features.push_back((view.column(w, j) >> bit & 1) != 0);
    return features;
}

// Weight of each different row; rows that went to several runs are put together again.
inline std::map<RowKey, std::int64_t> contents(const View& view) {
    std::map<RowKey, std::int64_t> weights;
    for_view_rows(view, [&](const Run& run, std::size_t w, std::size_t bit) {
        weights[{features_at(view, w, bit), run.channel}] += run.weight;
    });
    return weights;
}

inline void check_invariants(const View& view) {
    CHECK_EQ(view.features.size(), view.n_features);
    CHECK_EQ(view.stride, View::stride_for(view.n_features));
    CHECK_LE(view.n_words() * view.stride, view.data.size());
    for (std::size_t j = 1; j < view.n_features; ++j) CHECK_LT(view.features[j - 1], view.features[j]);
    std::size_t word = 0;
    for (const Run& run : view.runs) {
        CHECK_EQ(run.begin, word);  // no gaps, no empty run
        CHECK_LT(run.begin, run.end);
        CHECK_LT(run.channel, view.n_channels());
        CHECK_LT(0, run.weight);
        for (std::size_t w = run.begin; w < run.end; ++w) {
            const Word present = view.column(w, view.ones());
            if (w + 1 < run.end) CHECK_EQ(present, ~Word{0});
            CHECK(present != 0 && (present & (present + 1)) == 0);  // rows fill it from the low end
            for (std::size_t j = 0; j < view.stride; ++j) {
                const Word outside = j <= view.unavoidable() ? ~present : ~Word{0};
                CHECK_EQ(view.column(w, j) & outside, Word{0});
            }
        }
        word = run.end;
    }
}

}  // namespace splitsecond
