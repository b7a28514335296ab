// Tile sizes and limits of the CUDA convolutions, for one H200 (README.md records the measurements).
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>

namespace upsweep::detail::convolve_impl {

// Masks for which a walk is compiled: squares, whole or split, whose width is known at compile time.
inline constexpr int direct_walks[]{3, 5, 7, 9, 11, 13, 15};
inline constexpr int split_walks[]{3, 5, 7, 9, 11, 13, 15};
inline constexpr int tall_walks[]{21, 31};

// Parameters of a walk. With many products a thread has eight columns or more, so that a weight is used for as many,
// and walks are so long that all blocks' first ones run at once, because the rows before the first result cost as much
// as others.
struct walk_figures {
  int each;             // columns of a thread
  int at_once, stages;  // rows of a stage, and stages of the ring
  int warps, blocks;    // of a block, and that are to share a multiprocessor
  int tenths;           // ten times into how many walks a block's share of the picture is cut
  bool kept;            // whether the weights stay in registers
};
constexpr walk_figures figures_of_walk(int mask, bool split, bool bytes) {
  if (!split && mask > 7) return {8, 1, 6, 4, mask == 9 ? 4 : mask == 11 ? 3 : 2, 14, false};
  if (!split && bytes) {
    if (mask == 3) return {8, 4, 3, 4, 6, 60, true};
    if (mask == 5) return {8, 4, 3, 4, 5, 40, true};
    return {16, 1, 6, 4, 3, 14, false};
  }
  if (!split) return mask <= 5 ? walk_figures{4, 4, 3, 8, 3, 60, true} : walk_figures{4, 2, 5, 4, 4, 40, true};
  if (bytes) return mask <= 7 ? walk_figures{8, 4, 3, 4, 4, 25, false} : walk_figures{8, 2, 4, 4, 3, 25, false};
  if (mask <= 7) return {4, 4, 3, 8, 3, 60, false};
  return {4, 2, 4, 4, 4, 40, false};
}
template <int K, bool split, bool bytes>
struct walk_shape {
  static constexpr walk_figures figures = figures_of_walk(K, split, bytes);
  static constexpr int each = figures.each, at_once = figures.at_once, stages = figures.stages, warps = figures.warps,
                       blocks = figures.blocks, tenths = figures.tenths;
  static constexpr bool kept = figures.kept;
  // Where a block's share has fewer rows, all walks are of equal length and run at once, for the masks whose rows
  // before the first result cost most. Not for 11² where the share is 3 to 5 rows: 33 µs at 1000², 30 by the ladder.
  static constexpr bool waves(std::uint64_t share) {
    return !split && K > 7 && share < 256 && !(K == 11 && share >= 3 && share < 6);
  }
};
inline constexpr std::uint64_t walk_least_rows = 16;

struct tall_shape {
  static constexpr int each = 4, at_once = 4, stages = 3, warps = 4, blocks = 2, tenths = 30;
  static constexpr bool waves(std::uint64_t) { return false; }
};

// Masks for which tiles are compiled, whole and split; the largest for which all products of a lane are unrolled. Rows
// of a thread, and warps of a block. High tiles are for large pictures: of f32 under whole masks of 5 and 7, and under
// whole masks of 11 and more.
inline constexpr int tiles[]{3, 5, 7, 9, 11, 13, 15}, split_tiles[]{3, 5, 7, 9, 11, 13, 15, 21, 31};
inline constexpr int most_unrolled_tile = 9;
struct tile_shape {
  static constexpr int rows = 2, warps = 8;
};
struct high_tile_shape {
  static constexpr int rows = 8, warps = 4;
};
struct large_mask_tile_shape {
  static constexpr int rows = 4, warps = 8;
};
inline constexpr std::uint64_t high_tiles_from = std::uint64_t{1} << 22, large_mask_tiles_from = std::uint64_t{1} << 19;

// Tiles for masks of any size: warps of a block, and the shared memory that a block has by default. The number of
// results up to which they are faster than passes along rows and down columns.
inline constexpr int any_tile_warps = 8;
inline constexpr std::size_t most_any_tile_bytes = 48 << 10;
inline constexpr std::uint64_t most_any_split_tile_results = std::uint64_t{6} << 20;

// Microseconds of such tiles, under masks that do not split, and of the FFT, as measured under 17², 25² and 31² from
// 32² to 4096² on one H200: the larger of the time of one block alone and of all blocks together.
constexpr double any_tile_cost(double products, double results) {
  const double alone = results < 1 << 18 ? 6 + 0.018 * products : 6.6 + 0.0314 * products;
  return (std::max)(alone, 4 + products * results / 11e6);
}
inline double fft_cost(double results) { return 30 + 33e-6 * results + 0.03 * std::sqrt(results); }

// The number of results up to which tiles are faster than walks, as measured at 1920 × 1080, 2048², 2900², 4096², 5000²
// and 8192² on one H200; for bytes and split masks under 3 and 9. Where rows are not aligned for copies of 16 bytes a
// walk reads element by element, and tiles are faster up to 8191² at least.
constexpr std::uint64_t most_tile_results(int mask, bool split, bool bytes, bool by_elements) {
  constexpr std::uint64_t million = std::uint64_t{1} << 20;
  if (by_elements) return 64 * million;
  if (mask > most_unrolled_tile) return split && mask < 21 ? 24 * million : 12 * million;
  if (split) return mask > 3 ? 2 * million : bytes ? 4 * million : 8 * million;
  if (bytes) return mask <= 5 ? 4 * million : mask == 7 ? 8 * million : 16 * million;
  return mask == 3 || mask == 9 ? 10 * million : 24 * million;
}

inline constexpr int short_rows[]{3, 5, 7, 9, 11, 13, 15};
// Groups of 128 elements a warp; blocks a multiprocessor.
inline constexpr int short_row_threads = 256, short_row_groups = 4, short_row_blocks = 4;
inline constexpr int row_threads = 128, row_results = 16;       // of a thread, in a row
inline constexpr int column_threads = 256, column_results = 8;  // of a thread, down a column
// The number of weights that fit next to a tile in the shared memory that a block has by default.
inline constexpr std::uint64_t most_row_weights = 4096;
inline constexpr int any_threads = 256, any_results = 4;  // of a thread, down a column

// The side of the FFT's tiles along one axis: a power of two, at least a minimum and a multiple of the mask; the whole
// line where that is small. And the bytes of tiles that go through cuFFT at a time.
constexpr std::uint64_t cuda_fft_side(std::uint64_t places, std::uint64_t mask, bool row) {
  return (std::min)(std::bit_ceil(places + mask - 1),
                    std::max<std::uint64_t>(row ? 16384 : 512, std::bit_ceil(4 * mask)));
}
inline constexpr std::uint64_t cuda_fft_batch_bytes = std::uint64_t{128} << 20;

}  // namespace upsweep::detail::convolve_impl
