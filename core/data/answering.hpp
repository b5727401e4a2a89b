// Answers to questions about a raw column, as bits of the rows.
//
// What:      questions of one kind are answered together: whether a number is at most a threshold, or whether a category
//            is one of some. What is missing (NaN, a negative code) answers no.
// Exact:     numbers are compared as doubles, as numpy does once they are converted.
// Cost:      a comparison a vector of rows and threshold; a look-up a row and 64 questions about categories.
#pragma once

#include <cstddef>
#include <cstdint>

#include "data/table.hpp"
#include "kernels/kernels.hpp"

namespace splitsecond {

// out[i * words + w] gets the answers of rows 64 * w and on about threshold i, where words = ceil(n_rows / 64); bits
// behind the last row are zero. The values are not bits.
void answer_numbers(const Kernels& kernels, const Column& values, std::size_t n_rows,
                    const double* thresholds, std::size_t n_thresholds, Word* out);

// The same, where question i is answered yes by codes c with yes[i * n_codes + c]. Throws std::invalid_argument for a
// code that is not below n_codes.
void answer_codes(const Kernels& kernels, const std::int32_t* codes, std::size_t n_rows,
                  const std::uint8_t* yes, std::size_t n_questions, std::size_t n_codes, Word* out);

}  // namespace splitsecond
