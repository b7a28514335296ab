// A table in one pass over memory: each element is fetched once and written once, and no tile waits for another while
// it holds a resource.
//
// The picture is divided into tiles of 8 warps, one below the other. Each tile is two jobs, which the blocks of one
// launch take by tickets:
//
//   adding up   reads the tile for the first time and stores its sums: of each column, of each warp's part of it, and
//               of each row
//   finishing   some rows of tiles later reads it again, from the second-level cache, and writes the table
//
// In between, the last block to add up in a row of tiles turns the sums of the rows into sums of everything to the left
// of each tile. So the data that a finishing tile needs was stored long before: it finds its columns' sums above by one
// look back along the tiles above it (summed_area_table_tile_states.cuh), and reads the sums to the left of its rows.
// S(x, y) = S(x, y - 1) + left(y) + the sum of the tile's row y up to x, and a warp needs no other warp for that.
//
// Float sums are always grouped in the same way: the sums found by the look back are added forward from the nearest
// place that knew the whole, and trees are divided by place. The channels of a pixel are columns; the left neighbour of
// a column is `channels` columns away.
#pragma once

#include "upsweep/summed_area_table/cuda/summed_area_table_cuda_tuning.hpp"
#include "upsweep/summed_area_table/cuda/summed_area_table_row_piece.cuh"
#include "upsweep/summed_area_table/cuda/summed_area_table_small_table.cuh"
#include "upsweep/summed_area_table/cuda/summed_area_table_tile_states.cuh"
#include "upsweep/summed_area_table/summed_area_table_box.hpp"
#include "upsweep/summed_area_table/summed_area_table_problem.hpp"

namespace upsweep::cuda {

template <int channels_, class In, class Out, class Tuned = detail::summed_area_table_impl::cuda_table_tuned<In, Out>>
struct table_tile {
  using in = In;
  using out = Out;
  using sum = detail::summed_area_table_impl::sum_type<In, Out>;
  // Within a tile sums of small integers fit 32 bits.
  using near = std::conditional_t<std::is_integral_v<In> && sizeof(In) <= 2, std::uint32_t, sum>;
  static constexpr int channels = channels_, warps = Tuned::warps, threads = warps * warp_size, blocks = Tuned::blocks;
  // A lane has `pieces` of each row, each of some neighbouring columns: whole pixels, whole vectors of 16 bytes of the
  // table.
  static constexpr int piece =
      channels == 3 ? (sizeof(Out) == 4  ? 12
                       : sizeof(In) == 1 ? 12
                                         : 6)
                    : std::max({16 / static_cast<int>(sizeof(Out)), 4 / static_cast<int>(sizeof(In)), channels});
  static constexpr int pieces = channels == 3 ? 1 : std::max(1, Tuned::columns / piece);
  static constexpr int columns = pieces * piece, span = piece * warp_size, width = pieces * span;
  static constexpr int at_once = Tuned::at_once;           // rows a warp loads before it adds
  static constexpr std::uint32_t most_rows = Tuned::rows;  // of a warp
  static constexpr std::uint64_t lead_bytes = Tuned::lead_bytes;
  using columns_of_warp = column_sums<In, near, columns>;
  using part = typename columns_of_warp::part;
  static_assert(piece % channels == 0 && piece * sizeof(In) % 4 == 0 && piece * sizeof(Out) % 16 == 0);
};

template <class Tile>
struct table_arguments {
  const typename Tile::in* in;
  typename Tile::out* out;
  std::uint64_t row, height, in_pitch, out_pitch;  // in elements, all but the height
  std::uint32_t tiles_across, tiles_down, lead;    // finishing begins `lead` rows of tiles after adding up
  std::uint32_t rows;                              // of a warp
  bool vectors_in, vectors_out;  // rows are so aligned that a lane's pieces are read, or written, as whole vectors
  widening<typename Tile::in> widen;
  launch_control* control;
  unsigned int* arrivals;        // of tiles that have been added up, a counter a row of tiles; they come back to 0
  typename Tile::sum* lines;     // of tile k, channel c and its row y: (k · channels + c) · height of a tile + y
  typename Tile::part* columns;  // of tile k and warp w: (k · warps + w) · width of a tile + x
  typename Tile::sum* corners;   // the sums left of and above tile k, by each group of 32 of its lines: k · groups + g
  // Index of column x and row of tiles t, except the last row: t · row + x. From `corners_of_rows` on, of group g of
  // tile k's lines: k · groups + g. From `ready` on, of row of tiles t.
  tagged_words words;
  std::uint64_t corners_of_rows, ready;
};

// The job of a block: a tile, and whether to add it up or to finish it.
struct table_job {
  bool finishes;
  std::uint32_t x, y;

