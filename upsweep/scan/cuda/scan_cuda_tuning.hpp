// Tuning parameters of the CUDA scan: how it partitions its work. A shape is a set of numbers that the kernels take as
// a template parameter.
#pragma once

#include <algorithm>

#include "upsweep/cuda/shared_limits.hpp"

namespace upsweep {

// One tile of the look-ahead scan. Items per thread: an odd number of 16-byte pieces, so that reading them from shared
// memory has no bank conflicts. Stages: the number of tiles of one block that are loading, folded, being scanned or
// draining at once. FoldAhead: the number of rounds from the fold of a tile to its scan. The larger it is, the later a
// slow block delays the others. The remaining stages, except the one that drains, are loading, and must cover the
// latency of memory.
template <int Threads, int Items, int Stages, int FoldAhead, int BlocksPerMultiprocessor>
struct scan_shape {
  static_assert(FoldAhead >= 1 && Stages >= FoldAhead + 2);
  static constexpr int fold_ahead = FoldAhead;
  static constexpr int threads = Threads;
  static constexpr int items = Items;
  static constexpr int stages = Stages;
  static constexpr int blocks = BlocksPerMultiprocessor;
  static constexpr int tile = Threads * Items;
};

// The shared memory of the ring: the tiles, the values stored per tile, the warps' prefixes, and `held_bytes` of the
// work.
template <class Shape>
constexpr std::uint64_t ring_bytes(std::uint64_t tile_bytes, std::uint64_t value_bytes, std::uint64_t held_bytes = 1) {
  constexpr std::uint64_t warps = Shape::threads / 32, line = 128;
  const std::uint64_t values = (2 + Shape::stages) * warps + 2;
  return (Shape::stages * (tile_bytes + 16) + values * value_bytes + held_bytes + line - 1) / line * line;
}

// Larger elements do not go through shared memory, which cannot hold five tiles of 512 of them.
inline constexpr int scan_largest_in_tiles = 64;

// The kernel for each size, tuned on one H200 against CUB 3.0.1, cold, with u32, f32 and u64 sums (README.md documents
// the steps). Sizes are in bytes, so that they serve elements of any size. The items of a thread come in 16-byte
// pieces.
template <int ElementBytes>
struct scan_tuning {
  static constexpr int per_piece = ElementBytes <= 16 && 16 % ElementBytes == 0 ? 16 / ElementBytes : 1;

  // One block processes all of the input.
  static constexpr int one_block_threads = 1024;
  static constexpr int one_block_items = per_piece;
  static constexpr int one_block_bytes = 8 << 10;

  // One tile per block, all at once, if the device can hold them together.
  static constexpr int tile_threads = 512;
  static constexpr int small_tile_items = per_piece;
  static constexpr int small_tile_bytes = 2 << 20;

  // One tile per block in rows of a warp, 512 bytes each: larger tiles, and for wide elements from small sizes on.
  static constexpr int row_threads = 256, row_blocks = 4;
  static constexpr int rows = ElementBytes > 4 ? 4 : (std::min)(8, 32 / per_piece);
  static constexpr int rows_bytes = 16 << 20;
  static constexpr bool small_by_rows = ElementBytes > 4;

  // The ring. The first shape fills sooner, the second has more throughput.
  using middle = scan_shape<384, 7 * per_piece, 5, 2, 1>;
  static constexpr int middle_bytes = 24 << 20;
  using large = scan_shape<768, 3 * per_piece, 6, 3, 1>;
  // For blocks with less shared memory than that: 30 KB. A multiprocessor of Turing holds two such blocks, one of
  // Ampere three to five. Tiles are folded two rounds ahead, because one round was slow. Not timed.
  using small = scan_shape<160, 3 * per_piece, 4, 2, 3>;
  // Elements of more than 16 bytes, or of an odd size.
  using any_size = scan_shape<128, 4, 5, 2, 1>;
};

}  // namespace upsweep
