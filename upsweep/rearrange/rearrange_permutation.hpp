// A permutation of [0, n) that a seed chooses. The place of each index is computed separately, and is the same on every
// device.
//
// Up to 256 indices: Fisher and Yates' shuffle, so each of the n! permutations is equally likely. For more, index = row
// · 2^bits + column, and eight rounds change the row and the column in turn: the row by a sum modulo the number of
// rows, the column by exclusive or. The value that is added is a·x + b in 64 bits, whose high bits are pairwise
// independent for random a and b (Dietzfelbinger 1996). Feistel rounds are a permutation for any such functions (Luby
// and Rackoff 1988). The table of rows and columns is about as high as wide, so that it has less than one row more than
// n places. The few indices that fall into the rest go through the rounds again until they do not. Sums modulo an odd
// number of rows and exclusive ors alone are even permutations; for odd ones the first two places are exchanged at
// random.
#pragma once

#include <bit>
#include <cstdint>

#include "upsweep/types.hpp"

namespace upsweep::detail::rearrange_impl {

// The host's and OpenCL's: permutation.cl has the same members and the same rounds.
class seeded_permutation {
 public:
  static constexpr int rounds = 8, most_listed = 256;

  seeded_permutation(std::uint64_t n, std::uint64_t seed) : n_(n) {
    std::uint64_t state = seed;
    if (n <= most_listed) {
      for (std::uint64_t i = 0; i < n; ++i) {
        const std::uint64_t j = below(i + 1, state);
        listed_[i] = listed_[j];
        listed_[j] = static_cast<std::uint8_t>(i);
      }
      return;
    }
    bits_ = static_cast<std::uint32_t>(std::bit_width(n) / 2);
    rows_ = ((n - 1) >> bits_) + 1;
    for (int r = 0; r < rounds; ++r) factor_[r] = random(state) | 1, summand_[r] = random(state);
    exchanged_ = static_cast<std::uint32_t>(random(state) >> 63);
  }

  UPSWEEP_HD std::uint64_t operator()(std::uint64_t i) const {
    if (n_ <= most_listed) return listed_[i];
    do i = in_the_table(i);
    while (i >= n_);
    return i;
  }
  // The places of count indices from `first` on. The first loop computes all of them, the second repeats the few that
  // fall outside, so no element waits for the one before it.
  void operator()(std::uint64_t first, std::uint64_t count, std::uint64_t* places) const {
    if (n_ <= most_listed) {
      for (std::uint64_t k = 0; k < count; ++k) places[k] = listed_[first + k];
      return;
    }
    for (std::uint64_t k = 0; k < count; ++k) places[k] = in_the_table(first + k);
    for (std::uint64_t k = 0; k < count; ++k)
      while (places[k] >= n_) places[k] = in_the_table(places[k]);
  }

 private:
  // splitmix64
  static std::uint64_t random(std::uint64_t& state) {
    std::uint64_t z = state += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
  }
  // Each of 0 … most - 1 as likely as any other.
  static std::uint64_t below(std::uint64_t most, std::uint64_t& state) {
    const std::uint64_t past = ~std::uint64_t{0} / most * most;
    std::uint64_t x = random(state);
    while (x >= past) x = random(state);
    return x % most;
  }

  UPSWEEP_HD std::uint64_t in_the_table(std::uint64_t i) const {
    std::uint64_t row = i >> bits_, column = i & ((std::uint64_t{1} << bits_) - 1);
    for (int r = 0; r < rounds; r += 2) {
      row += (((column * factor_[r] + summand_[r]) >> 32) * rows_) >> 32;
      row -= row >= rows_ ? rows_ : 0;
      column ^= (row * factor_[r + 1] + summand_[r + 1]) >> (64 - bits_);
    }
    const std::uint64_t at = row << bits_ | column;
    return at < 2 ? at ^ exchanged_ : at;
  }

  std::uint64_t n_, rows_ = 0;
  std::uint64_t factor_[rounds]{}, summand_[rounds]{};
  std::uint32_t bits_ = 0, exchanged_ = 0;
  std::uint8_t listed_[most_listed]{};
};

static_assert(sizeof(seeded_permutation) == 408);

}  // namespace upsweep::detail::rearrange_impl
