// The work of one thread in a radix sort, for one width of keys and values. The instruction set is chosen at run
// time, once.
#pragma once

#include <cstdint>

namespace upsweep::cpu {

// A sequence of keys with their values in memory: either two arrays or one array of records {key, value}.
struct radix_place {
  void* keys = nullptr;    // or the records
  void* values = nullptr;  // null with arrays, where there are values at all: value i is first_index + i
  std::uint64_t first_index = 0;
  bool records = false;
};

// Bits [low, high) of key images, after XOR with flip.
struct radix_field {
  std::uint64_t flip = 0;
  unsigned low = 0, high = 0;
  bool whole = false;  // keys that are equal in [low, high) are equal in all bits

  std::uint64_t mask() const { return (high == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << high) - 1) >> low << low; }
};

struct radix_kernels {
  std::uint64_t record_bytes;

  // Moves a place on by i elements.
  radix_place (*advance)(radix_place from, std::uint64_t i);
  std::uint64_t (*image)(const radix_place& from, std::uint64_t i);

  // Adds to counts[digit] for every element, digit = image >> shift & (2^bits - 1), flip not applied; returns the OR of
  // image ^ first.
  std::uint64_t (*count)(const radix_place& from, std::uint64_t n, unsigned shift, unsigned bits, std::uint64_t first,
                         std::uint64_t* counts);
  // The OR of image ^ first alone.
  std::uint64_t (*varying)(const radix_place& from, std::uint64_t n, std::uint64_t first);

  // Element i goes to to[next[digit]++]. `lines` is 64-byte aligned: 64 bytes and two counts for each digit.
  // With `past_caches`, whole lines are written around the caches; `to` is then aligned to 64 bytes.
  void (*scatter)(const radix_place& from, std::uint64_t n, unsigned shift, unsigned bits, const radix_place& to,
                  std::uint64_t* next, void* lines, bool past_caches);

  // Sorts n elements, few enough for the cache, into arrays; `from` may be those arrays. a and b hold n records each.
  void (*sort)(const radix_place& from, std::uint64_t n, radix_field by, const radix_place& to, void* a, void* b);

  // Writes to the arrays the keys with (digit ^ flip) <= last, in order, with their indices as values, and returns
  // their number; value_bytes is 8.
  std::uint64_t (*collect)(const radix_place& from, std::uint64_t n, unsigned shift, unsigned bits, std::uint64_t flip,
                           std::uint64_t last, const radix_place& to);

  void (*copy)(const radix_place& from, std::uint64_t n, const radix_place& to);
};

// value_bytes: 0, 4 or 8.
const radix_kernels& find_radix_kernels(unsigned key_bytes, bool is_float, unsigned value_bytes);

}  // namespace upsweep::cpu
