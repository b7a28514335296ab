// out[i] = in[index[i]] for records of any size: moves values that no sorting kernel was compiled for to their keys.
#pragma once

#include <cstdint>

#include "upsweep/core/device.hpp"

namespace upsweep::detail::sort_impl {

// Enqueued. Indices of 4 or 8 bytes, each below the number of records; `out` must not overlap `in`. Reads and writes
// n records and reads n indices.
void gather_records(device& d, memory in, std::uint64_t record_bytes, memory index, std::uint32_t index_bytes,
                    std::uint64_t n, memory out);

void gather_records_on_cuda(device& d, memory in, std::uint64_t record_bytes, memory index, std::uint32_t index_bytes,
                            std::uint64_t n,
                            memory out);  // sort_cuda.cu
void gather_records_on_opencl(device& d, memory in, std::uint64_t record_bytes, memory index, std::uint32_t index_bytes,
                              std::uint64_t n,
                              memory out);  // sort_opencl_records.cpp

// The widest word that divides records of this size at this byte offset.
constexpr std::uint64_t word_of_records(std::uint64_t record_bytes, std::uint64_t place, std::uint64_t widest) {
  std::uint64_t word = widest;
  while ((record_bytes | place) % word != 0) word /= 2;
  return word;
}

}  // namespace upsweep::detail::sort_impl
