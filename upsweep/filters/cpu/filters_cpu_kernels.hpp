// The kernels that one thread runs for a median of a small window and for a bilateral filter; the instruction set is
// chosen at run time, once. Lines are of one channel, and are processed in whole multiples of filter_step elements,
// which must be readable and writable.
#pragma once

#include <cstddef>
#include <cstdint>

namespace upsweep::cpu {

inline constexpr std::uint64_t filter_step = 16;

// A row of results, each the median of a window of 2 · radius + 1 lines and columns that begins at its position. A NaN
// counts as the largest. Radii 1 to most_network_radius.
inline constexpr std::uint32_t most_network_radius = 3;
struct median_row {
  const float* const* lines;
  float* out;
  std::uint64_t count;
  std::uint32_t radius;
};
using median_kernel = void (*)(const median_row&);
median_kernel median_by_forgetting();

// A row of results: means of the pixels `offsets` elements away, weighted exp(-exponents[i] - per_colour · c²) of the
// distance c in colour; 0 where per_colour · c² is 17 and more. A plane a channel, at the row's first place.
struct bilateral_row {
  const float* const* planes;
  float* const* out;
  const std::ptrdiff_t* offsets;
  const float* exponents;
  std::uint64_t pixels, count;  // of the disc, of the row
  float per_colour;
  std::uint32_t channels;
};
using bilateral_kernel = void (*)(const bilateral_row&);
bilateral_kernel bilateral_means();

}  // namespace upsweep::cpu
