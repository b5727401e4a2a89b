// From a column of numbers to bins: neighbouring values that no question tells apart.
//
// What:      up to `max_bins` distinct values get a bin each; of more, neighbours share bins of about equal
//            weight. NaN is a missing value and gets the bin after the last.
// Cost:      two passes when the numbers are integers of a small range; otherwise a sort.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace splitsecond {

struct Bins {
    std::vector<std::uint16_t> bins;  // one per row
    std::vector<double> lowest;       // value in each bin, increasing
    std::vector<double> highest;
    bool has_missing = false;
};

// A column of bins, of numbers or of anything else, and what may be asked of it.
struct BinnedColumn {
    const std::uint16_t* bins;    // one per row, below n_bins
    std::uint32_t n_bins;         // at least 1
    std::uint32_t n_values;       // bins from here on hold missing values, or values nobody may ask for
    std::uint32_t first = 0;      // the first question, for columns where the one before says the same
    bool ordered = true;          // questions `bin <= k` for first <= k < n_values - 1; else `bin == k`
    bool ask_if_missing = false;  // whether `bin == n_bins - 1` may be asked too
};

// `values` must be finite or NaN; `max_bins` at most 65535. `weights` may be null.
Bins bin_numbers(const double* values, std::size_t n_rows, const double* weights, std::size_t max_bins);

}  // namespace splitsecond
