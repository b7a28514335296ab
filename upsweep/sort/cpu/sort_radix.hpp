// Radix sort on the CPU for keys of 1, 2, 4 or 8 bytes: stable, by integer or floating-point order, with values or
// without.
//
// One pass of most-significant-digit scattering cuts the sequence into ranges that fit the second-level cache, in
// parallel; each range is then sorted there by one thread, least significant digit first. So memory is read three times
// and written twice, whatever the width of the keys.
#pragma once

#include <cstdint>

#include "upsweep/core/device.hpp"

namespace upsweep::cpu {

// By the images of sort/sort_order.hpp. The sign bit of signed integers is not flipped in the image, only where
// digits are ordered.
struct radix_keys {
  unsigned bytes = 4;  // 1, 2, 4, 8
  bool is_signed = false, is_float = false, descending = false;
  unsigned low = 0, high = 32;  // the bits of the image that count: [low, high)
};

struct radix_request {
  radix_keys order;
  std::uint64_t n = 0;
  const void* keys = nullptr;
  void* keys_out = nullptr;  // null: sorted keys are not requested; may be `keys`
  // Values of any size travel with their keys. value_bytes > 0 and values == null: the values are the indices 0 … n-1,
  // of 4 or 8 bytes.
  const void* values = nullptr;
  void* values_out = nullptr;  // may be `values`
  std::uint64_t value_bytes = 0;
};

void radix_sort(upsweep::device& d, const radix_request& request);

// Sorts each of the m segments [offsets[s], offsets[s + 1]) separately; keys outside all segments are copied. Indices
// count from the start of the whole input.
void radix_segmented_sort(upsweep::device& d, const radix_request& request, const std::uint64_t* offsets,
                          std::uint64_t m);

// The k first keys in order, and their indices; k <= n. Counts digits, and sorts only keys that can be among the
// first.
void radix_top_k(upsweep::device& d, const radix_keys& order, const void* keys, std::uint64_t n, std::uint64_t k,
                 void* keys_out, std::uint64_t* indices_out);

}  // namespace upsweep::cpu
