// Gathers rows of a large view on all threads.
//
// What:      the rows of some masks, those of the first before those of the second within each run; packed_rows.hpp
//            gathers those of one mask on one thread.
// Answer:    the same for any number of threads: where each part of the words has to write follows from counts.
// Cost:      that of Kernels::compress, shared; and a few words for each part.
#pragma once

#include <cstdint>
#include <vector>

#include "data/packed_rows.hpp"
#include "runtime/workers.hpp"

namespace splitsecond {

// `columns` are the places in `view` of those of `out`, which has its columns already (shape_node); null: all. Returns
// false when stopped.
bool gather_shared(const Kernels& kernels, const View& view, const std::vector<const Word*>& masks,
                   const std::vector<std::uint32_t>* columns, Workers& workers, View& out);

}  // namespace splitsecond
