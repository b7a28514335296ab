// Elements of any size moved by index where flags are set: the counterpart of select's variants, which take words of
// up to 8 bytes, for structs on a device, of which only the size is known.
#pragma once

#include "upsweep/core/device.hpp"

namespace upsweep::detail::select_impl {

// Of n indices of 4 or 8 bytes those whose flag is not zero, or all where there are no flags:
//   gathers    out[i] = in[index[i]]
//   otherwise  out[index[i]] = in[i]
struct moved_records {
  memory in, index, flags, out;
  std::uint64_t bytes = 1, n = 0;  // of an element
  std::uint32_t index_bytes = 8;
  bool gathers = false;
};

// On CUDA and OpenCL. Enqueued; `out` must not overlap the others.
void move_records(device&, const moved_records&);
void move_records_on_cuda(device&, const moved_records&);    // select_cuda_records.cu
void move_records_on_opencl(device&, const moved_records&);  // select_opencl_records.cpp

// Each of n elements `lengths[i]` times over, m in all; lengths are u64. Enqueued, on CUDA and OpenCL.
void repeat_records(device&, memory in, std::uint64_t bytes, memory lengths, std::uint64_t n, std::uint64_t m,
                    memory out);

}  // namespace upsweep::detail::select_impl
