// The steps of select on the CPU: one bit for each element, and elements moved by such bits. The predicates write
// bits, and take elements by the width and order of their images (sort/sort_order.hpp). The moves read bits, and take
// elements by their width alone. The instruction set is chosen at run time, once.
#pragma once

#include <cstdint>

#include "upsweep/operators.hpp"

namespace upsweep::cpu {

// Words of 64 bits for n elements, and one more, so that whole words may be read from any byte of them.
constexpr std::uint64_t bit_words(std::uint64_t n) { return n / 64 + 2; }

// Whether (image - low) <= span, or, negated, whether not. Every comparison with a threshold is one of these: NaN's
// image is greater than infinity's.
struct image_range {
  std::uint64_t low = 0, span = 0;
  bool negated = false;
};

// The images that pass `how` against a threshold of the same type.
image_range range_of(dtype type, comparison how, std::uint64_t threshold_bits);

struct bit_kernels {
  // Bit i: whether x[i] is in the range. Returns how many are. Bits past n in the last word are zero.
  std::uint64_t (*in_range)(const void* x, std::uint64_t n, image_range range, std::uint64_t* bits);
  // Bit i: whether x[i] != x[i - 1], as C++ compares: NaN differs from everything. x[-1] is read unless `first`, which
  // makes bit 0 one.
  std::uint64_t (*heads)(const void* x, std::uint64_t n, bool first, std::uint64_t* bits);
};
const bit_kernels& find_bit_kernels(dtype type);

// Bit i: whether flags[i] != 0.
std::uint64_t flag_bits(const std::uint8_t* flags, std::uint64_t n, std::uint64_t* bits);

// Collects elements that are moved to consecutive memory and writes them by whole cache lines, optionally past the
// caches.
struct line_writer {
  static constexpr std::uint64_t line = 64, capacity = 4096, slack = 1024;
  alignas(64) unsigned char staged[capacity + slack];
  unsigned char* to;    // where staged[0] belongs; a multiple of a line
  std::uint64_t first;  // bytes of staged before this belong to someone else
  std::uint64_t filled;
  bool past_caches;

  void begin(void* out, bool stream);
  void end();
  void flush();  // writes whole lines
};

// Appends x[i] for every bit of n that is one, or, inverted, zero. Elements of 1, 2, 4 or 8 bytes.
using compress_kernel = void (*)(const void* x, std::uint64_t n, const std::uint64_t* bits, bool inverted,
                                 line_writer& to);
compress_kernel find_compress(std::uint64_t element_bytes);

}  // namespace upsweep::cpu
