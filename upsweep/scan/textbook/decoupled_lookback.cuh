// scan/decoupled-lookback
//
// Source    D. Merrill and M. Garland, Single-pass Parallel Prefix Scan with Decoupled Look-back, NVIDIA, 2016.
// Teaches   one pass: 2n traffic. A tile's block makes its own sum known at once (aggregate), and then looks back:
//           over tiles of which only the aggregate is known, to the nearest that knows the sum of all up to itself
//           (prefix). It never waits for a neighbour to finish, only for aggregates, which need no one else. A tile's
//           number is a ticket, so that whoever is looked back at has started.
// Work      18·block + 1377 a tile, and for each tile one application for every aggregate looked back over. Launches
//           2, one to clear the flags.
// Span      a tile's prefix follows on the one before: tiles + 24. No block waits that long, since aggregates are
//           folded meanwhile.
// Wrong     it needs blocks that once started make progress; each tile's load, wait and store follow on each other,
//           so bandwidth is lost unless many blocks are resident; and small sizes pay for two launches.
// Fixed by  the library's scan.
// Differs   the paper folds the window of aggregates as a tree, so that a float's result depends on timing. Here it
//           is folded from the prefix on, left to right: whatever tile the look-back ends at, the grouping is the
//           same, and results repeat bit for bit.
#pragma once

#include "upsweep/scan/textbook/scan_tile.cuh"

namespace upsweep::textbook::scan_variants {

inline constexpr std::uint32_t nothing_known = 0, aggregate_known = 1, prefix_known = 2;

template <class Flag>
__global__ void clear_flags(global<Flag> flags, global<Flag> ticket, std::uint64_t tiles) {
  const std::uint64_t i = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < tiles) flags[i] = nothing_known;
  if (i == 0) ticket[0] = 0;
}

// By one warp: the sum of all tiles before `tile`, in lane 0.
template <class T, class Op>
__device__ T look_back(global<std::uint32_t> flags, global<const T> aggregates, global<const T> prefixes,
                       std::uint32_t tile, Op op) {
  const unsigned lane = threadIdx.x % 32;
  // Backward, 32 tiles at a time, lane 0 on the nearest: where is a prefix known? Tile 0 always knows its own.
  std::uint32_t nearest = tile;  // one past the tile that lane 0 looks at
  unsigned knowing = 0;
  for (;;) {
    std::uint32_t flag = prefix_known;  // before tile 0 there is nothing to wait for
    if (lane < nearest) {
      do {
        flag = load_acquire(flags + (nearest - 1 - lane));  // acquire: the data behind the flag is read after it
      } while (flag == nothing_known);
    }
    knowing = __ballot_sync(whole_warp, flag == prefix_known);
    if (knowing != 0) break;
    nearest -= 32;
  }
  const std::uint32_t known = nearest - 1 - static_cast<std::uint32_t>(__ffs(static_cast<int>(knowing)) - 1);
  __syncwarp();  // the lanes' acquires come before all that any lane reads below

  // Forward from there, each lane bringing one aggregate, lane 0 folding them in order.
  T sum = prefixes[known];
  for (std::uint32_t first = known + 1; first < tile; first += 32) {
    const T mine = first + lane < tile ? aggregates[first + lane] : identity_of<T>(op);
    const unsigned count = tile - first < 32 ? tile - first : 32;
    for (unsigned from = 0; from < count; ++from) {
      const T next = __shfl_sync(whole_warp, mine, from);
      if (lane == 0) sum = op(sum, next);
    }
  }
  return sum;
}

