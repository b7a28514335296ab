// How the CUDA convolutions cut their work, on one H200 (README.md tells how it came to this).
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>

namespace upsweep::convolve_room {

// Masks that a walk takes: squares, whole or split, whose width the kernel knows.
inline constexpr int direct_walks[]{3, 5, 7, 9, 11, 13, 15};
inline constexpr int split_walks[]{3, 5, 7, 9, 11, 13, 15};
inline constexpr int tall_walks[]{21, 31};

inline constexpr int walk_warps = 4;     // of a block; each goes its own way
inline constexpr int walk_rows_ahead = 5;  // rows of the input that are on their way to a warp

inline constexpr int tall_warps = 4, tall_rows_ahead = 9, tall_rows_at_once = 4;

inline constexpr int short_rows[]{3, 5, 7, 9, 11, 13, 15};
inline constexpr int short_row_threads = 256, short_row_groups = 4, short_row_blocks = 4;  // groups of 128 elements a warp; blocks a multiprocessor
inline constexpr int row_threads = 128, row_results = 16;     // of a thread, in a row
inline constexpr int column_threads = 256, column_results = 8;  // of a thread, down a column
inline constexpr std::uint64_t most_row_weights = 4096;       // what fits beside a tile in the shared memory a block has without asking
inline constexpr int any_threads = 256, any_results = 4;      // of a thread, down a column

// Tiles of the FFT along one axis: a power of two, so many points at least, and so many masks; the whole line, where that is small. And how many bytes
// of tiles go through cuFFT at a time.
constexpr std::uint64_t cuda_fft_side(std::uint64_t places, std::uint64_t mask, bool row) {
  return std::min(std::bit_ceil(places + mask - 1), std::max<std::uint64_t>(row ? 16384 : 512, std::bit_ceil(4 * mask)));
}
inline constexpr std::uint64_t cuda_fft_batch_bytes = std::uint64_t{128} << 20;

}  // namespace upsweep::convolve_room
