// The interface of the radix sort for the OpenCL backends of all algorithms: keys are given by their width and order.
#pragma once

#include "upsweep/opencl/elements_as_words.hpp"

namespace upsweep::opencl {

struct radix {
  std::uint64_t key_bytes = 4;
  key_order order = key_order::plain;
  bool descending = false;
  unsigned first_bit = 0, last_bit = 32;
  std::uint64_t n = 0;
  memory in, out;                 // may be the same
  std::uint64_t value_bytes = 0;  // 4 or 8; values may be in place, too
  bool indices = false;           // the values are the keys' indices; values_in is not read
  memory values_in, values_out;
};

// Enqueued: the fastest method that the device supports. Scratch: n keys and n values, one count for each digit and
// work-group or tile in flight.
void enqueue_radix_sort(device&, const radix&);
// The method that every device supports.
void enqueue_radix_by_tiles(device&, const radix&);

}  // namespace upsweep::opencl
