// out[i] = in[index[i]] for records of any size: how values that no sorting kernel was compiled for follow their keys.
#pragma once

#include <cstdint>

#include "upsweep/core/device.hpp"

namespace upsweep::sort_room {

// Enqueued. Indices of 4 or 8 bytes, each below the number of records; `out` shares nothing with `in`. Reads and writes
// n records and reads n indices.
void gather_records(device& d, memory in, std::uint64_t record_bytes, memory index, std::uint32_t index_bytes,
                    std::uint64_t n, memory out);

void gather_records_on_cuda(device& d, memory in, std::uint64_t record_bytes, memory index, std::uint32_t index_bytes,
                            std::uint64_t n,
                            memory out);  // sort.cu
void gather_records_on_opencl(device& d, memory in, std::uint64_t record_bytes, memory index, std::uint32_t index_bytes,
                              std::uint64_t n,
                              memory out);  // records_opencl.cpp

// The widest word that records at this place, counted in bytes, are made of.
constexpr std::uint64_t word_of_records(std::uint64_t record_bytes, std::uint64_t place, std::uint64_t widest) {
  std::uint64_t word = widest;
  while ((record_bytes | place) % word != 0) word /= 2;
  return word;
}

}  // namespace upsweep::sort_room
