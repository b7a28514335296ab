// What the CUDA variants of the room are tuned by; one channel of u8 and f32 as measured on one H200 (README.md).
#pragma once

#include <algorithm>

namespace upsweep::integral_room {

// A tile of a table has `warps` warps, each with its own rows of it, and a lane the same neighbouring columns of each row. A lane's elements wait
// in registers, in their own type, until what lies above and to the left of the tile is known: as many rows as leave room for a few
// blocks a multiprocessor, for what a block waits for the others must make up with loads and stores.
struct cuda_table_tile {
  int columns;  // of a lane, whole pixels; its sums are whole vectors of 16 bytes
  int rows;     // of a warp, a power of two
  int blocks;   // a multiprocessor
};

inline constexpr int cuda_table_warps = 8;

// `bytes_of_sum`: of the sums that are made, f64 for all floats.
constexpr cuda_table_tile cuda_table_tuned(int channels, int bytes_in, int bytes_of_sum) {
  const bool narrow = bytes_of_sum == 4;
  if (channels == 3) return {bytes_in == 1 || narrow ? 12 : 6, bytes_in == 1 && !narrow ? 2 : 4, 3};
  if (channels == 1 && bytes_in == 1 && narrow) return {8, 16, 3};
  if (channels == 1 && bytes_in == 4 && !narrow) return {8, 8, 2};
  const int rows = narrow && bytes_in == 1 ? 16 : bytes_in == 8 ? 4 : 8;
  return {4, channels == 4 ? 4 : channels == 2 ? std::min(rows, 8) : rows, narrow ? 4 : 3};
}

// Small pictures: tiles of so many rows a warp, where taller ones would be fewer than so many a multiprocessor.
inline constexpr int cuda_low_table_rows = 4, cuda_tall_table_tiles_from = 1;

inline constexpr int cuda_box_threads = 256, cuda_rectangle_threads = 256;

}  // namespace upsweep::integral_room
