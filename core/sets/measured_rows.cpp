#include "sets/measured_rows.hpp"

#include <algorithm>
#include <bit>
#include <utility>

#include "kernels/kernels.hpp"

namespace splitsecond {
namespace {

bool has_bit(const std::uint64_t* words, std::size_t i) { return (words[i / 64] >> i % 64 & 1) != 0; }
void set_bit(std::vector<std::uint64_t>& words, std::size_t i) {
    words[i / 64] |= std::uint64_t{1} << i % 64;
}

// The answers of each row, one row after the other.
class Patterns {
public:
    Patterns(const std::vector<const std::uint64_t*>& columns, std::size_t n_rows) {
        std::vector<const std::uint64_t*> asked;
        for (const std::uint64_t* column : columns)
            if (column != nullptr) asked.push_back(column);
        n_words_ = (asked.size() + 63) / 64;
        words_.resize(n_rows * n_words_);
        for (std::size_t f = 0; f < asked.size(); ++f)
            for (std::size_t i = 0; i < n_rows; ++i)
                if (has_bit(asked[f], i)) words_[i * n_words_ + f / 64] |= std::uint64_t{1} << f % 64;
    }
    int compare(std::size_t a, std::size_t b) const {
        for (std::size_t w = 0; w < n_words_; ++w) {
            const std::uint64_t x = words_[a * n_words_ + w], y = words_[b * n_words_ + w];
            if (x != y) return x < y ? -1 : 1;
        }
        return 0;
    }

private:
    std::size_t n_words_;
    std::vector<std::uint64_t> words_;
};

}  // namespace

MeasuredRows::MeasuredRows(const std::vector<const std::uint64_t*>& columns, std::size_t n_rows,
                           const std::int32_t* channels, std::size_t n_channels, const std::int64_t* weights)
    : n_channels_(n_channels), count_bits_(find_kernels("auto").count_bits) {
    const auto weight_of = [&](std::size_t i) { return weights == nullptr ? 1 : weights[i]; };
    std::vector<std::size_t> order;
    for (std::size_t i = 0; i < n_rows; ++i)
        if (channels[i] >= 0 && weight_of(i) > 0) order.push_back(i);
    const Patterns patterns(columns, n_rows);
    const auto compare = [&](std::size_t a, std::size_t b) {
        return channels[a] != channels[b] ? (channels[a] < channels[b] ? -1 : 1) : patterns.compare(a, b);
    };
    std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return compare(a, b) < 0; });
    std::vector<Row> rows;
    for (const std::size_t i : order) {
        if (rows.empty() || compare(rows.back().source, i) != 0)
            rows.push_back({i, static_cast<std::size_t>(channels[i]), 0, 0});
        rows.back().weight += weight_of(i);
    }
    lay_out(rows);
    for (const std::uint64_t* column : columns) {
        std::vector<std::uint64_t>& bits = columns_.emplace_back(column == nullptr ? 0 : all_.size(), 0);
        for (std::size_t i = 0; column != nullptr && i < rows.size(); ++i)
            if (has_bit(column, rows[i].source)) set_bit(bits, rows[i].place);
    }
}

// Gives every row its bit, and makes the planes of each channel.
void MeasuredRows::lay_out(std::vector<Row>& rows) {
    for (std::size_t begin = 0, end; begin < rows.size(); begin = end) {
        std::uint64_t bits = 0;  // of any weight
        for (end = begin; end < rows.size() && rows[end].channel == rows[begin].channel; ++end)
            bits |= static_cast<std::uint64_t>(rows[end].weight);
        const std::size_t first = all_.size();
        all_.resize(first + (end - begin + 63) / 64, 0);
        for (std::size_t i = begin; i < end; ++i) {
            rows[i].place = first * 64 + (i - begin);
            set_bit(all_, rows[i].place);
        }
        for (; bits != 0; bits &= bits - 1) {
            const std::int64_t value = std::int64_t{1} << std::countr_zero(bits);
            Plane plane{rows[begin].channel, value, first, true,
                        std::vector<std::uint64_t>(all_.size() - first, 0)};
            for (std::size_t i = begin; i < end; ++i)
                if ((rows[i].weight & value) != 0)
                    set_bit(plane.rows, i - begin);
                else
                    plane.is_whole = false;
            planes_.push_back(std::move(plane));
        }
    }
}

void MeasuredRows::weigh(const std::uint64_t* mask, std::int64_t* weights) const {
    std::fill_n(weights, n_channels_, 0);
    for (const Plane& plane : planes_) {
        const std::uint64_t* rows = mask + plane.begin;
        std::vector<std::uint64_t> chosen;
        if (!plane.is_whole) {
            chosen.resize(plane.rows.size());
            for (std::size_t w = 0; w < chosen.size(); ++w) chosen[w] = plane.rows[w] & rows[w];
            rows = chosen.data();
        }
        weights[plane.channel] +=
            plane.value * static_cast<std::int64_t>(count_bits_(rows, plane.rows.size()));
    }
}

}  // namespace splitsecond
