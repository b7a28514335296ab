// How the CUDA passes by key and by segment cut their work.
#pragma once

#include <cstdint>

#include "upsweep/select/cuda/tuning.hpp"

namespace upsweep {

// `Bytes`: of an element, its key and its value; `Largest`: of the two. No more than 32 elements a thread, whose heads
// are the bits of one word. One large block a multiprocessor: adding up what other tiles say costs more here than in
// select, so there should be few of them. Where a block has less shared memory than that, select's small ring.
template <int Bytes, int Largest>
struct by_key_tuning : select_tuning<Bytes, Largest, 28> {
  using ring_fit = tile_fitting<Bytes, Largest, 52 << 10, 28, 512>;
  using ring = tile_shape<ring_fit::threads, ring_fit::items, 4, 2, 1>;
};

// By segment: how blocks share the work. Measured on one H200, from 2^10 to 2^26 elements.
struct segment_tuning {
  // Segments and elements in a block's share: as many as give every multiprocessor so many blocks, within these bounds.
  std::uint32_t least_share = 1024, most_bytes = 128 << 10, blocks_a_multiprocessor = 4;
  std::uint32_t longest = 2;             // shares: a longer segment is cut
  std::uint64_t ahead_bytes = 32 << 20;  // arrays that are asked for in advance
  std::uint32_t by_number = 1 << 18;     // up to so many values reductions look for no shares
  std::uint32_t staged_mean = 384;       // up to this mean length a scan goes by way of shared memory
};

// Which scans by segment go by bits and the ring of tiles: of many elements, and of not so few in long segments.
// Measured on one H200: up to 2^14 the others are faster whatever the segments are; at 2^16 where these are alike twice
// as fast, but slower where the longest stand together.
constexpr bool scans_by_bits(std::uint64_t n, std::uint64_t segments) {
  return n > 1 << 15 || (n > 1 << 14 && n > 2048 * segments);
}

}  // namespace upsweep
