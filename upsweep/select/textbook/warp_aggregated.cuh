// select/warp-aggregated
//
// Source    A. Adinets, Optimized Filtering with Warp-Aggregated Atomics, NVIDIA, 2014.
// Teaches   a ballot is 32 flags in a word, and counting the bits below a lane's own is the scan of them. One lane
//           speaks for its warp: 32 elements cost one vote and one addition. No flags lie in memory; blocks are
//           counted, their counts scanned, and each block puts what it keeps behind what the blocks before it keep.
// Work      2n tests; 2192 additions a tile of 2048, and the scan of one count a tile. Launches 3 to 5.
// Span      56 and the scan.
// Wrong     the elements are read and tested twice, with the whole of the first reading before the second. What a warp
//           keeps goes out in stores of its own, to some place off the sectors' borders.
// Fixed by  select/lookback: one pass.
// Differs   the source's warps draw their places from one counter by an atomic, in whatever order they come. A
//           selection keeps the order; so here the counts of blocks are scanned instead.
#pragma once

#include "upsweep/scan/textbook/scan_of_counts.cuh"
#include "upsweep/select/textbook/select_predicates.hpp"

namespace upsweep::textbook::select_variants {

// A warp's elements lie side by side in the tile, `items` for each lane; lane l has every 32nd of them.
template <unsigned items>
__device__ unsigned place_in_tile(unsigned k) {
  return threadIdx.x / 32 * items * 32 + k * 32 + threadIdx.x % 32;
}

// The warp's k-th 32 elements: those that pass, as a bit each.
template <unsigned items, class T, class Test>
__device__ void vote(global<const T> in, std::uint64_t first, std::uint64_t n, Test keeps, T (&own)[items],
                     unsigned (&kept)[items]) {
#pragma unroll
  for (unsigned k = 0; k < items; ++k) {
    const std::uint64_t i = first + place_in_tile<items>(k);
    if (i < n) own[k] = in[i];
    kept[k] = __ballot_sync(whole_warp, i < n && keeps(own[k]));
  }
}

// How many a warp keeps, in its first lane: an addition for each vote.
template <unsigned items, class Add>
__device__ std::uint32_t kept_by_warp(const unsigned (&kept)[items], Add add) {
  std::uint32_t sum = 0;
  if (threadIdx.x % 32 != 0) return sum;
#pragma unroll
  for (unsigned k = 0; k < items; ++k) sum = add(sum, static_cast<std::uint32_t>(__popc(kept[k])));
  return sum;
}

template <unsigned block, unsigned items, class T, class Test, class Add>
__global__ void count_kept(global<const T> in, global<std::uint32_t> counts, std::uint64_t n, Test keeps, Add add) {
  constexpr unsigned warps = block / 32;
  UPSWEEP_SHARED(std::uint32_t, warp_counts, warps);
  T own[items];
  unsigned kept[items];
  vote(in, std::uint64_t{blockIdx.x} * block * items, n, keeps, own, kept);
  const std::uint32_t mine = kept_by_warp(kept, add);
  if (threadIdx.x % 32 == 0) warp_counts[threadIdx.x / 32] = mine;
  __syncthreads();  // the first lane of each warp has written its count
  if (threadIdx.x == 0) {
    std::uint32_t sum = 0;
    for (unsigned w = 0; w < warps; ++w) sum = add(sum, warp_counts[w]);
    counts[blockIdx.x] = sum;
  }
}

// `offsets` is the scan of the counts.
template <unsigned block, unsigned items, class T, class Test, class Add>
__global__ void place_kept(global<const T> in, global<T> out, global<std::uint64_t> count,
                           global<const std::uint32_t> offsets, std::uint64_t n, Test keeps, Add add) {
  constexpr unsigned warps = block / 32;
  UPSWEEP_SHARED(std::uint32_t, warp_offsets, warps);
  const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32, lanes_below = (1u << lane) - 1;
  T own[items];
  unsigned kept[items];
  vote(in, std::uint64_t{blockIdx.x} * block * items, n, keeps, own, kept);
  const std::uint32_t mine = kept_by_warp(kept, add);
  if (lane == 0) warp_offsets[warp] = mine;
  __syncthreads();  // the first lane of each warp has written its count
  if (threadIdx.x == 0) {
    std::uint32_t sum = offsets[blockIdx.x];
    for (unsigned w = 0; w < warps; ++w) {
      const std::uint32_t of_warp = warp_offsets[w];
      warp_offsets[w] = sum;
      sum = add(sum, of_warp);
    }
    if (blockIdx.x == gridDim.x - 1) count[0] = sum;
  }
  __syncthreads();  // thread 0 has turned counts into offsets
  std::uint32_t before = warp_offsets[warp];
#pragma unroll
  for (unsigned k = 0; k < items; ++k) {
    if ((kept[k] >> lane & 1) != 0) out[before + __popc(kept[k] & lanes_below)] = own[k];
    before = add(before, static_cast<std::uint32_t>(__popc(kept[k])));
  }
}

template <unsigned block = 256, unsigned items = 8>
struct warp_aggregated : variant_defaults {
  static constexpr std::string_view name = "select/warp-aggregated";
  static constexpr int year = 2014;
  static constexpr std::string_view source = "Adinets";
  static constexpr std::string_view teaches =
      "a ballot is 32 flags, and counting its lower bits is their scan: only counts of blocks go through memory";
  static constexpr std::uint64_t max_n = 0xffffffff;
  static constexpr std::string_view limits =
      "a test of u32, f32 or u64 elements without values; places are counted in 32 bits";
  static constexpr auto cannot = variant_cannot;
  using scan = scan_variants::scan_of_counts<block>;
  static constexpr unsigned tile = block * items, warps = block / 32;
  static constexpr unsigned tile_work = 2 * warps * items + 2 * warps + block * items;
  static constexpr formula work{"2n tests, 2192 a tile of 2048 and a scan of one a tile", [](double n) {
                                  const double tiles = ceil_div(n, tile);
                                  return 2 * n + tiles * tile_work + scan::work(tiles);
                                }};
  static constexpr formula span{"56 and the scan",
                                [](double n) { return 5 * items + 2 * warps + scan::steps(ceil_div(n, tile)); }};
  static constexpr formula launches{"3 or 5", [](double n) { return 2 + scan::launches(ceil_div(n, tile)); }};
  static constexpr formula traffic{"at most 3n, 2 a tile and the scan", [](double n) {
                                     const double tiles = ceil_div(n, tile);
                                     return 3 * n + 2 * tiles + 1 + scan::traffic(tiles);
                                   }};

  template <class T, class Test, class Add, class Grid>
  static void run(Grid& grid, global<const T> in, global<T> out, global<std::uint64_t> count, std::uint64_t n,
                  Test keeps, Add add) {
    const std::uint64_t tiles = blocks_for(n, tile);
    global<std::uint32_t> counts = grid.template scratch<std::uint32_t>("counts", tiles),
                          offsets = grid.template scratch<std::uint32_t>("offsets", tiles);
    grid.launch(count_kept<block, items, T, Test, Add>, tiles, block, in, counts, n, keeps, add);
    scan::run(grid, counts, offsets, tiles, add);
    grid.launch(place_kept<block, items, T, Test, Add>, tiles, block, in, out, count, offsets, n, keeps, add);
  }
};

}  // namespace upsweep::textbook::select_variants
