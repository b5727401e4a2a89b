// From a column of numbers to bins: neighbouring values that no question tells apart.
//
// What:      up to `max_bins` distinct values get a bin each; of more, neighbours share bins of about equal
//            weight. NaN is blank and gets the bin after the last.
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
    bool has_blank = false;
};

// `values` must be finite or NaN; `max_bins` at most 65535. `weights` may be null.
Bins bin_numbers(const double* values, std::size_t n_rows, const double* weights, std::size_t max_bins);

}  // namespace splitsecond
