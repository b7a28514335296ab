// The partition of work in the CUDA passes by key and by segment.
#pragma once

#include <algorithm>
#include <cstdint>

#include "upsweep/select/cuda/select_cuda_tuning.hpp"

namespace upsweep {

// `Bytes`: of an element, its key and its value; `Largest`: the larger of the two. At most 32 elements a thread,
// whose heads are the bits of one word. One large block a multiprocessor: adding up other tiles' values costs more
// here than in select, so there should be few tiles. Blocks with less shared memory than that use select's small
// ring.
template <int Bytes, int Largest>
struct by_key_tuning : select_tuning<Bytes, Largest, 28> {
  using ring_fit = tile_fitting<Bytes, Largest, 52 << 10, 28, 512>;
  using ring = tile_shape<ring_fit::threads, ring_fit::items, 4, 2, 1>;
};

// By segment: the partition of work into blocks. Measured on one H200, from 2^10 to 2^26 elements.
struct segment_tuning {
  // Segments and elements in a block's share: enough blocks for every multiprocessor, within these bounds.
  std::uint32_t least_share = 1024, most_bytes = 128 << 10, blocks_a_multiprocessor = 4;
  std::uint32_t longest = 2;             // shares: a longer segment is cut
  std::uint64_t ahead_bytes = 32 << 20;  // arrays that are prefetched
  std::uint32_t by_number = 1 << 18;     // up to so many values reductions look for no shares
  // Of these, where they are more than so many of no more than this mean length, a few lanes take each segment.
  std::uint32_t most_of_few = 1 << 11, lanes_mean = 256;
  std::uint32_t staged_mean = 384;  // up to this mean length a scan goes by way of shared memory
};

// By segment with a tile a block (segmented_scan_tiles.cuh). Rows: of 512 bytes a warp, a piece of 16 a lane.
template <int Threads, int Rows, int Blocks>
struct segment_tile {
  static constexpr int threads = Threads, rows = Rows, blocks = Blocks, warps = Threads / 32;
};

template <int Bytes>
struct segment_tiles_tuning {
  // Elements in a piece; of small ones at most as many pieces as give every lane a word of heads.
  static constexpr int per = Bytes <= 16 && 16 % Bytes == 0 ? 16 / Bytes : 1, most_rows = 32 / per;
  using small = segment_tile<256, (std::min)(2, most_rows), 4>;
  using large = segment_tile<256, (std::min)(4, most_rows), Bytes <= 4 ? 4 : 3>;
  // Shapes for tiles that wait for no other: for short segments or very few elements, and for all others.
  using short_alone = segment_tile<128, 1, 4>;
  using alone = segment_tile<256, 1, 4>;
  static constexpr std::uint64_t small_bytes = 2 << 20;
};

// The kernel for a scan by segment. Measured on one H100, u32.
enum class by_segment : std::uint8_t { by_number, by_tiles, by_bits };
// A tile's block reads all the offsets that point into it. If there are nearly as many segments as elements, or more,
// these might be nearly all offsets.
constexpr bool fit_for_tiles(std::uint64_t n, std::uint64_t segments) { return segments <= n / 8; }

// A tile that waits for no other reads the part of its segment before the tile again. The longer that part may be,
// the smaller the input must be.
constexpr bool fit_for_tiles_alone(std::uint64_t n, std::uint64_t segments, std::uint64_t bytes) {
  const std::uint64_t all = n * bytes;
  return fit_for_tiles(n, segments) && (all <= 64 << 10 || (all <= 256 << 10 && all <= segments * (40 << 10)) ||
                                        (all <= 512 << 10 && all <= segments * (1 << 10)));
}

constexpr bool fit_for_short_tiles(std::uint64_t n, std::uint64_t segments, std::uint64_t bytes) {
  return n * bytes <= 16 << 10 || n * bytes <= segments * (1 << 10);
}

constexpr by_segment scan_by_segment(std::uint64_t n, std::uint64_t segments, std::uint64_t bytes) {
  constexpr std::uint64_t most_bytes = 16 << 20;
  if (n <= 1 << 15 && (n <= 384 * segments || n <= 1 << 12)) return by_segment::by_number;
  return n * bytes <= most_bytes && fit_for_tiles(n, segments) ? by_segment::by_tiles : by_segment::by_bits;
}
}  // namespace upsweep
