// Measured costs, by which a call chooses its algorithm.
#pragma once

#include <cstdint>

namespace upsweep::detail::convolve_impl {

// Nanoseconds an element of an f32 picture of 2048 by 2048, or of a signal as long, on two Zen 4 cores with AVX-512:
// by the wall clock, caches cold. Only their ratios matter. The figures they are fitted to are
// in README.md.
struct cpu_costs {
  double direct, direct_product;  // of a mask with several rows
  double row, row_product;        // of a mask of one row, which shares no loads between rows
  double split, split_product;    // row, column and pillar products of a split mask
  double folded, folded_product;  // the same for bytes in fixed point
  double box, box_sum;            // additions for a mask that is one number; a store of a line counts as two
  // And for each of fft_side's ns, over the share of a tile that is result:
  double fft_row, fft_row_point, fft_picture, fft_picture_point;
};
inline constexpr cpu_costs cpu_cost{0.26,  0.0102, 0.08,   0.0148, 0.25, 0.0168, 0.07,
                                    0.012, 0.06,   0.0275, 0.70,   0.43, 0.15,   1.08};

// Sides of the FFT's tiles, and the time of FFTW's estimated plans for a point of real input, forward and backward, as
// one part of a complex tile (ns on one core). They follow no rule: 256 x 256 takes 26, so it is not in the table.
struct fft_tile {
  std::uint64_t points;
  double ns;
};
inline constexpr fft_tile row_tiles[]{{512, 0.67},    {1024, 0.72},   {2048, 0.83},  {4096, 1.24},
                                      {7680, 1.37},   {12288, 1.81},  {25600, 2.53}, {64000, 2.76},
                                      {128000, 3.29}, {307200, 3.70}, {1024000, 5.8}};
inline constexpr fft_tile picture_tiles[]{{64, 1.14}, {128, 1.69}, {320, 2.84}, {640, 4.44}, {2000, 8.15}};

// The number of weights from which CUDA uses cuFFT's tiles: for a row, and for a picture's mask that has no walk
// (cuda/walk.cuh).
struct fft_from {
  double row, picture;
};
inline constexpr fft_from cuda_fft_from{850, 200};

}  // namespace upsweep::detail::convolve_impl
