// select/lookback
//
// Source    D. Merrill and M. Garland, Single-pass Parallel Prefix Scan with Decoupled Look-back, NVIDIA, 2016, of
//           which selection is the first application they name.
// Teaches   one pass: each element is read once, and written once if it is kept. A tile counts what it keeps, makes
//           that known, and looks back over the tiles before it for where to put it, while they do the same. What it
//           keeps is gathered in shared memory first, and goes out side by side.
// Work      n tests; 2120 additions a tile of 2048, and for each tile at least one to look back. Launches 2, one to
//           clear the flags.
// Span      a tile's prefix follows on the one before: 2 a tile, and 34.
// Wrong     it needs blocks that once started make progress; a tile's load, wait and store follow on each other; and
//           small sizes pay for two launches.
// Fixed by  the library's select.
#pragma once

#include "upsweep/scan/textbook/decoupled_lookback.cuh"
#include "upsweep/select/textbook/warp_aggregated.cuh"

namespace upsweep::textbook::select_variants {

template <unsigned block, unsigned items, class T, class Test, class Add>
__global__ void select_one_pass(global<const T> in, global<T> out, global<std::uint64_t> count,
                                global<std::uint32_t> flags, global<std::uint32_t> ticket,
                                global<std::uint32_t> aggregates, global<std::uint32_t> prefixes, std::uint64_t n,
                                Test keeps, Add add) {
  constexpr unsigned warps = block / 32, tile_size = block * items;
  UPSWEEP_SHARED(T, cells, tile_size);
  UPSWEEP_SHARED(std::uint32_t, warp_offsets, warps + 1);  // and what the tile keeps in all
  UPSWEEP_SHARED(std::uint32_t, my_tile, 1);
  UPSWEEP_SHARED(std::uint32_t, before_my_tile, 1);
  const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32, lanes_below = (1u << lane) - 1;
  // Blocks start in no promised order; whoever draws a ticket has started, and so have all with a smaller one.
  if (threadIdx.x == 0) my_tile[0] = atomicAdd(ticket, 1u);
  __syncthreads();  // thread 0 has drawn the ticket
  const std::uint32_t tile = my_tile[0];
  T own[items];
  unsigned kept[items];
  vote(in, std::uint64_t{tile} * tile_size, n, keeps, own, kept);
  const std::uint32_t mine = kept_by_warp(kept, add);
  if (lane == 0) warp_offsets[warp] = mine;
  __syncthreads();  // the first lane of each warp has written its count

  if (warp == 0) {
    std::uint32_t total = 0;
    if (lane == 0) {
      for (unsigned w = 0; w < warps; ++w) {
        const std::uint32_t of_warp = warp_offsets[w];
        warp_offsets[w] = total;
        total = add(total, of_warp);
      }
      warp_offsets[warps] = total;
    }
    std::uint32_t before = 0;
    if (tile > 0) {
      if (lane == 0) {
        aggregates[tile] = total;
        store_release(flags + tile, scan_variants::aggregate_known);  // release: whoever sees the flag sees the count
      }
      before = scan_variants::look_back<std::uint32_t>(flags, aggregates, prefixes, tile, add);
    }
    if (lane == 0) {
      before_my_tile[0] = before;
      const std::uint32_t up_to_here = add(before, total);
      prefixes[tile] = up_to_here;
      store_release(flags + tile, scan_variants::prefix_known);  // release: whoever sees the flag sees the prefix
      if (tile == gridDim.x - 1) count[0] = up_to_here;
    }
  }
  __syncthreads();  // the first warp has found where each warp's and the tile's elements go
  std::uint32_t before = warp_offsets[warp];
#pragma unroll
  for (unsigned k = 0; k < items; ++k) {
    if ((kept[k] >> lane & 1) != 0) cells[before + __popc(kept[k] & lanes_below)] = own[k];
    before = add(before, static_cast<std::uint32_t>(__popc(kept[k])));
  }
  __syncthreads();  // all that the tile keeps lies side by side
  const std::uint32_t total = warp_offsets[warps], to = before_my_tile[0];
  for (unsigned j = threadIdx.x; j < total; j += block) out[to + j] = cells[j];
}

template <unsigned block = 256, unsigned items = 8>
struct lookback : variant_defaults {
  static constexpr std::string_view name = "select/lookback";
  static constexpr int year = 2016;
  static constexpr std::string_view source = "Merrill and Garland";
  static constexpr std::string_view teaches =
      "a tile looks back for where its kept elements go: one pass, each element read once";
  static constexpr std::uint64_t max_n = 0xffffffff;
  static constexpr std::string_view limits =
      "a test of u32, f32 or u64 elements without values; places are counted in 32 bits";
  static constexpr auto cannot = variant_cannot;
  static constexpr unsigned tile = block * items, warps = block / 32;
  static constexpr unsigned tile_work = warps * items + warps + block * items + 1;
  static constexpr formula work{"at least n tests, and 2121 a tile of 2048; timing decides how far tiles look back",
                                [](double n) { return n + ceil_div(n, tile) * tile_work; }};
  static constexpr formula span{"2 a tile and 34",
                                [](double n) { return 3 * items + warps + 2 + 2 * ceil_div(n, tile); }};
  static constexpr formula launches{"2", [](double) { return 2.0; }};
  static constexpr formula traffic{"at least n, and what is kept, and a few a tile",
                                   [](double n) { return n + 4 * ceil_div(n, tile); }};

  template <class T, class Test, class Add, class Grid>
  static void run(Grid& grid, global<const T> in, global<T> out, global<std::uint64_t> count, std::uint64_t n,
                  Test keeps, Add add) {
    const std::uint64_t tiles = blocks_for(n, tile);
    global<std::uint32_t> flags = grid.template scratch<std::uint32_t>("flags", tiles),
                          ticket = grid.template scratch<std::uint32_t>("ticket", 1),
                          aggregates = grid.template scratch<std::uint32_t>("aggregates", tiles),
                          prefixes = grid.template scratch<std::uint32_t>("prefixes", tiles);
    grid.launch(scan_variants::clear_flags<std::uint32_t>, blocks_for(tiles, 256), 256, flags, ticket, tiles);
    grid.launch(select_one_pass<block, items, T, Test, Add>, tiles, block, in, out, count, flags, ticket, aggregates,
                prefixes, n, keeps, add);
  }
};

}  // namespace upsweep::textbook::select_variants
