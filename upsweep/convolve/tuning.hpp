// What the choice of an algorithm goes by.
#pragma once

#include <cstdint>

namespace upsweep::convolve_room {

// Estimated nanoseconds an element of a large f32 picture, on two cores: a constant for memory and the handling of rows, and so much
// a product. Only their ratios matter. Where each comes from is in README.md.
struct cpu_costs {
  double direct, direct_product;        // of a mask with several rows
  double one_row_product;               // of a mask of one row, which shares no loads between rows
  double split, split_product;          // row, column and pillar products of a split mask
  double fft, fft_level;                // overlap-save: so much a log2 of the tile, over the share of the tile that is result
};
inline constexpr cpu_costs cpu_cost{0.20, 0.011, 0.022, 0.25, 0.020, 0.30, 0.10};

// Tiles of the FFT: points in all, of a signal and of a picture.
inline constexpr std::uint64_t least_fft_tile = 256, most_fft_row = std::uint64_t{1} << 16, most_fft_side = 1024;

}  // namespace upsweep::convolve_room
