// A sample of a sequence, and the position of a rank in it.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace upsweep::detail::sort_impl {

// Element i of a sample of n: pseudo-random, and equal in every run.
inline std::uint64_t scattered(std::uint64_t i, std::uint64_t n) {
  std::uint64_t x = (i + 1) * 0x9e3779b97f4a7c15u;
  x = (x ^ x >> 31) * 0xbf58476d1ce4e5b9u;
  __extension__ typedef unsigned __int128 wide;  // no word of -Wpedantic's
  return static_cast<std::uint64_t>(static_cast<wide>(x ^ x >> 29) * n >> 64);
}

// Two positions of a sorted sample of `size` that very likely enclose rank k of n. If low is below 0 or high is
// beyond the sample's end, nothing is excluded on that side.
struct places_around {
  std::int64_t low, high;

  // The position of a rank in a sample has a binomial distribution: its deviation is at most half the root of the
  // size.
  places_around(std::uint64_t k, std::uint64_t n, std::uint64_t size) {
    const double share = static_cast<double>(k) / static_cast<double>(n), all = static_cast<double>(size);
    const double place = share * all, apart = 4 + 3 * std::sqrt(share * (1 - share) * all);
    low = static_cast<std::int64_t>(std::floor(place - apart));
    high = static_cast<std::int64_t>(place + apart);
  }
};

}  // namespace upsweep::detail::sort_impl
