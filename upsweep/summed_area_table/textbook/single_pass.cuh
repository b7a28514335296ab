// integral/single-pass
//
// Source    D. Nehab, A. Maximo, R. Lima, H. Hoppe, GPU-Efficient Recursive Filtering and Summed-Area Tables, 2011, for
//           what tiles hand to each other; the order of waves, in which no tile waits for one behind it, is older than
//           GPUs.
// Teaches   one pass: 2n traffic. A block walks down a strip of columns, a tile at a time, a warp a row and then a
//           thread a column. Above a tile is the block's own last row, in registers. From the left comes one number a
//           row, the row's sum so far, as soon as the strip to the left has scanned that tile's rows: all strips work
//           at once, each a tile behind its neighbour. A strip's number is a ticket, so that whoever is waited for has
//           started.
// Work      129 a warp's scan of 32, and 2 an element for what lies to its left: with the columns 14400 a tile of 8
//           rows and 256 columns. Span 65 a tile, along the way down and across. Launches 2, one to clear the flags.
// Wrong     a picture has few strips, and the last of them starts when the first has scanned as many tiles as there are
//           strips: narrow pictures leave most of a GPU idle.
// Fixed by  the library's integral.
#pragma once

#include "upsweep/cuda/textbook_definitions.cuh"
#include "upsweep/summed_area_table/textbook/sums.hpp"

namespace upsweep::textbook::summed_area_table_variants {

template <class Flag>
__global__ void clear_progress(global<Flag> tiles_done, global<Flag> ticket, std::uint64_t strips) {
  const std::uint64_t i = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < strips) tiles_done[i] = 0;
  if (i == 0) ticket[0] = 0;
}

template <unsigned block, class In, class T, class Add>
__global__ void walk_strips(global<const In> in, std::uint64_t in_pitch, global<T> out, std::uint64_t out_pitch,
                            std::uint64_t width, std::uint64_t height, global<std::uint32_t> tiles_done,
                            global<std::uint32_t> ticket, global<T> row_sums, Add add) {
  constexpr unsigned warps = block / 32;  // rows of a tile; a row has 32 elements a warp, too
  UPSWEEP_SHARED(T, cells, warps * block);
  UPSWEEP_SHARED(std::uint32_t, my_strip, 1);
  const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  if (threadIdx.x == 0) my_strip[0] = atomicAdd(ticket, 1u);  // relaxed: nothing is read by means of it
  __syncthreads();                                            // thread 0 has drawn the ticket
  const std::uint32_t strip = my_strip[0];
  const std::uint64_t x0 = std::uint64_t{strip} * block, x = x0 + threadIdx.x;
  T above = 0;
  std::uint32_t tile = 0;
  for (std::uint64_t y0 = 0; y0 < height; y0 += warps, ++tile) {
    // A warp a row: 32 elements at a time by Kogge and Stone.
    const std::uint64_t y = y0 + warp;
    T own[warps];
    T sum = 0;
#pragma unroll
    for (unsigned k = 0; k < warps; ++k) {
      const std::uint64_t column = x0 + k * 32 + lane;
      own[k] = column < width && y < height ? static_cast<T>(in[y * in_pitch + column]) : T{0};
#pragma unroll
      for (unsigned window = 1; window < 32; window *= 2) {
        const T left = __shfl_up_sync(whole_warp, own[k], window);
        if (lane >= window) own[k] = add(left, own[k]);
      }
      own[k] = add(sum, own[k]);
      sum = __shfl_sync(whole_warp, own[k], 31);
    }
    // The sum to the left of the strip in this row.
    T left = 0;
    if (lane == 0 && y < height) {
      if (strip > 0) {
        while (load_acquire(tiles_done + (strip - 1)) <= tile) {
        }  // acquire: the row sums that it tells of are read after it
        left = row_sums[y];
      }
      row_sums[y] = add(left, sum);
    }
    left = __shfl_sync(whole_warp, left, 0);
#pragma unroll
    for (unsigned k = 0; k < warps; ++k) cells[warp * block + k * 32 + lane] = add(left, own[k]);
    __syncthreads();  // the rows are scanned, and their sums written for the strip to the right
    if (threadIdx.x == 0) store_release(tiles_done + strip, tile + 1);  // release: with it go all the block's row sums
                                                                        // A thread a column.
#pragma unroll
    for (unsigned k = 0; k < warps; ++k) {
      above = add(above, static_cast<T>(cells[k * block + threadIdx.x]));
      if (x < width && y0 + k < height) out[(y0 + k) * out_pitch + x] = above;
    }
    __syncthreads();  // others have read the cells that the next tile's rows are written to
  }
}

template <unsigned block = 256>
struct single_pass : variant_defaults {
  static constexpr std::string_view name = "integral/single-pass";
  static constexpr int year = 2011;
  static constexpr std::string_view source = "Nehab and others";
  static constexpr std::string_view teaches =
      "blocks walk down strips of columns, each a tile behind its left neighbour: one pass, 2n traffic";
  static constexpr std::string_view limits = textbook_limits;
  static constexpr std::uint64_t max_n = 0xffffffff;
  static constexpr auto cannot = variant_cannot;
  static constexpr unsigned warps = block / 32;
  static constexpr unsigned tile_work = warps * warps * (5 * 32 - 31 + 32 + 32) + block * warps;
  static constexpr unsigned tile_chain = warps * 6 + 1 + 2 * warps;
  static constexpr formula work{"at least 14400 a tile of 8 rows and 256 columns",
                                [](double n) { return n / 2 / (warps * block) * tile_work; }};
  static constexpr formula span{"65 a tile on the way down and across",
                                [](double n) { return (n / warps + 3) * tile_chain; }};
  static constexpr formula launches{"2", [](double) { return 2.0; }};
  static constexpr formula traffic{"2n, and 2 a row and strip", [](double n) { return 2 * n + n / block; }};

  template <class In, class T, class Grid, class Add>
  static void run(Grid& grid, global<const In> in, std::uint64_t in_pitch, global<T> out, std::uint64_t out_pitch,
                  extent size, Add add) {
    const std::uint64_t strips = blocks_for(size.x, block);
    global<std::uint32_t> tiles_done = grid.template scratch<std::uint32_t>("tiles done", strips),
                          ticket = grid.template scratch<std::uint32_t>("ticket", 1);
    global<T> row_sums = grid.template scratch<T>("row sums", size.y);
    grid.launch(clear_progress<std::uint32_t>, blocks_for(strips, 256), 256, tiles_done, ticket, strips);
    grid.launch(walk_strips<block, In, T, Add>, strips, block, in, in_pitch, out, out_pitch, size.x, size.y, tiles_done,
                ticket, row_sums, add);
  }
};

}  // namespace upsweep::textbook::summed_area_table_variants