  __device__ table_job(std::uint64_t ticket, std::uint32_t across, std::uint32_t down, std::uint32_t lead) {
    const std::uint64_t ahead = std::uint64_t{lead} * across, both = 2 * std::uint64_t{down - lead} * across;
    std::uint64_t tile;
    if (ticket < ahead) {
      finishes = false, tile = ticket;
    } else if (ticket < ahead + both) {
      finishes = (ticket - ahead) % 2 != 0, tile = (ticket - ahead) / 2 + (finishes ? 0 : ahead);
    } else {
      finishes = true, tile = both / 2 + (ticket - ahead - both);
    }
    x = static_cast<std::uint32_t>(tile % across), y = static_cast<std::uint32_t>(tile / across);
  }
};

// Adds each of the `count` numbers over 2 · mask neighbouring lanes, always in the same tree. At each level the first
// half of the lanes keeps the first half of the numbers. In the end lane l of a warp has the total of number l / (32 /
// count).
template <int count, int mask, class Sum, int rows>
__device__ Sum totals_over_lanes(Sum (&x)[rows], int lane) {
  if constexpr (count > 1) {
    constexpr int half = count / 2;
    const bool upper = lane & mask;
#pragma unroll
    for (int i = 0; i < half; ++i) {
      const Sum first = x[i], second = x[i + half];
      x[i] = (upper ? second : first) + shuffle_from(upper ? first : second, lane ^ mask);
    }
    return totals_over_lanes<half, mask / 2>(x, lane);
  } else if constexpr (mask > 0) {
    x[0] += shuffle_from(x[0], lane ^ mask);
    return totals_over_lanes<1, mask / 2>(x, lane);
  } else {
    return x[0];
  }
}

// A block's tile, and a warp's rows of it.
template <class Tile>
struct table_place {
  std::uint64_t tile;           // counted row by row
  std::uint64_t first_x, x, y;  // the tile's first column; the lane's and the warp's first places
  int rows_here;
  std::uint32_t lane, warp;
  bool inside;  // all of the warp's columns are in the picture

