// From the bits of a key to the digits of its image (upsweep/sort/sort_order.hpp).
#pragma once

#include <string>

#include "upsweep/error.hpp"
#include "upsweep/sort/sort_order.hpp"

namespace upsweep::cuda {

inline constexpr int digit_bits = 8;
inline constexpr int digit_values = 1 << digit_bits;

// From a key to bits that one exclusive-or converts to its image.
template <class Key, bool Floating>
struct key_image {
  explicit key_image(key_order) {}
  UPSWEEP_HD Key ordered(Key key) const {
    if constexpr (Floating) key = order_bits_of<key_order::floating>(key);
    return key;
  }
};
// Keys of 2 bytes are rarely sorted. They test at run time whether they are floats, which halves their kernels.
template <>
struct key_image<std::uint16_t, true> {
  bool floating;
  explicit key_image(key_order order) : floating(order == key_order::floating) {}
  UPSWEEP_HD std::uint16_t ordered(std::uint16_t key) const {
    const std::uint16_t of_float = order_bits_of<key_order::floating>(key);
    return floating ? of_float : key;
  }
};

// Digits of one pass, of unmodified keys. One exclusive-or converts bits of integers to their image and applies the
// descending order. (Large sorts move floats of 4 and 8 bytes as codes: sort_float_codes.cuh.)
template <class Key, bool Floating>
struct key_digits : key_image<Key, Floating> {
  Key flip;
  unsigned shift;
  std::uint32_t mask;

  UPSWEEP_HD std::uint32_t operator()(Key key) const {
    key = this->ordered(key);
    key ^= flip;
    if constexpr (sizeof(Key) == 8) {
      return static_cast<std::uint32_t>(key >> shift) & mask;
    } else {
      return static_cast<std::uint32_t>(key) >> shift & mask;
    }
  }
};

// The relevant bits of the image, divided into digits from the lowest.
template <class Key, bool Floating>
struct digit_plan : key_image<Key, Floating> {
  Key flip = 0;
  unsigned first_bit = 0, last_bit = 8 * sizeof(Key);

  digit_plan(key_order order, unsigned first, unsigned last, bool descending)
      : key_image<Key, Floating>(order), first_bit(first), last_bit(last) {
    if (first > last || last > 8 * sizeof(Key))
      throw error(fault::bad_argument, "sort on cuda",
                  "bits " + std::to_string(first) + " to " + std::to_string(last) + " are outside a key of " +
                      std::to_string(8 * sizeof(Key)) + " bits",
                  "give 0 <= first_bit <= last_bit <= bits of the key");
    if (order == key_order::with_sign) flip = static_cast<Key>(Key{1} << (8 * sizeof(Key) - 1));
    if (descending) flip = static_cast<Key>(~flip);
  }

  UPSWEEP_HD int passes() const { return static_cast<int>((last_bit - first_bit + digit_bits - 1) / digit_bits); }

  UPSWEEP_HD key_digits<Key, Floating> digits(int pass) const {
    const unsigned shift = first_bit + pass * digit_bits;
    const unsigned bits = last_bit - shift < digit_bits ? last_bit - shift : digit_bits;
    return {*this, flip, shift, (1u << bits) - 1};
  }

  // Bits of the image, counted from the first relevant one.
  UPSWEEP_HD key_digits<Key, Floating> digits_of_bits(unsigned bit, unsigned bits) const {
    return {*this, flip, first_bit + bit, (1u << bits) - 1};
  }

  // The image without its irrelevant bits: keys are ordered like these.
  UPSWEEP_HD Key image(Key key) const {
    key = static_cast<Key>(static_cast<Key>(this->ordered(key) ^ flip) >> first_bit);
    const unsigned bits = last_bit - first_bit;
    return bits == 8 * sizeof(Key) ? key : static_cast<Key>(key & ((Key{1} << bits) - 1));
  }

  // A key past the end: its digits are the highest. (Descending floats have none; sort_cuda_onesweep.cuh handles
  // that.)
  UPSWEEP_HD Key last_key() const { return static_cast<Key>(~flip); }
};

// The image for keys that are only compared; tests at run time whether they are floats.
template <class Key>
struct compared_image {
  digit_plan<Key, false> plan;
  bool floating;

  compared_image(key_order order, unsigned first, unsigned last, bool descending)
      : plan(order, first, last, descending), floating(order == key_order::floating) {}

  UPSWEEP_HD int passes() const { return plan.passes(); }
  UPSWEEP_HD Key operator()(Key key) const {
    if constexpr (sizeof(Key) > 1) {  // no float has one byte
      const Key of_float = order_bits_of<key_order::floating>(key);
      if (floating) key = of_float;
    }
    return plan.image(key);
  }
};

}  // namespace upsweep::cuda
