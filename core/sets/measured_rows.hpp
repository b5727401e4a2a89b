// Rows that a set's trees are measured on, which need not be those they were fitted on.
//
// What:      a row counts for one *channel*, for example its class in its group. Sets of rows are masks; `weigh` says
//            how much weight of each channel there is in a mask.
// Numbers:   where rows have numbers, a mask also has for each channel the sum of weight times number, and both for those
//            rows alone whose number is below some other: squared and absolute distances of a leaf's rows from what
//            it says are made of these four.
// Layout:    rows that agree in their channel, number and all answers that trees ask for are one row of their summed
//            weight. Rows of a channel stand together, from a new word on, in order of their numbers; a weight is kept by
//            its bits, a plane each.
// Cost:      weigh: one AND and popcount per word and bit of the largest weight of the channel.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace splitsecond {

// Numbers of rows; without, both are null.
struct RowNumbers {
    const std::int64_t* sums = nullptr;   // weight times number, at least 0
    const std::int32_t* ranks = nullptr;  // in which order the numbers are; the same for equal ones
};

class MeasuredRows {
public:
    // columns: bit i of columns[f][i / 64] says whether row i has feature f; null where no tree asks. channels: below
    // n_channels, or -1 for a row that counts for nothing. weights: at least 0; may be null.
    MeasuredRows(const std::vector<const std::uint64_t*>& columns, std::size_t n_rows,
                 const std::int32_t* channels, std::size_t n_channels, const std::int64_t* weights,
                 const RowNumbers& numbers = {});

    // Those given; with numbers, the weights of these, then the sums, then both of the rows below a rank.
    std::size_t n_channels() const { return (has_numbers_ ? 4 : 1) * n_given_; }
    // The first of these, which are of all rows.
    std::size_t n_of_all_rows() const { return (has_numbers_ ? 2 : 1) * n_given_; }
    std::size_t n_words() const { return all_.size(); }
    const std::uint64_t* all() const { return all_.data(); }
    const std::uint64_t* column(std::int32_t feature) const {
        return columns_[static_cast<std::size_t>(feature)].data();
    }
    bool has_column(std::int32_t feature) const {
        return static_cast<std::size_t>(feature) < columns_.size() &&
               columns_[static_cast<std::size_t>(feature)].size() == all_.size();
    }
    // Weights of the channels in a mask; rows below `rank` are told apart, where there are numbers.
    void weigh(const std::uint64_t* mask, std::int32_t rank, std::int64_t* weights) const;

private:
    struct Row {
        std::size_t source;  // one of the rows that it stands for
        std::size_t channel;
        std::int64_t weight;
        std::int64_t sum;
        std::size_t place;  // its bit
    };
    struct Plane {            // the rows of a channel whose weight, or sum, has one bit
        std::size_t given;    // the channel
        std::size_t channel;  // where it counts
        std::int64_t value;
        std::size_t begin;  // first word
        bool is_whole;      // has all rows of the channel
        std::vector<std::uint64_t> rows;
    };
    void lay_out(std::vector<Row>& rows);
    template <class NumberOf>
    void add_planes(const Row* begin, const Row* end, std::size_t channel, std::size_t first,
                    const NumberOf& number_of);

    std::size_t n_given_;
    bool has_numbers_;
    std::vector<std::vector<std::int32_t>> ranks_;  // of the rows of each channel, in order
    std::size_t (*count_bits_)(const std::uint64_t* words, std::size_t n_words);  // the fastest here
    std::vector<std::uint64_t> all_;
    std::vector<std::vector<std::uint64_t>> columns_;
    std::vector<Plane> planes_;
};

}  // namespace splitsecond
