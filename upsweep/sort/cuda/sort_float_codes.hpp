// Codes that a large sort moves in place of floats of 4 and 8 bytes.
//
// An image does not determine the key: both zeros have one image, and so have all NaNs. So floats cannot be moved as
// images, and computing the image again for each of three uses in each pass took a third of the sort. A code does
// determine the key, and equals an image except for those few keys. The first pass computes it once, and the last
// pass undoes it once. In between, a digit takes little more than a shift.
//
//   4 bytes  numbers below zero are in reverse: from -infinity, 0x80000001, up to the largest, 0xff800000. All other
//            values are unchanged. So adding +0 as floats do gives -0 the bits of +0 and all NaNs the same bits, and
//            changes nothing else: one instruction, after which the order is that of signed integers.
//   8 bytes  from -infinity, 0, up to +infinity, and beyond it NaNs and, last of all, -0. One comparison identifies the
//            ordinary ones; others have one digit value in each pass. (Adding +0 keeps a NaN's payload here, and GPUs
//            for games have few units for it.)
//
// Codes follow the order of all bits of the image; a sort by some of them takes another path (sort_cuda.cuh).
#pragma once

#include "upsweep/sort/sort_order.hpp"

namespace upsweep::cuda {

template <class Key, bool Floating>
inline constexpr bool moves_codes = Floating && sizeof(Key) >= 4;

// This function is its own inverse.
UPSWEEP_HD constexpr std::uint32_t code_of_float(std::uint32_t key) {
  return key - 0x80000001u < 0x7f800000u ? 0x7f800001u - key : key;
}
// -0 as +0 and every NaN as 0x7fffffff.
UPSWEEP_HD inline std::uint32_t merged_float(std::uint32_t code) {
#if defined(__CUDA_ARCH__)
  float sum;
  asm("add.rn.f32 %0, %1, 0f00000000;" : "=f"(sum) : "f"(__uint_as_float(code)));
  return __float_as_uint(sum);
#else
  return (code & 0x7fffffffu) > infinity_bits<std::uint32_t> ? 0x7fffffffu : code == 0x80000000u ? 0 : code;
#endif
}

// Without branches, which would make a warp diverge.
struct code_of_double {
  static constexpr std::uint64_t sign = std::uint64_t{1} << 63, zero = 0x7ff0000000000000,
                                 infinity = 0xffe0000000000000, nans_with_sign = 0xfff0000000000000,
                                 minus_zero = ~std::uint64_t{0};
  UPSWEEP_HD static constexpr std::uint64_t of(std::uint64_t key) {
    const std::uint64_t code = (key & sign) != 0 ? nans_with_sign - key : key + zero;
    return (code - (key > nans_with_sign ? 1 : 0)) | (key == sign ? minus_zero : 0);
  }
  UPSWEEP_HD static constexpr std::uint64_t key(std::uint64_t code) {
    const bool negative = ((code + (sign - zero)) & sign) == 0;
    const std::uint64_t key = negative ? nans_with_sign - code : code - zero;
    return code == minus_zero ? sign : key - (code >= nans_with_sign ? 1 : 0);
  }
  // From a key to its code, with -0 as +0, and one code for every NaN.
  UPSWEEP_HD static constexpr std::uint64_t merged(std::uint64_t key) {
    const std::uint64_t code = (key & sign) != 0 ? nans_with_sign - key : key + zero;
    return (key & ~sign) > infinity_bits<std::uint64_t> ? nans_with_sign : code;
  }
};

template <class Key, bool Floating>
UPSWEEP_HD constexpr Key code_of(Key key) {
  if constexpr (moves_codes<Key, Floating> && sizeof(Key) == 4) return code_of_float(key);
  if constexpr (moves_codes<Key, Floating> && sizeof(Key) == 8) return code_of_double::of(key);
  return key;
}
template <class Key, bool Floating>
UPSWEEP_HD constexpr Key key_of_code(Key code) {
  if constexpr (moves_codes<Key, Floating> && sizeof(Key) == 4) return code_of_float(code);
  if constexpr (moves_codes<Key, Floating> && sizeof(Key) == 8) return code_of_double::key(code);
  return code;
}

// From a key to its code, with one code for keys that are equal in order: an integer whose order is that of the keys.
template <class Key>
UPSWEEP_HD Key ordered_code(Key key) {
  if constexpr (sizeof(Key) == 4) {
    return merged_float(code_of_float(key)) ^ 0x80000000u;
  } else {
    return code_of_double::merged(key);
  }
}

}  // namespace upsweep::cuda
