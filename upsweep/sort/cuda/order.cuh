// From the bits of a key to the digits of its image (upsweep/sort/order.hpp).
#pragma once

#include <string>

#include "upsweep/error.hpp"
#include "upsweep/sort/order.hpp"

namespace upsweep::cuda {

inline constexpr int digit_bits = 8;
inline constexpr int digit_values = 1 << digit_bits;

// Digits of one pass. What turns bits of integers into their image, and the descending order, is one exclusive-or,
// which costs nothing;
// floats are brought to their image anew in each pass, since the image does not tell the key.
template <class Key, bool Floating>
struct key_digits {
  Key flip;
  unsigned shift;
  std::uint32_t mask;

  UPSWEEP_HD std::uint32_t operator()(Key key) const {
    if constexpr (Floating) key = order_bits_of<key_order::floating>(key);
    key ^= flip;
    if constexpr (sizeof(Key) == 8) {
      return static_cast<std::uint32_t>(key >> shift) & mask;
    } else {
      return static_cast<std::uint32_t>(key) >> shift & mask;
    }
  }
};

// The bits of the image that count, cut into digits from the lowest.
template <class Key, bool Floating>
struct digit_plan {
  Key flip = 0;
  unsigned first_bit = 0, last_bit = 8 * sizeof(Key);

  digit_plan(key_order order, unsigned first, unsigned last, bool descending) : first_bit(first), last_bit(last) {
    if (first > last || last > 8 * sizeof(Key))
      throw error(fault::bad_argument, "sort on cuda",
                  "bits " + std::to_string(first) + " to " + std::to_string(last) + " are not within a key of " +
                      std::to_string(8 * sizeof(Key)) + " bits",
                  "give 0 <= first_bit <= last_bit <= bits of the key");
    if (order == key_order::with_sign) flip = static_cast<Key>(Key{1} << (8 * sizeof(Key) - 1));
    if (descending) flip = static_cast<Key>(~flip);
  }

  UPSWEEP_HD int passes() const { return static_cast<int>((last_bit - first_bit + digit_bits - 1) / digit_bits); }

  UPSWEEP_HD key_digits<Key, Floating> digits(int pass) const {
    const unsigned shift = first_bit + pass * digit_bits;
    const unsigned bits = last_bit - shift < digit_bits ? last_bit - shift : digit_bits;
    return {flip, shift, (1u << bits) - 1};
  }

  // The image, with the bits that do not count left out: keys are in order as these are.
  UPSWEEP_HD Key image(Key key) const {
    if constexpr (Floating) key = order_bits_of<key_order::floating>(key);
    key = static_cast<Key>(static_cast<Key>(key ^ flip) >> first_bit);
    const unsigned bits = last_bit - first_bit;
    return bits == 8 * sizeof(Key) ? key : static_cast<Key>(key & ((Key{1} << bits) - 1));
  }

  // A key past the end: its digits are the highest. (Descending floats have none; onesweep.cuh sees to that.)
  UPSWEEP_HD Key last_key() const { return static_cast<Key>(~flip); }
};

}  // namespace upsweep::cuda