template <unsigned block, unsigned items, class T, class Op>
__global__ void scan_decoupled_lookback(global<const T> in, global<T> out, global<std::uint32_t> flags,
                                        global<std::uint32_t> ticket, global<T> aggregates, global<T> prefixes,
                                        std::uint64_t n, bool inclusive, Op op) {
  constexpr unsigned warps = block / 32;
  UPSWEEP_SHARED(T, cells, block * items);
  UPSWEEP_SHARED(T, warp_totals, warps);
  UPSWEEP_SHARED(std::uint32_t, my_tile, 1);
  UPSWEEP_SHARED(T, before_my_tile, 1);
  // Blocks start in no promised order; the ticket makes the tile numbers follow it. Relaxed: nothing else is read by
  // means of it.
  if (threadIdx.x == 0) my_tile[0] = atomicAdd(ticket, 1u);
  __syncthreads();  // thread 0 has drawn the ticket
  const std::uint32_t tile = my_tile[0];
  const std::uint64_t first = std::uint64_t{tile} * block * items;

  load_tile<block, items>(cells, in, first, n, op);
  __syncthreads();  // others have loaded this thread's own elements
  T own[items];
  take_own(cells, own);
  const T before = scan_threads<block>(warp_totals, sum_of_own(own, op), op);

  if (threadIdx.x < 32) {
    T total = warp_totals[warps - 1];
    if (tile > 0) {
      if (threadIdx.x == 0) {
        aggregates[tile] = total;
        store_release(flags + tile, aggregate_known);  // release: whoever sees the flag sees the aggregate
      }
      const T sum = look_back<T>(flags, aggregates, prefixes, tile, op);
      if (threadIdx.x == 0) {
        before_my_tile[0] = sum;
        total = op(sum, total);
      }
    } else if (threadIdx.x == 0) {
      before_my_tile[0] = identity_of<T>(op);
    }
    if (threadIdx.x == 0) {
      prefixes[tile] = total;
      store_release(flags + tile, prefix_known);  // release: whoever sees the flag sees the prefix
    }
  }
  __syncthreads();  // thread 0 has written the sum of all tiles before this one
  scan_own(cells, own, op(before_my_tile[0], before), inclusive, op);
  __syncthreads();  // others have scanned what this thread stores
  store_tile<block, items>(cells, out, first, n);
}

template <unsigned block = 256, unsigned items = 9>
struct decoupled_lookback : variant_defaults {
  static constexpr std::string_view name = "scan/decoupled-lookback";
  static constexpr int year = 2016;
  static constexpr std::string_view source = "Merrill and Garland";
  static constexpr std::string_view teaches =
      "a tile's block looks back over its predecessors' sums while they work: one pass, 2n traffic";
  static constexpr unsigned tile = block * items;
  static constexpr std::uint64_t max_n = most_blocks * tile;
  static constexpr unsigned tile_work = block * (2 * items - 1) + scan_threads_work<block> + block;
  static constexpr formula work{"at least 5985 a tile of 2304 and 1 a tile; timing decides how far tiles look back",
                                [](double n) { return ceil_div(n, tile) * (tile_work + 1) - 1; }};
  static constexpr formula span{"tiles + 24", [](double n) {
                                  const double tiles = ceil_div(n, tile), to_sum = chain_to_sum<block, items>,
                                               to_thread = chain_to_thread<block, items>;
                                  const double to_prefix = tiles > 1 ? to_sum + tiles - 1 : 0;  // of the last tile
                                  return std::max(to_prefix,
                                                  std::max(tiles > 1 ? to_prefix - 1 : 0, to_thread) + 1 + items);
                                }};
  static constexpr formula launches{"2", [](double) { return 2.0; }};
  static constexpr formula traffic{"2n, and a few a tile", [](double n) { return 2 * n + 4 * ceil_div(n, tile); }};

  template <class T, class Op, class Grid>
  static void run(Grid& grid, global<const T> in, global<T> out, std::uint64_t n, Op op, bool inclusive) {
    const std::uint64_t tiles = blocks_for(n, tile);
    global<std::uint32_t> flags = grid.template scratch<std::uint32_t>("flags", tiles),
                          ticket = grid.template scratch<std::uint32_t>("ticket", 1);
    global<T> aggregates = grid.template scratch<T>("aggregates", tiles),
              prefixes = grid.template scratch<T>("prefixes", tiles);
    grid.launch(clear_flags<std::uint32_t>, blocks_for(tiles, 256), 256, flags, ticket, tiles);
    grid.launch(scan_decoupled_lookback<block, items, T, Op>, tiles, block, in, out, flags, ticket, aggregates,
                prefixes, n, inclusive, op);
  }
};

}  // namespace upsweep::textbook::scan_variants
