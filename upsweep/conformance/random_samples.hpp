// Random elements of every built-in type, for the conformance tests of primitives that move and count elements
// (elements that are folded come from reference_fold.hpp). A seed always gives the same elements, and any part of them
// can be generated separately.
#pragma once

#include <cstdint>

#include "upsweep/conformance/conformance.hpp"

namespace upsweep {

// splitmix64 of a counter.
constexpr std::uint64_t mixed(std::uint64_t z) {
  z = (z + 0x9e3779b97f4a7c15ull) * 0xbf58476d1ce4e5b9ull;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
  return z ^ (z >> 31);
}

constexpr double unit(std::uint64_t bits) { return static_cast<double>(bits >> 11) * 0x1p-53; }  // [0, 1)
// In [-1, 1], random to the last bit: 2 · unit - 1 would have a 0 there.
constexpr double signed_unit(std::uint64_t bits) {
  const double size = unit(bits) + 0x1p-53 * unit(mixed(bits));
  return bits & 1 << 10 ? -size : size;
}

//   uniform   integers of all bits; floats over [-1, 1], of all mantissas, one in 64 of them a NaN, an infinity, a zero
//             of either sign, or next to one
//   sorted    rising from the lowest value (floats: -1) to the highest (floats: 1)
//   reversed  the same, falling
//   few       four values, at random; floats: the two zeros among them
//   zipf      the k-th of up to 2^20 values as often as 1/k
//   constant  the first of the four values
class samples {
 public:
  samples(dtype type, input_kind kind, std::uint64_t n, std::uint64_t seed);
  void fill(void* to, std::uint64_t first, std::uint64_t count) const;
  // About that share of uniform elements is less than it.
  static scalar quantile(dtype type, double share);
  // The k-th of the four values.
  static scalar one_of_few(dtype type, std::uint64_t k);

 private:
  template <class T>
  T element(std::uint64_t i) const;
  dtype type_;
  input_kind kind_;
  std::uint64_t n_, seed_;
  double values_;  // log2 of how many zipf draws from
};

// Elements in runs of equal ones, of lengths mixed from 1 to far more than a tile holds.
//   uniform              each run of another value, in no order
//   sorted and reversed  the runs' values rise, or fall
//   few, zipf, constant  as above: short runs by chance, or a single one
class runs {
 public:
  runs(dtype type, input_kind kind, std::uint64_t n, std::uint64_t seed);
  void fill(void* to, std::uint64_t first, std::uint64_t count) const;

 private:
  std::uint64_t start(std::uint64_t i) const;  // where the run that i is in begins
  samples each_;
  dtype type_;
  input_kind kind_;
  std::uint64_t seed_;
};

// Indices below `range`: anywhere (uniform), rising, falling, four of them, zipf, all 0.
class indices {
 public:
  indices(input_kind kind, std::uint64_t n, std::uint64_t range, std::uint64_t seed);
  std::uint64_t operator()(std::uint64_t i) const;

 private:
  input_kind kind_;
  std::uint64_t n_, range_, seed_;
};

// n different indices below `range` >= n: scattered, rising or falling.
class places {
 public:
  places(input_kind kind, std::uint64_t n, std::uint64_t range, std::uint64_t seed);
  std::uint64_t operator()(std::uint64_t i) const;

 private:
  std::uint64_t range_, factor_ = 1, first_ = 0;
  bool falling_ = false;
};

// Whether element i is flagged: half of them (uniform), the first half (sorted), the second (reversed), one in 64
// (few), all but one in 64 (zipf), all.
bool flagged(input_kind kind, std::uint64_t i, std::uint64_t n, std::uint64_t seed);
// The flags as bytes: 0, or any other value.
void fill_flags(input_kind kind, std::uint64_t n, std::uint64_t seed, void* to, std::uint64_t first,
                std::uint64_t count);

// Any bytes.
void fill_bytes(std::uint64_t seed, void* to, std::uint64_t first, std::uint64_t count);

}  // namespace upsweep