  __device__ table_place(const table_arguments<Tile>& a, const table_job& job) {
    lane = threadIdx.x % warp_size, warp = threadIdx.x / warp_size;
    tile = std::uint64_t{job.y} * a.tiles_across + job.x;
    first_x = std::uint64_t{job.x} * Tile::width, x = first_x + lane * Tile::piece;
    y = (std::uint64_t{job.y} * Tile::warps + warp) * a.rows;
    rows_here = y >= a.height ? 0 : static_cast<int>(a.height - y < a.rows ? a.height - y : a.rows);
    inside = first_x + Tile::width <= a.row;
  }
  __device__ int columns_here(const table_arguments<Tile>& a, int p) const {
    const std::uint64_t at = x + p * Tile::span;
    return at >= a.row ? 0 : a.row - at < Tile::piece ? static_cast<int>(a.row - at) : Tile::piece;
  }
};

template <class Tile>
using table_row = row_piece<typename Tile::in, Tile::piece>[Tile::pieces];

template <class Tile, bool last_time>
__device__ void read_rows(const table_arguments<Tile>& a, const table_place<Tile>& at, int first,
                          table_row<Tile> (&to)[Tile::at_once]) {
  const typename Tile::in* const in = a.in + (at.y + first) * a.in_pitch + at.x;
  if (a.vectors_in && at.inside && first + Tile::at_once <= at.rows_here) {
#pragma unroll
    for (int r = 0; r < Tile::at_once; ++r)
#pragma unroll
      for (int p = 0; p < Tile::pieces; ++p)
        to[r][p].template read_vectors<last_time>(in + r * a.in_pitch + p * Tile::span);
  } else {
#pragma unroll
    for (int r = 0; r < Tile::at_once; ++r)
#pragma unroll
      for (int p = 0; p < Tile::pieces; ++p)
        to[r][p].read(in + r * a.in_pitch + p * Tile::span, first + r < at.rows_here ? at.columns_here(a, p) : 0);
  }
}

// For each of a lane's numbers, its sum over the lanes to the left and over the whole warp. Sums of bytes that fit 16
// bits are scanned in pairs.
template <bool narrow, class Sum, int count>
__device__ void scan_lanes(const Sum (&own)[count], Sum (&before)[count], Sum (&whole)[count], int lane) {
  if constexpr (narrow && count > 1) {
#pragma unroll
    for (int i = 0; i < count; i += 2) {
      const Sum both = i + 1 < count ? own[i] | own[i + 1] << 16 : own[i];
      const Sum up_to_here = warp_inclusive_scan(both, lane, plus{}), left = up_to_here - both;
      const Sum all = shuffle_from(up_to_here, warp_size - 1);
      before[i] = left & 0xffff, whole[i] = all & 0xffff;
      if (i + 1 < count) before[i + 1] = left >> 16, whole[i + 1] = all >> 16;
    }
  } else {
#pragma unroll
    for (int i = 0; i < count; ++i) {
      const Sum up_to_here = warp_inclusive_scan(own[i], lane, plus{});
      if constexpr (std::is_integral_v<Sum>) {
        before[i] = up_to_here - own[i];
      } else {
        const Sum neighbour = shuffle_up(up_to_here, 1);
        before[i] = lane == 0 ? Sum{} : neighbour;
      }
      whole[i] = shuffle_from(up_to_here, warp_size - 1);
    }
  }
}

// Computes, for a row of the tile, the sums of everything to the left of each column; `left` is the part outside the
// tile. add(p, own) adds the elements of piece p to the channels' own sums, give(p, left) receives the sums to the left
// of the piece.
template <class Tile, bool narrow, class Sum, class Add, class Give>
__device__ void scan_row(const Sum (&left)[Tile::channels], int lane, Add add, Give give) {
  constexpr int channels = Tile::channels, count = Tile::pieces * channels;
  Sum own[count], before[count], whole[count];
#pragma unroll
  for (int p = 0; p < Tile::pieces; ++p) {
    Sum of_piece[channels] = {};
    add(p, of_piece);
#pragma unroll
    for (int c = 0; c < channels; ++c) own[p * channels + c] = of_piece[c];
  }
  scan_lanes<narrow>(own, before, whole, lane);
  Sum all[channels];
#pragma unroll
  for (int c = 0; c < channels; ++c) all[c] = left[c];
#pragma unroll
  for (int p = 0; p < Tile::pieces; ++p) {
    Sum begin[channels];
#pragma unroll
    for (int c = 0; c < channels; ++c) begin[c] = all[c] + before[p * channels + c], all[c] += whole[p * channels + c];
    give(p, begin);
  }
}

template <class T, int count>
__device__ void copy_vectors(T* to, const T (&from)[count]) {
  using vector = std::conditional_t<sizeof from % 16 == 0, uint4, uint2>;
  constexpr int vectors = static_cast<int>(sizeof from / sizeof(vector));
  vector v[vectors];
  memcpy(v, from, sizeof from);
#pragma unroll
  for (int i = 0; i < vectors; ++i) reinterpret_cast<vector*>(to)[i] = v[i];
}

// Turns the rows' sums of a row of tiles into sums of everything to the left of each tile: a warp for 32 lines, one a
// lane. Then computes the sums to the left of and above each tile, for each group of 32 lines by itself, one a thread,
// by a look back along the tiles above.
template <class Tile>
__device__ void add_up_lines(const table_arguments<Tile>& a, std::uint32_t tile_y, const published_sums& sums) {
  using Sum = typename Tile::sum;
  constexpr int some = sizeof(Sum) == 4 ? 16 : 8;  // tiles whose sums are under way together
  const int lane = static_cast<int>(threadIdx.x) % warp_size, warp = static_cast<int>(threadIdx.x) / warp_size;
  const std::uint32_t lines = Tile::warps * a.rows * Tile::channels, groups = lines / warp_size;
  const std::uint64_t first = std::uint64_t{tile_y} * a.tiles_across;
  for (std::uint32_t g = warp; g < groups; g += Tile::warps) {
    Sum left{};
    for (std::uint32_t x = 0; x < a.tiles_across; x += some) {
      Sum* const at = a.lines + (first + x) * lines + g * warp_size + lane;
      Sum seen[some];
#pragma unroll
      for (int k = 0; k < some; ++k) seen[k] = x + k < a.tiles_across ? __ldcg(at + std::uint64_t{lines} * k) : Sum{};
#pragma unroll
      for (int k = 0; k < some; ++k) {
        const Sum own = seen[k];
        seen[k] = left;
        if (x + k < a.tiles_across) __stcg(at + std::uint64_t{lines} * k, left);
        left += own;
      }
      const Sum of_tile = totals_over_lanes<some, warp_size / 2>(seen, lane);
      const std::uint32_t k = lane / (warp_size / some);
      if (lane % (warp_size / some) == 0 && x + k < a.tiles_across)
        sums.publish(a.corners_of_rows + (first + x + k) * groups + g, tile_y > 0 ? published::own : published::whole,
                     of_tile);
    }
  }
  if (tile_y == 0) return;
  __syncthreads();  // all of the row of tiles is published
  const std::uint64_t step = std::uint64_t{a.tiles_across} * groups;
  for (std::uint64_t i = threadIdx.x; i < step; i += Tile::threads) {
    const std::uint64_t index = a.corners_of_rows + i;
    const Sum above = sums.sum_before<Sum>(index, step, tile_y);
    Sum own;
    sums.wait(index + tile_y * step, own);
    sums.publish(index + tile_y * step, published::whole, above + own);
    __stcg(a.corners + tile_y * step + i, above);
  }
}

template <class Tile>
__device__ void add_up_tile(const table_arguments<Tile>& a, const table_job& job, const published_sums& sums,
                            typename Tile::sum (&below)[Tile::warps][Tile::width]) {
  using Near = typename Tile::near;
  using Sum = typename Tile::sum;
  constexpr int channels = Tile::channels, at_once = Tile::at_once;
  const table_place<Tile> at(a, job);
  const std::uint32_t height = Tile::warps * a.rows;
  typename Tile::columns_of_warp columns;
  table_row<Tile> elements[at_once];
  read_rows<Tile, false>(a, at, 0, elements);
  for (int first = 0; first < static_cast<int>(a.rows); first += at_once) {
    table_row<Tile> next[at_once];
    if (first + at_once < static_cast<int>(a.rows)) read_rows<Tile, false>(a, at, first + at_once, next);
    Near own[channels][at_once];
#pragma unroll
    for (int r = 0; r < at_once; ++r) {
      Near of_row[channels] = {};
#pragma unroll
      for (int p = 0; p < Tile::pieces; ++p) {
        columns.add(p * Tile::piece, elements[r][p], a.widen);
        add_piece(elements[r][p], a.widen, of_row);
      }
#pragma unroll
      for (int c = 0; c < channels; ++c) own[c][r] = of_row[c];
    }
#pragma unroll
    for (int c = 0; c < channels; ++c) {
      const Near total = totals_over_lanes<at_once, warp_size / 2>(own[c], at.lane);
      constexpr int lanes = warp_size / at_once;
      if (at.lane % lanes == 0)
        __stcg(a.lines + (at.tile * channels + c) * height + at.warp * a.rows + first + at.lane / lanes,
               static_cast<Sum>(total));
    }
#pragma unroll
    for (int r = 0; r < at_once; ++r)
#pragma unroll
      for (int p = 0; p < Tile::pieces; ++p) elements[r][p] = next[r][p];
  }
  const std::uint64_t mine = (at.tile * Tile::warps + at.warp) * Tile::width;
#pragma unroll
  for (int p = 0; p < Tile::pieces; ++p) {
    const int x = p * Tile::span + at.lane * Tile::piece;
    typename Tile::part parts[Tile::piece];
    Sum of_warp[Tile::piece];
#pragma unroll
    for (int e = 0; e < Tile::piece; ++e) of_warp[e] = parts[e] = columns[p * Tile::piece + e];
    copy_vectors(a.columns + mine + x, parts);
    copy_vectors(&below[at.warp][x], of_warp);
  }
  __syncthreads();  // all warps' sums are in shared memory, and on their way to memory
  if (job.y + 1 < a.tiles_down)
    for (int i = static_cast<int>(threadIdx.x); i < Tile::width; i += Tile::threads) {
      Sum total{};
#pragma unroll
      for (int w = 0; w < Tile::warps; ++w) total += below[w][i];
      if (at.first_x + i < a.row)
        sums.publish(job.y * a.row + at.first_x + i, job.y > 0 ? published::own : published::whole, total);
    }
  __shared__ bool last;
  if (threadIdx.x == 0) {
    __threadfence();  // orders the block's writes before its arrival
    last = atomicInc(a.arrivals + job.y, a.tiles_across - 1) == a.tiles_across - 1;
    __threadfence();  // orders the other blocks' arrivals before the reads of their writes
  }
  __syncthreads();  // whether the block was the last is known
  if (!last) return;
  add_up_lines(a, job.y, sums);
  __syncthreads();  // all lines and corners are written
  if (threadIdx.x == 0) {
    __threadfence();  // they, before the word
    sums.publish(a.ready + job.y, published::whole, Sum{});
  }
}

template <class Tile>
__device__ void finish_tile(const table_arguments<Tile>& a, const table_job& job, const published_sums& sums,
                            typename Tile::sum (&below)[Tile::warps][Tile::width]) {
  using Near = typename Tile::near;
  using Sum = typename Tile::sum;
  using Out = typename Tile::out;
  constexpr int channels = Tile::channels, at_once = Tile::at_once, threads = Tile::threads;
  const table_place<Tile> at(a, job);
  const std::uint32_t height = Tile::warps * a.rows, groups = a.rows * Tile::warps / warp_size;  // of a channel
  table_row<Tile> elements[at_once];
  read_rows<Tile, true>(a, at, 0, elements);
  constexpr int each = (Tile::width + threads - 1) / threads;
  Sum above[each] = {};
  if (job.y > 0)
#pragma unroll
    for (int k = 0; k < each; ++k) {
      const std::uint64_t i = threadIdx.x + k * threads, x = at.first_x + i;
      if (i < Tile::width && x < a.row) above[k] = sums.sum_before<Sum>(x, a.row, job.y);
    }
  sums.template await<Sum>(a.ready + job.y);
  // The sums to the left of the tile: above the warp's rows, and in each of them, which lane r has. And the sums of the
  // warps' columns.
  const Sum* const lines = a.lines + at.tile * channels * height;
  Sum left[channels], lefts[channels];
#pragma unroll
  for (int c = 0; c < channels; ++c) {
    left[c] = Sum{};
    for (std::uint32_t i = at.lane; i < at.warp * a.rows; i += warp_size) left[c] += __ldcg(lines + c * height + i);
    if (job.y > 0 && at.lane < groups) left[c] += __ldcg(a.corners + (at.tile * channels + c) * groups + at.lane);
    lefts[c] = at.lane < a.rows ? __ldcg(lines + c * height + at.warp * a.rows + at.lane) : Sum{};
  }
#pragma unroll
  for (int k = 0; k < each; ++k) {
    const int i = static_cast<int>(threadIdx.x) + k * threads;
    if (i >= Tile::width) break;
    const typename Tile::part* const of_warps = a.columns + at.tile * Tile::warps * Tile::width + i;
    typename Tile::part own[Tile::warps];
#pragma unroll
    for (int w = 0; w < Tile::warps; ++w) own[w] = __ldcg(of_warps + w * Tile::width);
    Sum total{};
#pragma unroll
    for (int w = 0; w < Tile::warps; ++w) {
      below[w][i] = above[k] + total;
      total += own[w];
    }
    if (job.y > 0 && job.y + 1 < a.tiles_down && at.first_x + i < a.row)
      sums.publish(job.y * a.row + at.first_x + i, published::whole, above[k] + total);
  }
#pragma unroll
  for (int c = 0; c < channels; ++c)
#pragma unroll
    for (int mask = warp_size / 2; mask > 0; mask /= 2) left[c] += shuffle_from(left[c], at.lane ^ mask);
  __syncthreads();  // the sums above each warp's rows are complete

  // First the table's row above the warp's own.
  Sum sum[Tile::columns];
  const Sum* const row_above = below[at.warp] + at.lane * Tile::piece;
  scan_row<Tile, false>(
      left, at.lane,
      [&](int p, Sum(&own)[channels]) {
#pragma unroll
        for (int e = 0; e < Tile::piece; ++e) own[e % channels] += row_above[p * Tile::span + e];
      },
      [&](int p, Sum(&begin)[channels]) {
#pragma unroll
        for (int e = 0; e < Tile::piece; ++e)
          sum[p * Tile::piece + e] = begin[e % channels] += row_above[p * Tile::span + e];
      });
  Out* out = a.out + at.y * a.out_pitch + at.x;
  for (int first = 0; first < at.rows_here; first += at_once) {
    table_row<Tile> next[at_once];
    if (first + at_once < at.rows_here) read_rows<Tile, true>(a, at, first + at_once, next);
#pragma unroll
    for (int r = 0; r < at_once; ++r) {
      Near begin[channels] = {};
#pragma unroll
      for (int c = 0; c < channels; ++c) {
        left[c] = shuffle_from(lefts[c], first + r);
        if constexpr (std::is_same_v<Near, Sum>) begin[c] = left[c];
      }
      constexpr bool narrow = sizeof(typename Tile::in) == 1 && Tile::piece / channels <= 8;
      scan_row<Tile, narrow>(
          begin, at.lane, [&](int p, Near(&own)[channels]) { add_piece(elements[r][p], a.widen, own); },
          [&](int p, Near(&left_of_piece)[channels]) {
            Near x[Tile::piece];
            sums_in_piece(elements[r][p], a.widen, left_of_piece, x);
            Out made[Tile::piece];
#pragma unroll
            for (int e = 0; e < Tile::piece; ++e) {
              Sum& s = sum[p * Tile::piece + e];
              s += x[e];
              if constexpr (!std::is_same_v<Near, Sum>) s += left[e % channels];
              made[e] = static_cast<Out>(s);
            }
            if (first + r >= at.rows_here) return;
            if (a.vectors_out && at.inside) {
              write_vectors(out + p * Tile::span, made);
            } else {
              const int count = at.columns_here(a, p);
#pragma unroll
              for (int e = 0; e < Tile::piece; ++e)
                if (e < count) out[p * Tile::span + e] = made[e];
            }
          });
      out += a.out_pitch;
    }
#pragma unroll
    for (int r = 0; r < at_once; ++r)
#pragma unroll
      for (int p = 0; p < Tile::pieces; ++p) elements[r][p] = next[r][p];
  }
}

template <class Tile>
__global__ void __launch_bounds__(Tile::threads, Tile::blocks)
    make_table(const __grid_constant__ table_arguments<Tile> a) {
  alignas(16) __shared__
      typename Tile::sum below[Tile::warps][Tile::width];  // each warp's column sums; then the sums above its rows
  __shared__ std::uint64_t ticket;
  __shared__ std::uint32_t launch_epoch;
  if (threadIdx.x == 0) {
    launch_epoch = a.control->this_epoch();
    may_doze();
    ticket = atomicAdd(&a.control->ticket, 1ull);  // relaxed: nothing is read by means of it
  }
  __syncthreads();  // thread 0 has drawn the ticket
  const published_sums sums{a.words, launch_epoch};
  const table_job job(ticket, a.tiles_across, a.tiles_down, a.lead);
  if (job.finishes)
    finish_tile(a, job, sums, below);
  else
    add_up_tile(a, job, sums, below);
  __syncthreads();  // all reads of published sums have finished
  if (threadIdx.x == 0) leave(a.control, gridDim.x, sums);
}

// The sizes of a launch and of its scratch memory.
template <class Tile>
struct table_plan {
  std::uint64_t across, down, groups, values, lines, columns, corners;
  std::uint32_t rows, lead;

