// Rows that a set's trees are measured on, which need not be those they were fitted on.
//
// What:      a row counts for one *channel*, for example its class in its group. Sets of rows are masks; `weigh` says
//            how much weight of each channel there is in a mask.
// Layout:    rows that agree in their channel and in all answers that trees ask for are one row of their summed weight.
//            Rows of a channel stand together, from a new word on; a weight is kept by its bits, a plane each.
// Cost:      weigh: one AND and popcount per word and bit of the largest weight of the channel.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace splitsecond {

class MeasuredRows {
public:
    // columns: bit i of columns[f][i / 64] says whether row i has feature f; null where no tree asks. channels: below
    // n_channels, or -1 for a row that counts for nothing. weights: at least 0; may be null.
    MeasuredRows(const std::vector<const std::uint64_t*>& columns, std::size_t n_rows,
                 const std::int32_t* channels, std::size_t n_channels, const std::int64_t* weights);

    std::size_t n_channels() const { return n_channels_; }
    std::size_t n_words() const { return all_.size(); }
    const std::uint64_t* all() const { return all_.data(); }
    const std::uint64_t* column(std::int32_t feature) const {
        return columns_[static_cast<std::size_t>(feature)].data();
    }
    bool has_column(std::int32_t feature) const {
        return static_cast<std::size_t>(feature) < columns_.size() &&
               columns_[static_cast<std::size_t>(feature)].size() == all_.size();
    }
    void weigh(const std::uint64_t* mask, std::int64_t* weights) const;

private:
    struct Row {
        std::size_t source;  // one of the rows that it stands for
        std::size_t channel;
        std::int64_t weight;
        std::size_t place;  // its bit
    };
    struct Plane {  // the rows of a channel whose weight has one bit
        std::size_t channel;
        std::int64_t value;
        std::size_t begin;  // first word
        bool is_whole;      // has all rows of the channel
        std::vector<std::uint64_t> rows;
    };
    void lay_out(std::vector<Row>& rows);

    std::size_t n_channels_;
    std::size_t (*count_bits_)(const std::uint64_t* words, std::size_t n_words);  // the fastest here
    std::vector<std::uint64_t> all_;
    std::vector<std::vector<std::uint64_t>> columns_;
    std::vector<Plane> planes_;
};

}  // namespace splitsecond
