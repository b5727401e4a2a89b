// Hashes of rows, column by column, and what a column of numbers holds.
//
// What:      each hash takes in a value of its row: the 64 bits of a number as a double, or what the key of a category
//            hashes to. Equal numbers of all types hash alike, -0 as 0, and so do all missing values (NaN).
// Invariant: the hash of a row depends on its values and the order of the columns, on nothing else.
// Cost:      one pass over the values, with a multiplication each.
#pragma once

#include <cstddef>
#include <cstdint>

#include "data/table.hpp"

namespace splitsecond {

struct NumberFacts {
    double lowest, highest;       // infinite the wrong way round without values
    bool has_missing, is_binary;  // binary: all values are 0 or 1
};

// The values are not bits.
NumberFacts hash_numbers(const Column& values, std::size_t n_rows, Word* hashes);

// keys[c] is the hash of code c; a negative code counts as missing. Throws std::invalid_argument for a code that is not
// below n_keys.
void hash_codes(const std::int32_t* codes, std::size_t n_rows, const Word* keys, std::size_t n_keys,
                Word* hashes);

}  // namespace splitsecond
