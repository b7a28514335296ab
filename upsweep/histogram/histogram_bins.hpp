// The rule that maps a sample to a bin, with the same bits on every backend.
//
// Even bins: m of them over [lower, upper), in integers and floats.
//   Integers of up to 32 bits: bin b = floor((x - lower) · m / (upper - lower)), exactly.
//   64-bit integers: as above where upper - lower <= 2^39. Beyond that, sample and width first lose the same number of
//     low bits so that the width has 39, which moves an edge by at most 2^-38 of the width; it stays exact where width
//     and m are powers of two.
//   Floats: b = trunc((x - lower) · s), s = m / (upper - lower), each step rounded in the sample's type, and never
//     above m - 1. A sample close to an edge may so be put on either side of it, but on the same side on all backends.
//     f16 samples are taken as f32.
// Custom bins: m + 1 edges that increase; bin b is [edge b, edge b + 1). Closed: the last bin holds its upper edge,
// too, and may be that one number, [edge m - 1, edge m] with edge m - 1 == edge m.
// Samples in no bin, NaN included, get `no_bin`.
#pragma once

#include <cstdint>
#include <limits>
#include <type_traits>

#include "upsweep/types.hpp"

namespace upsweep::detail::histogram_impl {

inline constexpr std::uint32_t no_bin = 0xffffffff;
inline constexpr std::uint64_t most_bins = std::uint64_t{1} << 24;

// The type of lower and upper: wide enough that [lower, upper) can cover every value of up to 32 bits. (The largest
// 64-bit integer is in no even bin.)
template <class T>
using bound_of = std::conditional_t<std::is_same_v<T, half>, float,
                                    std::conditional_t<std::is_floating_point_v<T> || sizeof(T) == 8, T, std::int64_t>>;

// Bounds of integers must be within these: then differences of samples and bounds fit the arithmetic.
template <class T>
inline constexpr bound_of<T> lowest_bound = std::is_same_v<T, std::uint32_t> ? 0
                                            : sizeof(T) == 8 ? std::numeric_limits<bound_of<T>>::lowest()
                                                             : static_cast<bound_of<T>>(std::int64_t{-1} << 31);
template <class T>
inline constexpr bound_of<T> highest_bound =
    std::is_same_v<T, std::uint32_t> ? static_cast<bound_of<T>>(std::int64_t{1} << 32)
    : sizeof(T) == 8                 ? (std::numeric_limits<bound_of<T>>::max)()
                                     : static_cast<bound_of<T>>(std::int64_t{1} << 31);

// Created on the host, passed to kernels by value. bins(x) is the bin of x.
template <class T>
struct even_bins {
  static constexpr bool wide = sizeof(T) == 8;
  using distance = std::conditional_t<wide, std::uint64_t, std::uint32_t>;  // x - lower, modulo its range
  static constexpr int point = wide ? 39 : 32;                              // bits of `scale` after the binary point

  distance lower = 0;       // modulo the range of `distance`
  distance last = 0;        // upper - 1 - lower
  int shift = 0;            // low bits lost
  std::uint64_t width = 1;  // (last >> shift) + 1, at most 2^point
  std::uint64_t scale = 0;  // floor(m · 2^point / width); distance · scale < m · 2^point < 2^64
  std::uint32_t m = 1;
  bool exact = false;  // nothing was rounded in `scale`

  static even_bins of(bound_of<T> lower, bound_of<T> upper, std::uint64_t m) {
    even_bins b;
    b.lower = static_cast<distance>(lower);
    b.last = static_cast<distance>(static_cast<distance>(upper) - static_cast<distance>(lower) - 1);
    while ((static_cast<std::uint64_t>(b.last) >> b.shift) >= std::uint64_t{1} << point) ++b.shift;
    b.width = (static_cast<std::uint64_t>(b.last) >> b.shift) + 1;
    b.m = static_cast<std::uint32_t>(m);
    b.scale = (m << point) / b.width;
    b.exact = b.scale * b.width == m << point;
    return b;
  }

  UPSWEEP_HD std::uint32_t operator()(T x) const {
    const distance far = static_cast<distance>(x) - lower;
    if (far > last) return no_bin;
    const std::uint64_t d = static_cast<std::uint64_t>(far) >> shift;
    std::uint64_t b = d * scale >> point;  // the bin, or the one before it
    if (!exact && d * m - b * width >= width) ++b;
    return static_cast<std::uint32_t>(b);
  }
};

template <class T>
  requires(std::is_floating_point_v<T> || std::is_same_v<T, half>)
struct even_bins<T> {
  using real = bound_of<T>;
  real lower = 0, upper = 1, scale = 1;
  std::uint32_t m = 1;

  static even_bins of(real lower, real upper, std::uint64_t m) {
    return {lower, upper, static_cast<real>(m) / (upper - lower), static_cast<std::uint32_t>(m)};
  }

  UPSWEEP_HD std::uint32_t operator()(T sample) const {
    const real x = static_cast<real>(sample);
    if (!(lower <= x && x < upper)) return no_bin;
    const real b = (x - lower) * scale;
    return b < static_cast<real>(m) ? static_cast<std::uint32_t>(b) : m - 1;
  }
};

// Custom bins; `edges` is an address that the caller can read, m + 1 edges.
template <class T>
struct edge_bins {
  const T* edges = nullptr;
  std::uint32_t m = 1;
  bool closed = false;

  UPSWEEP_HD std::uint32_t operator()(T x) const {
    if (!(edges[0] <= x && (x < edges[m] || (closed && x == edges[m])))) return no_bin;
    std::uint32_t low = 0, high = m;  // edges[low] <= x < edges[high]
    while (high - low > 1) {
      const std::uint32_t middle = (low + high) / 2;
      (edges[middle] <= x ? low : high) = middle;
    }
    return low;
  }
};

}  // namespace upsweep::detail::histogram_impl
