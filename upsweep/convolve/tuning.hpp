// What the choice of an algorithm goes by.
#pragma once

#include <cstdint>

namespace upsweep::convolve_room {

// Nanoseconds an element of an f32 picture of 2048 by 2048, or of a signal as long, on two Zen 4 cores with AVX-512:
// processor time of both, halved, the best of nine runs. Only their ratios matter. The figures they are fitted to are
// in README.md.
struct cpu_costs {
  double direct, direct_product;  // of a mask with several rows
  double row, row_product;        // of a mask of one row, which shares no loads between rows
  double split, split_product;    // row, column and pillar products of a split mask
  double box, box_sum;            // additions of a mask that is one number, its lines' stores told as two each
  double fft;  // and for each level, that is log2 of a tile's points, over the share of the tile that is result:
  double fft_row_level, fft_picture_level;
};
inline constexpr cpu_costs cpu_cost{0.26, 0.0102, 0.08, 0.0148, 0.25, 0.0172, 0.25, 0.012, 0.30, 0.12, 0.175};

// Tiles of the FFT along one axis: at least so many points, and so many masks. FFTW takes 2.2 ns a point for there and
// back on one core at 2048, 2.8 at 16384 and 4.3 at 65536, where the tile has left the second-level cache.
struct fft_tile {
  std::uint64_t least, masks;
};
inline constexpr fft_tile row_tile{2048, 3}, picture_tile{256, 4};

}  // namespace upsweep::convolve_room
