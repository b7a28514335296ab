// Radix sort on the CPU for keys of 1, 2, 4 or 8 bytes: stable, by integer or floating-point order, with values or without.
//
// One pass of most-significant-digit scattering cuts the sequence into ranges that fit the second-level cache, in parallel; each
// range is then sorted there by one thread, least significant digit first. So memory is read three times and written twice, whatever
// the width of the keys.
#pragma once

#include <cstdint>

#include "upsweep/device.hpp"

namespace upsweep::cpu {

// The order of keys follows their image, an unsigned integer of the same width; the keys themselves travel unchanged.
//   integers   the image is the key's bits XORed with the sign bit, where there is a sign
//   floats     the image of x ≥ 0 is 2^(bits-1) + |x|, of x < 0 it is 2^(bits-1) - |x|, as integers; so -0 and +0 are equal. A NaN's is the largest
// Descending order complements the image; equal keys stay in the order of the input all the same.
struct radix_keys {
  unsigned bytes = 4;  // 1, 2, 4, 8
  bool is_signed = false, is_float = false, descending = false;
  unsigned low = 0, high = 32;  // the bits of the image that count: [low, high)
};

struct radix_request {
  radix_keys order;
  std::uint64_t n = 0;
  const void* keys = nullptr;
  void* keys_out = nullptr;  // null: nobody asks for the sorted keys; may be `keys`
  // Values of any size travel with their keys. value_bytes > 0 and values == null: the values are the indices 0 … n-1, of 4 or 8 bytes.
  const void* values = nullptr;
  void* values_out = nullptr;  // may be `values`
  std::uint64_t value_bytes = 0;
};

void radix_sort(upsweep::device& d, const radix_request& request);

}  // namespace upsweep::cpu
