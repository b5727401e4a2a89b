// Leaves out columns that can never be chosen: those that are constant, and all but the first of equal or complementary
// ones.
//
// Exact: equal hashes are only a hint; columns are compared whole.
// Cost:  a pass over the packed rows.
#pragma once

#include <cstdint>
#include <vector>

#include "data/packed_rows.hpp"
#include "runtime/workers.hpp"

namespace splitsecond {

// The columns to keep of a view that has rows, ascending; keep_equal: the constant ones alone are left out.
std::vector<std::uint32_t> distinct_columns(const View& view, bool keep_equal, Workers& workers);

}  // namespace splitsecond
