// The interface of the CUDA radix sort for the algorithms: keys are given by their width and order. Separate files
// compile it by the width of the values.
#pragma once

#include "upsweep/cuda/cuda_device.hpp"
#include "upsweep/sort/sort_order.hpp"

namespace upsweep::cuda {

// Keys of key_bytes each, sorted stably by bits [first_bit, last_bit) of their images. Values of value_bytes (0, 4 or
// 8) follow them; if `values` is null, the values are the indices. keys_out may be keys, and values_out may be
// values.
struct radix_request {
  std::uint32_t key_bytes = 4, value_bytes = 0;
  key_order order = key_order::plain;
  bool descending = false;
  unsigned first_bit = 0, last_bit = 32;
  std::uint64_t n = 0;
  const void* keys = nullptr;
  void* keys_out = nullptr;
  const void* values = nullptr;
  void* values_out = nullptr;
};

void radix_sort(device& d, const radix_request& r);

// Sorts within each segment [offsets[s], offsets[s + 1]); keys outside all segments keep their place. In
// sort_segments.cu.
void segmented_sort(device& d, const radix_request& r, const std::uint64_t* offsets, std::uint64_t segments);

void radix_sort_keys(device& d, const radix_request& r);             // sort_cuda_keys.cu
void radix_sort_with_words(device& d, const radix_request& r);       // sort_cuda_keys.cu
void radix_sort_with_long_words(device& d, const radix_request& r);  // sort_cuda_keys.cu

}  // namespace upsweep::cuda
