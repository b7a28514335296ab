// Tables of pictures of one channel that are so small that all tiles fit on the GPU at once: a tile stays in registers.
//
// Each tile becomes a table of its own. It publishes its last row and its last column. Then it adds the published rows,
// columns and corners of the tiles above it, to the left of it, and above and to the left of those. It reads all of
// them directly, many in flight together, so a tile waits once. That is work for every pair of tiles, so pictures must
// be small. The code runs once after it is fetched, so there is little of it.
//
// A tile waits only for tiles before it, in the order in which blocks take their tickets.
#pragma once

#include "upsweep/cuda/tile_state.cuh"
#include "upsweep/summed_area_table/cuda/summed_area_table_cuda_tuning.hpp"
#include "upsweep/summed_area_table/cuda/summed_area_table_row_piece.cuh"
#include "upsweep/summed_area_table/summed_area_table_box.hpp"
#include "upsweep/summed_area_table/summed_area_table_problem.hpp"

namespace upsweep::cuda {

template <int warps_>
struct small_tile {
  static constexpr int warps = warps_, threads = warps * warp_size, rows = 4, columns = 4;  // of a warp, of a lane
  static constexpr int width = columns * warp_size, height = rows * warps;
  static constexpr int left_behind = width + height;  // the last row, then the last column
  // Threads that look at the tiles to the left, at those above and to the left; and at each column of those above.
  static constexpr int row_threads = height, corner_threads = threads - row_threads, column_threads = threads / width;
  static_assert(row_threads % warp_size == 0);
};

template <class In, class Out>
struct small_table_arguments {
  const In* in;
  Out* out;
  std::int64_t in_pitch, out_pitch;
  int row, height, across, down;  // of the picture; in tiles
  bool vectors_in, vectors_out;
  widening<In> widen;
  launch_control* control;
  tagged_words words;
};

template <int warps, class In, class Out>
__global__ void __launch_bounds__(small_tile<warps>::threads)
    make_small_table(const __grid_constant__ small_table_arguments<In, Out> a) {
  using tile = small_tile<warps>;
  using Sum = detail::summed_area_table_impl::sum_type<In, Out>;
  using Near = std::conditional_t<std::is_integral_v<In> && sizeof(In) <= 2, std::uint32_t, Sum>;
  constexpr int rows = tile::rows, columns = tile::columns;
  alignas(16) __shared__ Near last_rows[tile::warps][tile::width];
  __shared__ Sum above[tile::column_threads][tile::width], left[tile::height], corners[tile::warps];
  __shared__ unsigned ticket, epoch;
  const int thread = static_cast<int>(threadIdx.x), lane = thread % warp_size, warp = thread / warp_size;
  if (thread == 0) {
    epoch = a.control->this_epoch();
    ticket = static_cast<unsigned>(atomicAdd(&a.control->ticket, 1ull));  // relaxed: nothing is read by means of it
  }
  // The ticket's tile; it is most often the one that has the block's own number, which need not wait for the ticket.
  row_piece<In, columns> piece[rows];
  unsigned mine = blockIdx.x;
  int tile_x, tile_y, x, y;
  for (bool known = false;;) {
    tile_x = static_cast<int>(mine) % a.across, tile_y = static_cast<int>(mine) / a.across;
    x = tile_x * tile::width + columns * lane, y = tile_y * tile::height + rows * warp;
    const In* from = a.in + y * a.in_pitch + x;
#pragma unroll
    for (int r = 0; r < rows; ++r, from += a.in_pitch) {
      const int count = y + r < a.height ? max(0, min(columns, a.row - x)) : 0;
      if (a.vectors_in && count == columns)
        piece[r].template read_vectors<true>(from);
      else
        piece[r].read(from, count);
    }
    if (known) break;
    __syncthreads();  // the ticket has been drawn
    if (mine == ticket) break;
    mine = ticket, known = true;
  }

  Near table[rows][columns];
#pragma unroll
  for (int r = 0; r < rows; ++r) {
    Near sum[1] = {};
    sums_in_piece(piece[r], a.widen, sum, table[r]);
    const Near up_to_here = warp_inclusive_scan(table[r][columns - 1], lane, plus{}),
               neighbour = shuffle_up(up_to_here, 1);
    const Near before = lane == 0 ? Near{} : neighbour;
#pragma unroll
    for (int e = 0; e < columns; ++e) {
      table[r][e] += before;
      if (r > 0) table[r][e] += table[r - 1][e];
    }
  }
#pragma unroll
  for (int e = 0; e < columns; ++e) last_rows[warp][columns * lane + e] = table[rows - 1][e];
  __syncthreads();  // the warps' last rows are written
  Near of_warps[columns] = {};
#pragma unroll 1
  for (int w = 0; w < warp; ++w)
#pragma unroll
    for (int e = 0; e < columns; ++e) of_warps[e] += last_rows[w][columns * lane + e];
#pragma unroll
  for (int r = 0; r < rows; ++r)
#pragma unroll
    for (int e = 0; e < columns; ++e) table[r][e] += of_warps[e];

  const std::uint64_t to = std::uint64_t{mine} * tile::left_behind;
  if (warp == tile::warps - 1)
#pragma unroll
    for (int e = 0; e < columns; ++e) a.words.store(to + columns * lane + e, epoch, table[rows - 1][e]);
  if (lane == warp_size - 1)
#pragma unroll
    for (int r = 0; r < rows; ++r) a.words.store(to + tile::width + rows * warp + r, epoch, table[r][columns - 1]);

  // Adds up everything before the tile; each thread adds some of it in order. First a column of the tiles above, by two
  // threads or more. Then the first warps add a row of the tiles to the left, and the other warps the last places of
  // the tiles above and to the left.
  constexpr int row_warps = tile::row_threads / warp_size;
#pragma unroll 1
  for (int turn = 0; turn < 2; ++turn) {
    int tile_of = tile_x, place = thread % tile::width, step = tile::column_threads * a.across, count = 0;
    if (turn == 0) {
      const int part = thread / tile::width;
      tile_of += part * a.across, count = (tile_y + tile::column_threads - 1 - part) / tile::column_threads;
    } else if (warp < row_warps) {
      tile_of = tile_y * a.across, place = tile::width + thread, step = 1, count = tile_x;
    } else if (tile_x > 0) {
      const int others = thread - tile::row_threads, high = tile::corner_threads / tile_x, first = others / tile_x;
      tile_of = first * a.across + others % tile_x, place = tile::left_behind - 1, step = high * a.across;
      count = first < high ? (tile_y - first + high - 1) / high : 0;
    }
    constexpr int some = 8;  // under way together
    Sum sum{};
#pragma unroll 1
    for (int i = 0; i < count; i += some) {
      Near seen[some] = {};
      bool all;
      do {
        all = true;
#pragma unroll
        for (int k = 0; k < some; ++k) {  // no branch: they are under way together
          const auto of = static_cast<std::uint64_t>(tile_of + min(i + k, count - 1) * step);
          all &= a.words.try_load(of * tile::left_behind + place, epoch, seen[k]);
        }
      } while (!all);
#pragma unroll
      for (int k = 0; k < some; ++k)
        if (i + k < count) sum += seen[k];
    }
    if (turn == 0) {
      above[thread / tile::width][place] = sum;
    } else if (warp < row_warps) {
      left[thread] = sum;
    } else {
      sum = warp_reduce(sum, plus{});
      if (lane == 0) corners[warp] = sum;
    }
  }
  __syncthreads();  // all sums before the tile are complete, and all reads have finished
  if (thread == 0) a.control->leave(gridDim.x, epoch, a.words);
  if (x >= a.row) return;
  Sum corner{};
#pragma unroll
  for (int w = row_warps; w < tile::warps; ++w) corner += corners[w];
  Out* out = a.out + y * a.out_pitch + x;
#pragma unroll
  for (int r = 0; r < rows; ++r, out += a.out_pitch) {
    if (y + r >= a.height) return;
    const Sum beside = corner + left[rows * warp + r];
    Out made[columns];
#pragma unroll
    for (int e = 0; e < columns; ++e) {
      Sum all = above[0][columns * lane + e];
#pragma unroll
      for (int k = 1; k < tile::column_threads; ++k) all += above[k][columns * lane + e];
      made[e] = static_cast<Out>((table[r][e] + beside) + all);
    }
    if (a.vectors_out && x + columns <= a.row) {
      write_vectors(out, made);
    } else {
#pragma unroll
      for (int e = 0; e < columns; ++e)
        if (x + e < a.row) out[e] = made[e];
    }
  }
}

template <int warps, class In, class Out>
void make_small_table_of(device& d, const detail::summed_area_table_impl::problem& p) {
  using tile = small_tile<warps>;
  using Sum = detail::summed_area_table_impl::sum_type<In, Out>;
  const std::uint64_t across = (p.size.x + tile::width - 1) / tile::width,
                      down = (p.size.y + tile::height - 1) / tile::height;
  small_table_arguments<In, Out> a{p.in.as<const In>(), p.out.as<Out>(), static_cast<std::int64_t>(p.pitch),
                                   static_cast<std::int64_t>(p.out_pitch)};
  a.row = static_cast<int>(p.size.x), a.height = static_cast<int>(p.size.y);
  a.across = static_cast<int>(across), a.down = static_cast<int>(down);
  const auto whole_vectors = [](const void* base, std::uint64_t pitch_bytes, std::uint64_t vector_bytes) {
    return reinterpret_cast<std::uintptr_t>(base) % vector_bytes == 0 && pitch_bytes % vector_bytes == 0;
  };
  a.vectors_in = whole_vectors(a.in, p.pitch * sizeof(In), 4 * row_piece<In, tile::columns>::at_once);
  a.vectors_out = whole_vectors(a.out, p.out_pitch * sizeof(Out), 16);
  if constexpr (std::is_same_v<In, std::uint32_t>) a.widen.sign = p.type == dtype::i32 ? 1u << 31 : 0;
  std::tie(a.control, a.words) = launch_state<Sum>(d, "integral/cuda small", across * down * tile::left_behind);
  make_small_table<warps, In, Out><<<static_cast<unsigned>(across * down), tile::threads, 0, d.stream()>>>(a);
}

// False where it is not for these kernels.
template <class In, class Out>
bool make_small_table(device& d, const detail::summed_area_table_impl::problem& p) {
  using namespace detail::summed_area_table_impl;
  if (p.channels != 1 || p.size.x > cuda_widest_small_table || p.size.y > cuda_highest_small_table ||
      p.size.x * p.size.y > cuda_most_small_table)
    return false;
  if (p.size.x * p.size.y <= cuda_most_low_small_table)
    make_small_table_of<8, In, Out>(d, p);
  else
    make_small_table_of<16, In, Out>(d, p);
  return true;
}

}  // namespace upsweep::cuda
