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
                           const std::int32_t* channels, std::size_t n_channels, const std::int64_t* weights,
                           const RowNumbers& numbers)
    : n_given_(n_channels),
      has_numbers_(numbers.ranks != nullptr),
      ranks_(n_channels),
      count_bits_(find_kernels("auto").count_bits) {
    const auto weight_of = [&](std::size_t i) { return weights == nullptr ? 1 : weights[i]; };
    std::vector<std::size_t> order;
    for (std::size_t i = 0; i < n_rows; ++i)
        if (channels[i] >= 0 && weight_of(i) > 0) order.push_back(i);
    const Patterns patterns(columns, n_rows);
    const auto compare = [&](std::size_t a, std::size_t b) {
        if (channels[a] != channels[b]) return channels[a] < channels[b] ? -1 : 1;
        if (has_numbers_ && numbers.ranks[a] != numbers.ranks[b])
            return numbers.ranks[a] < numbers.ranks[b] ? -1 : 1;
        return patterns.compare(a, b);
    };
    std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return compare(a, b) < 0; });
    std::vector<Row> rows;
    for (const std::size_t i : order) {
        if (rows.empty() || compare(rows.back().source, i) != 0) {
            rows.push_back({i, static_cast<std::size_t>(channels[i]), 0, 0, 0});
            if (has_numbers_) ranks_[rows.back().channel].push_back(numbers.ranks[i]);
        }
        rows.back().weight += weight_of(i);
        if (has_numbers_) rows.back().sum += numbers.sums[i];
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
        const std::size_t channel = rows[begin].channel;
        for (end = begin; end < rows.size() && rows[end].channel == channel;) ++end;
        const std::size_t first = all_.size();
        all_.resize(first + (end - begin + 63) / 64, 0);
        for (std::size_t i = begin; i < end; ++i) {
            rows[i].place = first * 64 + (i - begin);
            set_bit(all_, rows[i].place);
        }
        const Row* some = rows.data();
        add_planes(some + begin, some + end, channel, first, [](const Row& row) { return row.weight; });
        if (has_numbers_)
            add_planes(some + begin, some + end, n_given_ + channel, first,
                       [](const Row& row) { return row.sum; });
    }
}

template <class NumberOf>
void MeasuredRows::add_planes(const Row* begin, const Row* end, std::size_t channel, std::size_t first,
                              const NumberOf& number_of) {
    std::uint64_t bits = 0;  // of any number
    for (const Row* row = begin; row != end; ++row) bits |= static_cast<std::uint64_t>(number_of(*row));
    for (; bits != 0; bits &= bits - 1) {
        const std::int64_t value = std::int64_t{1} << std::countr_zero(bits);
        Plane plane{begin->channel, channel, value,
                    first,          true,    std::vector<std::uint64_t>(all_.size() - first, 0)};
        for (const Row* row = begin; row != end; ++row)
            if ((number_of(*row) & value) != 0)
                set_bit(plane.rows, static_cast<std::size_t>(row - begin));
            else
                plane.is_whole = false;
        planes_.push_back(std::move(plane));
    }
}

void MeasuredRows::weigh(const std::uint64_t* mask, std::int32_t rank, std::int64_t* weights) const {
    std::fill_n(weights, n_channels(), 0);
    std::vector<std::size_t> n_below;  // rows of each channel
    if (has_numbers_)
        for (const std::vector<std::int32_t>& ranks : ranks_)
            n_below.push_back(
                static_cast<std::size_t>(std::lower_bound(ranks.begin(), ranks.end(), rank) - ranks.begin()));
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
        if (!has_numbers_) continue;
        const std::size_t n = n_below[plane.given];
        std::size_t count = count_bits_(rows, n / 64);
        if (n % 64 != 0)
            count +=
                static_cast<std::size_t>(std::popcount(rows[n / 64] & ((std::uint64_t{1} << n % 64) - 1)));
        weights[n_of_all_rows() + plane.channel] += plane.value * static_cast<std::int64_t>(count);
    }
}

}  // namespace splitsecond
