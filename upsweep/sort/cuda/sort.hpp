// The CUDA radix sort as the rooms call it: of keys given by their width and order, compiled in files of its own by the
// width of the values.
#pragma once

#include "upsweep/cuda/device.hpp"
#include "upsweep/sort/order.hpp"

namespace upsweep::cuda {

// Keys of key_bytes each, sorted stably by bits [first_bit, last_bit) of their images. Values of value_bytes (0, 4 or
// 8) follow them; `values` null stands for the indices.
// keys_out may be keys, and values_out may be values.
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

// The same within each segment [offsets[s], offsets[s + 1]); what lies in none keeps its place. In segments.cu.
void segmented_sort(device& d, const radix_request& r, const std::uint64_t* offsets, std::uint64_t segments);

void radix_sort_keys(device& d, const radix_request& r);             // keys.cu
void radix_sort_with_words(device& d, const radix_request& r);       // keys.cu
void radix_sort_with_long_words(device& d, const radix_request& r);  // keys.cu

}  // namespace upsweep::cuda
