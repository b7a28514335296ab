// The shape of the merge sort's kernels, which a test may change.
#pragma once

#include "upsweep/opencl/opencl_device.hpp"
#include "upsweep/sort/jit/sort_jit.hpp"

namespace upsweep::opencl {

// lanes: items a work-group; 1: one item by itself, for CPUs. rows: keys an item and tile; with one lane 16 times a
// power of four.
struct merge_shape {
  std::uint64_t lanes, rows;
};
merge_shape& shape_of_merges(const device&);

}  // namespace upsweep::opencl
