// The order of keys, as the order of unsigned integers: a key's image under order_bits is as wide as the key, and one
// key precedes another exactly if its image is the smaller. Every backend and the sort's conformance test use this
// order.
//
//   unsigned  the key itself
//   signed    its bits with the sign bit flipped
//   floating  2^(b-1) + |x| for a sign of +, 2^(b-1) - |x| for -, with |x| read as an integer of b bits. So -0 and +0
//             have one image. A NaN's image is all ones, whatever its sign and payload: NaNs are last and equal
//             to each other.
//
// Descending order is that of the complements: NaNs first. Several keys may share an image, so unmodified keys are
// moved, and only comparisons and digits use the image.
#pragma once

#include <cstdint>
#include <type_traits>

#include "upsweep/types.hpp"

namespace upsweep {

template <std::size_t Bytes>
using bits_of_size = std::conditional_t<
    Bytes == 1, std::uint8_t,
    std::conditional_t<Bytes == 2, std::uint16_t, std::conditional_t<Bytes == 4, std::uint32_t, std::uint64_t>>>;

// The unsigned type as wide as T.
template <class T>
using order_image = bits_of_size<sizeof(T)>;

enum class key_order : std::uint8_t { plain, with_sign, floating };

constexpr key_order order_of(dtype t) {
  return is_floating(t) ? key_order::floating : is_signed(t) ? key_order::with_sign : key_order::plain;
}

// The bits of an infinity without its sign, by the width of U.
template <class U>
inline constexpr U infinity_bits = sizeof(U) == 2   ? static_cast<U>(0x7c00)
                                   : sizeof(U) == 4 ? static_cast<U>(0x7f800000)
                                                    : static_cast<U>(0x7ff0000000000000);

// The image of a key given as its bits.
template <key_order Order, class U>
UPSWEEP_HD constexpr U order_bits_of(U bits) {
  static_assert(std::is_unsigned_v<U>);
  constexpr U top = static_cast<U>(U{1} << (8 * sizeof(U) - 1));
  if constexpr (Order == key_order::plain) {
    return bits;
  } else if constexpr (Order == key_order::with_sign) {
    return static_cast<U>(bits ^ top);
  } else {
    const U magnitude = static_cast<U>(bits & static_cast<U>(~top));
    const U ordered = bits & top ? static_cast<U>(top - magnitude) : static_cast<U>(top + magnitude);
    return magnitude > infinity_bits<U> ? static_cast<U>(~U{0}) : ordered;
  }
}

template <builtin_type T>
inline constexpr key_order order_for = order_of(dtype_of<T>);

// The image of a key of a built-in type. (Device code may not call std::bit_cast.)
template <builtin_type T>
UPSWEEP_HD constexpr order_image<T> order_bits(T key) {
  return order_bits_of<order_for<T>>(__builtin_bit_cast(order_image<T>, key));
}

// The part of the image that a sort compares: bits [first_bit, last_bit), complemented in descending order. The value
// is as wide as the keys and its bits stay at their positions; those outside the range are zero.
template <class U>
struct order_window {
  U mask = static_cast<U>(~U{0}), flip = 0;

  order_window() = default;
  // last_bit 0 means the key's width.
  UPSWEEP_HD constexpr order_window(unsigned first_bit, unsigned last_bit, bool descending) {
    constexpr unsigned width = 8 * sizeof(U);
    const unsigned past = last_bit == 0 ? width : last_bit;
    const U below = past >= width ? static_cast<U>(~U{0}) : static_cast<U>((U{1} << past) - 1);
    mask = first_bit >= width ? U{0} : static_cast<U>(below >> first_bit << first_bit);
    flip = descending ? mask : U{0};
  }
  UPSWEEP_HD constexpr U operator()(U image) const { return static_cast<U>((image & mask) ^ flip); }
};

}  // namespace upsweep