  table_plan(std::uint64_t row, std::uint64_t height, std::uint32_t rows_of_warp, std::uint64_t lead_bytes)
      : rows(rows_of_warp) {
    const std::uint64_t high = Tile::warps * rows;
    across = (row + Tile::width - 1) / Tile::width, down = (height + high - 1) / high;
    groups = high * Tile::channels / warp_size;
    // If one row of tiles exceeds the cache, finishing early has no benefit.
    const std::uint64_t bytes = high * Tile::width * across * sizeof(typename Tile::in);
    lead = static_cast<std::uint32_t>(bytes > lead_bytes ? down : std::min((lead_bytes + bytes - 1) / bytes, down));
    values = (down - 1) * row + across * down * groups + down;
    lines = across * down * high * Tile::channels, columns = across * down * Tile::warps * Tile::width;
    corners = across * down * groups;
  }
  void fill(table_arguments<Tile>& a) const {
    a.tiles_across = static_cast<std::uint32_t>(across), a.tiles_down = static_cast<std::uint32_t>(down);
    a.lead = lead, a.rows = rows;
    a.corners_of_rows = (down - 1) * a.row, a.ready = a.corners_of_rows + across * down * groups;
    const auto whole_vectors = [](const void* base, std::uint64_t pitch_bytes, std::uint64_t vector_bytes) {
      return reinterpret_cast<std::uintptr_t>(base) % vector_bytes == 0 && pitch_bytes % vector_bytes == 0;
    };
    a.vectors_in = whole_vectors(a.in, a.in_pitch * sizeof(typename Tile::in),
                                 4 * row_piece<typename Tile::in, Tile::piece>::at_once);
    a.vectors_out = whole_vectors(a.out, a.out_pitch * sizeof(typename Tile::out), 16);
  }
};

// The number of rows a warp that leaves a tile for each multiprocessor.
template <class Tile>
std::uint32_t rows_of_warp(const device& d, std::uint64_t row, std::uint64_t height) {
  const std::uint64_t across = (row + Tile::width - 1) / Tile::width, wanted = d.multiprocessors();
  std::uint32_t rows = across < detail::summed_area_table_impl::cuda_narrow_table_tiles
                           ? detail::summed_area_table_impl::cuda_most_table_rows
                           : Tile::most_rows;
  const auto tiles = [&] { return across * ((height + Tile::warps * rows - 1) / (Tile::warps * rows)); };
  while (rows > detail::summed_area_table_impl::cuda_fewest_table_rows && tiles() < wanted) rows /= 2;
  return rows;
}

// The part of the picture that is read ahead must stay in the second-level cache, so it is smaller where the cache is
// smaller than Hopper's.
inline std::uint64_t lead_in_cache(const device& d, std::uint64_t tuned) {
  int cache = 0;
  check(cudaDeviceGetAttribute(&cache, cudaDevAttrL2CacheSize, d.index()), "summed_area_table on cuda");
  constexpr std::uint64_t least_tuned = detail::summed_area_table_impl::cuda_table_cache_bytes;
  return tuned / 1024 * std::min<std::uint64_t>(static_cast<std::uint64_t>(cache), least_tuned) / least_tuned * 1024;
}

template <int channels, class In, class Out>
void make_table_of(device& d, const detail::summed_area_table_impl::problem& p) {
  using Tile = table_tile<channels, In, Out>;
  table_arguments<Tile> a{
      p.in.as<const In>(), p.out.as<Out>(), detail::summed_area_table_impl::row_of(p), p.size.y, p.pitch, p.out_pitch};
  const table_plan<Tile> plan(a.row, a.height, rows_of_warp<Tile>(d, a.row, a.height),
                              lead_in_cache(d, Tile::lead_bytes));
  plan.fill(a);
  if constexpr (std::is_same_v<In, std::uint32_t>)
    if (p.type == dtype::i32) a.widen.sign = 1u << 31;
  std::tie(a.control, a.words) = launch_state<typename Tile::sum>(d, "integral/cuda", plan.values);
  a.arrivals = d.scratch("integral/cuda arrivals", plan.down * sizeof *a.arrivals).template as<unsigned int>();
  a.lines = d.scratch("integral/cuda lines", plan.lines * sizeof *a.lines).template as<typename Tile::sum>();
  a.columns = d.scratch("integral/cuda columns", plan.columns * sizeof *a.columns).template as<typename Tile::part>();
  a.corners = d.scratch("integral/cuda corners", plan.corners * sizeof *a.corners).template as<typename Tile::sum>();
  make_table<Tile><<<static_cast<unsigned>(2 * plan.across * plan.down), Tile::threads, 0, d.stream()>>>(a);
}

template <class In, class Out>
void make_table(device& d, const detail::summed_area_table_impl::problem& picture) {
  detail::summed_area_table_impl::problem p = picture;
  // One column without gaps is one row.
  if (p.size.x == 1 && p.pitch == p.channels && p.out_pitch == p.channels) std::swap(p.size.x, p.size.y);
  if (make_small_table<In, Out>(d, p)) return;
  switch (p.channels) {
    case 1: return make_table_of<1, In, Out>(d, p);
    case 2: return make_table_of<2, In, Out>(d, p);
    case 3: return make_table_of<3, In, Out>(d, p);
    default: return make_table_of<4, In, Out>(d, p);
  }
}

}  // namespace upsweep::cuda
