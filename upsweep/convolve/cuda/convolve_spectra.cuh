// Kernels for overlap-save: they cut tiles out of a picture, multiply spectra, and store results.
#pragma once

#include "upsweep/convolve/convolve_geometry.hpp"
#include "upsweep/cuda/cuda_device.hpp"

namespace upsweep::cuda {

inline constexpr int spectrum_threads = 256;

// Tile t: its channel, its place in the picture's grid of tiles, its slice.
struct fft_tiles {
  std::int64_t in_x, in_y, out_x, out_y, in_pitch, out_pitch, before_x, before_y;
  std::int64_t first, count;   // of this batch
  std::int64_t strips, bands;  // tiles across and down
  std::int64_t width, height;  // results of a tile
  int columns, rows, mask_x, mask_y, channels;
  border edge;
  struct place {
    std::int64_t x, y, z, channel;
  };
  __device__ place of(std::int64_t t) const {
    const std::int64_t channel = t % channels, at = t / channels;
    return {at % strips * width, at / strips % bands * height, at / strips / bands, channel};
  }
};

// The mask in a tile of zeros, reversed for a correlation, and scaled, because the transforms are not normalised.
template <class S>
__global__ void __launch_bounds__(spectrum_threads) cut_mask(const S* mask, S* to, fft_tiles t, bool turned) {
  const std::int64_t i = std::int64_t{blockIdx.x} * spectrum_threads + threadIdx.x;
  if (i >= std::int64_t{t.rows} * t.columns) return;
  const int x = static_cast<int>(i % t.columns), y = static_cast<int>(i / t.columns);
  const int at = y * t.mask_x + x;
  to[i] = x < t.mask_x && y < t.mask_y
              ? mask[turned ? at : t.mask_x * t.mask_y - 1 - at] / static_cast<S>(std::int64_t{t.rows} * t.columns)
              : S(0);
}

template <class In, class S>
__global__ void __launch_bounds__(spectrum_threads)
    cut_tiles(const In* in, S* to, const __grid_constant__ fft_tiles t) {
  const std::int64_t points = std::int64_t{t.rows} * t.columns,
                     i = std::int64_t{blockIdx.x} * spectrum_threads + threadIdx.x;
  if (i >= t.count * points) return;
  const std::int64_t at = i % points;
  const auto p = t.of(t.first + i / points);
  const std::int64_t ahead_x = at % t.columns, ahead_y = at / t.columns;
  S value = 0;
  // Elements that no result of the tile needs stay zero.
  if (ahead_x < min(t.width, t.out_x - p.x) + t.mask_x - 1 && ahead_y < min(t.height, t.out_y - p.y) + t.mask_y - 1) {
    const std::int64_t x = border_index(t.edge, p.x + ahead_x - t.before_x, t.in_x),
                       y = border_index(t.edge, p.y + ahead_y - t.before_y, t.in_y);
    if (x >= 0 && y >= 0)
      value =
          detail::convolve_impl::to_accumulator<S>(in[(p.z * t.in_y + y) * t.in_pitch + x * t.channels + p.channel]);
  }
  to[i] = value;
}

template <class Complex>
__global__ void __launch_bounds__(spectrum_threads)
    multiply_spectra(Complex* tiles, const Complex* mask, std::int64_t frequencies, std::int64_t count) {
  const std::int64_t i = std::int64_t{blockIdx.x} * spectrum_threads + threadIdx.x;
  if (i >= frequencies * count) return;
  const Complex a = tiles[i], b = mask[i % frequencies];
  tiles[i] = {a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x};
}

// A transform spreads an infinity or a NaN to all results of its tile, and so does a sum that overflows: such results
// are recomputed from the products of their window.
template <class S, class In, class Out>
__global__ void __launch_bounds__(spectrum_threads) put_results(const S* from, const In* in, const S* mask, bool turned,
                                                                Out* out, const __grid_constant__ fft_tiles t) {
  const std::int64_t results = t.width * t.height, i = std::int64_t{blockIdx.x} * spectrum_threads + threadIdx.x;
  if (i >= t.count * results) return;
  const std::int64_t tile = i / results, at = i % results, ahead_x = at % t.width, ahead_y = at / t.width;
  const auto p = t.of(t.first + tile);
  if (p.x + ahead_x >= t.out_x || p.y + ahead_y >= t.out_y) return;
  S value = from[(tile * t.rows + ahead_y + t.mask_y - 1) * t.columns + ahead_x + t.mask_x - 1];
  if (!(value - value == 0)) {
    value = 0;
    for (int j = 0; j < t.mask_y; ++j)
      for (int i = 0; i < t.mask_x; ++i) {
        const std::int64_t x = border_index(t.edge, p.x + ahead_x + i - t.before_x, t.in_x),
                           y = border_index(t.edge, p.y + ahead_y + j - t.before_y, t.in_y);
        const int at_mask = j * t.mask_x + i;
        const S weight = mask[turned ? t.mask_x * t.mask_y - 1 - at_mask : at_mask];
        if (x >= 0 && y >= 0)
          value += weight * detail::convolve_impl::to_accumulator<S>(
                                in[(p.z * t.in_y + y) * t.in_pitch + x * t.channels + p.channel]);
      }
  }
  out[(p.z * t.out_y + p.y + ahead_y) * t.out_pitch + (p.x + ahead_x) * t.channels + p.channel] =
      detail::convolve_impl::stored<Out>(value);
}

}  // namespace upsweep::cuda
