// The digits that a pass sorts by: of keys, and of floats' codes.
#pragma once

#include "upsweep/sort/cuda/sort_cuda_order.cuh"
#include "upsweep/sort/cuda/sort_float_codes.hpp"

namespace upsweep::cuda {

// The digit of one pass, unordered. The order is applied by the code that counts: a digit value's rank is the value
// with the bits of `flip` flipped.
template <class Key, bool Floating>
struct pass_digits {
  key_image<Key, Floating> image;  // of floats of 2 bytes, which move as they are
  unsigned shift;
  std::uint32_t mask, flip;
  Key last_ordinary = 0;      // of codes of 8 bytes: those beyond
  std::uint32_t special = 0;  // have this digit value

  // The bits of the digit from bit `At` on; others are zero.
  template <int At>
  __device__ std::uint32_t bits(Key key) const {
    if constexpr (moves_codes<Key, Floating> && sizeof(Key) == 4) {
      key = merged_float(key);
    } else if constexpr (sizeof(Key) == 2) {
      key = image.ordered(key);
    }
    if constexpr (sizeof(Key) == 8) {
      auto word = static_cast<std::uint32_t>(key >> shift);
      if constexpr (Floating) word = key > last_ordinary ? special : word;
      return (word & mask) << At;
    } else {
      const std::uint32_t word = key;
      return __funnelshift_r(word, word, shift - At) & mask << At;
    }
  }
  // A key for positions past the end, which sorts last in its tile. (Descending floats of 2 bytes have none.)
  __device__ Key last_key() const {
    const Key last = static_cast<Key>(static_cast<Key>(flip ^ mask) << shift);
    return moves_codes<Key, Floating> && sizeof(Key) == 4 && shift > 0 ? last | 1 : last;
  }
};

// The digits of the whole key, in order, for counting: bits [shift, shift + 8) of it at a time.
template <class Key, bool Floating>
__device__ Key ordered_bits(const digit_plan<Key, Floating>& plan, Key key) {
  if constexpr (moves_codes<Key, Floating>) {
    key = ordered_code(key);
  } else {
    key = plan.ordered(key);
  }
  return static_cast<Key>(key ^ plan.flip);
}

template <class Key, bool Floating>
UPSWEEP_HD pass_digits<Key, Floating> digits_of_pass(const digit_plan<Key, Floating>& plan, int pass) {
  const auto d = plan.digits(pass);
  pass_digits<Key, Floating> to{plan, d.shift, d.mask, 0};
  Key flip = plan.flip;
  if constexpr (moves_codes<Key, Floating> && sizeof(Key) == 4) flip ^= 0x80000000u;
  to.flip = static_cast<std::uint32_t>(flip >> d.shift) & d.mask;
  if constexpr (moves_codes<Key, Floating> && sizeof(Key) == 8) {
    using code = code_of_double;
    const bool top = d.shift == 56;  // here a NaN needs no change, and -0 every bit
    to.last_ordinary = top ? code::minus_zero - 1 : code::infinity;
    to.special = static_cast<std::uint32_t>((top ? code::zero : code::nans_with_sign) >> d.shift);
  }
  return to;
}

}  // namespace upsweep::cuda
