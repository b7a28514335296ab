// A warp ranks its keys by a digit of eight bits at once, as radix-reduce-then-scan and onesweep use it: lanes with the
// same digit find each other by a match, and count themselves from the lowest lane up. The order is kept.
#pragma once

#include "upsweep/cuda/textbook_definitions.cuh"
#include "upsweep/sort/textbook/sort_textbook_keys.hpp"

namespace upsweep::textbook::sort_variants {

inline constexpr unsigned digits_of_8 = 256;  // values of a digit of 8 bits

// A warp's keys lie side by side in the tile; lane l has every 32nd of them, from the l-th on.
template <unsigned items>
__device__ unsigned place_in_tile(unsigned k) {
  return threadIdx.x / 32 * items * 32 + k * 32 + threadIdx.x % 32;
}

// rank[k] = how many keys of the same digit stand before key k in the warp; afterwards, the warp's own counts say how
// many it has of each digit. They are zero at first. A key past the end has the digit `digits_of_8`.
template <unsigned items, class Counts>
__device__ void rank_in_warp(Counts& warp_counts, const unsigned (&digit)[items], std::uint32_t (&rank)[items]) {
  const unsigned warp = threadIdx.x / 32, lanes_below = (1u << threadIdx.x % 32) - 1;
#pragma unroll
  for (unsigned k = 0; k < items; ++k) {
    const unsigned peers = __match_any_sync(whole_warp, digit[k]);
    const unsigned before = __popc(peers & lanes_below);
    if (digit[k] < digits_of_8) rank[k] = warp_counts[warp * digits_of_8 + digit[k]] + before;
    __syncwarp();  // all peers have read the count before the first of them raises it
    if (digit[k] < digits_of_8 && before == 0) warp_counts[warp * digits_of_8 + digit[k]] = rank[k] + __popc(peers);
    __syncwarp();  // it is raised before anybody reads it for the next key
  }
}

// Turns the warps' counts of one digit into how many keys of that digit the warps before have, and returns the sum: as
// many additions as there are warps.
template <unsigned warps, class Counts, class Add>
__device__ std::uint32_t scan_over_warps(Counts& warp_counts, unsigned digit, Add add) {
  std::uint32_t sum = 0;
  for (unsigned warp = 0; warp < warps; ++warp) {
    const std::uint32_t count = warp_counts[warp * digits_of_8 + digit];
    warp_counts[warp * digits_of_8 + digit] = sum;
    sum = add(sum, count);
  }
  return sum;
}

}  // namespace upsweep::textbook::sort_variants
