// A table in one pass: each element is read once and written once.
//
// The picture is cut into tiles, a block each, drawn as tickets row after row: whoever is waited for has started. A tile's elements stay in
// registers while two sums are handed through memory (published.cuh), neither of which takes more than a look back:
//
//   down     each column's sum over the tile is published at once; that of all tiles above and this one follows
//   across   with the columns' sums from above, the tile's rows of the table's column sums are complete, and each one's total is published.
//            The sum of the totals to the left: 32 neighbouring tiles are a group; the totals of one's own group are read by a warp at once and
//            added as a tree, the groups before it are a line of their own that is looked back along
//
// Then the sums of the table are made row by row, with what is above in one register a column and what is left in one a row, and written.
// The channels of a pixel are columns; what lies left of one begins `channels` columns away.
#pragma once

#include "upsweep/integral/box.hpp"
#include "upsweep/integral/cuda/published.cuh"
#include "upsweep/integral/cuda_tuning.hpp"

namespace upsweep::cuda {

template <class In, class Out, class Sum>
struct table_arguments {
  const In* in;
  Out* out;
  std::uint64_t row, height, in_pitch, out_pitch;  // in elements, all but the height
  std::uint32_t tiles_across, groups;
  bool vectors_in, vectors_out;  // rows are so aligned that a lane's elements are read, or written, as whole vectors
  launch_control* control;
  // Of column x and tile row t, but not the last: t · row + x. From `totals` on, of row y, channel c and tile t of it:
  // (y · channels + c) · tiles_across + t. From `group_totals` on, of group g: (y · channels + c) · groups + g.
  tagged_words words;
  std::uint64_t tiles_down, totals, group_totals;
};

template <int channels, bool low, class In, class Out>
struct table_tile {
  static constexpr auto tuned =
      integral_room::cuda_table_tuned(channels, sizeof(In), sizeof(integral_room::sum_type<In, Out>));
  static constexpr int rows = low ? std::min(tuned.rows, integral_room::cuda_low_table_rows) : tuned.rows;
  static constexpr int warps = integral_room::cuda_table_warps, columns = tuned.columns, group = warp_size;
  static constexpr int width = columns * warp_size, height = rows * warps;
  static constexpr int looks =
      std::min(rows, sizeof(integral_room::sum_type<In, Out>) == 4 ? 8 : 4);  // at rows' totals under way together
  static constexpr int lanes_a_row = warp_size / rows;  // when a row's total has been added up by a warp
  static constexpr int words = columns * static_cast<int>(sizeof(In)) / 4, at_once = words % 4 == 0   ? 4
                                                                                     : words % 2 == 0 ? 2
                                                                                                      : 1;
  static constexpr int bytes_out = columns * static_cast<int>(sizeof(Out)), vector_out = bytes_out % 16 == 0 ? 16 : 8;
  static_assert(columns % channels == 0 && columns * sizeof(In) % 4 == 0 && bytes_out % vector_out == 0 &&
                warp_size % rows == 0);
};

// A lane's elements of one row, as they came from memory: an array of bytes would take a register a byte.
template <class In, int columns>
struct row_piece {
  static constexpr int size = static_cast<int>(sizeof(In)), words = columns * size / 4;
  std::uint32_t word[words];

  __device__ In operator[](int e) const {
    if constexpr (size < 4) {
      constexpr int per = 4 / size;
      return static_cast<In>(word[e / per] >> 8 * size * (e % per));
    } else {
      words_of<In> w;
#pragma unroll
      for (int i = 0; i < size / 4; ++i) w.word[i] = word[e * (size / 4) + i];
      return w.join();
    }
  }

  __device__ void read_vectors(const In* from) {
    if constexpr (words % 4 == 0) {
#pragma unroll
      for (int i = 0; i < words / 4; ++i) {
        const uint4 v = __ldcs(reinterpret_cast<const uint4*>(from) + i);
        word[4 * i] = v.x, word[4 * i + 1] = v.y, word[4 * i + 2] = v.z, word[4 * i + 3] = v.w;
      }
    } else if constexpr (words % 2 == 0) {
#pragma unroll
      for (int i = 0; i < words / 2; ++i) {
        const uint2 v = __ldcs(reinterpret_cast<const uint2*>(from) + i);
        word[2 * i] = v.x, word[2 * i + 1] = v.y;
      }
    } else {
#pragma unroll
      for (int i = 0; i < words; ++i) word[i] = __ldcs(reinterpret_cast<const std::uint32_t*>(from) + i);
    }
  }

  // The compiler forgets what it made of the words: made anew, their numbers take no registers while the tile waits for others.
  __device__ void keep_packed() {
#pragma unroll
    for (auto& w : word) asm volatile("" : "+r"(w));
  }

  // The first `count` elements; zeros behind them.
  __device__ void read(const In* from, int count) {
#pragma unroll
    for (int i = 0; i < words; ++i) word[i] = 0;
#pragma unroll
    for (int e = 0; e < columns; ++e) {
      const In x = e < count ? from[e] : In(0);
      if constexpr (size < 4) {
        constexpr int per = 4 / size;
        word[e / per] |= static_cast<std::uint32_t>(x) << 8 * size * (e % per);
      } else {
        const auto w = words_of<In>::split(x);
#pragma unroll
        for (int i = 0; i < size / 4; ++i) word[e * (size / 4) + i] = w.word[i];
      }
    }
  }
};

template <class Vector, class Out, int count>
__device__ void write_vectors(Out* to, const Out (&from)[count]) {
  constexpr int vectors = static_cast<int>(sizeof from / sizeof(Vector));
  Vector v[vectors];
  memcpy(v, from, sizeof from);
#pragma unroll
  for (int i = 0; i < vectors; ++i) __stcs(reinterpret_cast<Vector*>(to) + i, v[i]);
}

// Adds each of the `count` numbers over 2 · mask neighbouring lanes, always as the same tree; of every so many lanes as there are numbers
// left, the first half keeps the first half of them. In the end lane l of a warp has the total of number l / (32 / count).
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

template <int channels, bool low, class In, class Out, class Sum>
__global__ void __launch_bounds__(integral_room::cuda_table_warps* warp_size,
                                  table_tile<channels, low, In, Out>::tuned.blocks)
    make_table(const __grid_constant__ table_arguments<In, Out, Sum> a) {
  using tile = table_tile<channels, low, In, Out>;
  constexpr int rows = tile::rows, columns = tile::columns, warps = tile::warps;
  alignas(16) __shared__ Sum below[warps][tile::width];    // each warp's column sums; then what lies above its rows
  __shared__ Sum left[channels][rows][warps * warp_size];  // of a thread's columns in a row
  __shared__ std::uint32_t ticket, launch_epoch, warps_done;
  const int lane = static_cast<int>(threadIdx.x) % warp_size, warp = static_cast<int>(threadIdx.x) / warp_size;
  if (threadIdx.x == 0) {
    launch_epoch = a.control->epoch + 1;
    ticket =
        static_cast<std::uint32_t>(atomicAdd(&a.control->ticket, 1ull));  // relaxed: nothing is read by means of it
    warps_done = 0;
  }
  __syncthreads();  // thread 0 has drawn the ticket
  const published_sums sums{a.words, launch_epoch};
  const std::uint32_t tile_y = ticket / a.tiles_across, tile_x = ticket % a.tiles_across;
  const std::uint64_t first_x = std::uint64_t{tile_x} * tile::width, x = first_x + lane * columns;
  const std::uint64_t first_y = std::uint64_t{tile_y} * tile::height, y = first_y + warp * rows;
  const int rows_here = y >= a.height ? 0 : a.height - y < rows ? static_cast<int>(a.height - y) : rows;
  const int columns_here = x >= a.row ? 0 : a.row - x < columns ? static_cast<int>(a.row - x) : columns;

  row_piece<In, columns> elements[rows];
  const In* const in = a.in + y * a.in_pitch + x;
  if (a.vectors_in && rows_here == rows && columns_here == columns) {
#pragma unroll
    for (int r = 0; r < rows; ++r) elements[r].read_vectors(in + r * a.in_pitch);
  } else {
#pragma unroll
    for (int r = 0; r < rows; ++r) elements[r].read(in + r * a.in_pitch, r < rows_here ? columns_here : 0);
  }
  Sum column[columns] = {};
#pragma unroll
  for (int r = 0; r < rows; ++r)
#pragma unroll
    for (int e = 0; e < columns; ++e) column[e] += integral_room::widened<Sum>(elements[r][e]);
#pragma unroll
  for (int e = 0; e < columns; ++e) below[warp][lane * columns + e] = column[e];
#pragma unroll
  for (int r = 0; r < rows; ++r) elements[r].keep_packed();
  __syncthreads();  // all warps' column sums are there

  for (int i = static_cast<int>(threadIdx.x); i < tile::width; i += warps * warp_size) {
    Sum total{}, above{};
#pragma unroll
    for (int w = 0; w < warps; ++w) total += below[w][i];
    if (first_x + i < a.row) {
      const std::uint64_t at = tile_y * a.row + first_x + i;
      const bool others_wait = tile_y + 1 < a.tiles_down;
      if (tile_y > 0) {
        if (others_wait) sums.publish(at, published::own, total);
        above = sums.sum_before<Sum>(first_x + i, a.row, tile_y);
      }
      if (others_wait) sums.publish(at, published::whole, above + total);
    }
#pragma unroll
    for (int w = 0; w < warps; ++w) {
      const Sum of_warp = below[w][i];
      below[w][i] = above;
      above += of_warp;
    }
  }
  __syncthreads();  // what lies above each warp's rows is there

  // What is left of the lane's columns within the tile, and the rows' totals. Rows below the picture take part, for the shuffles' sake.
  constexpr int group = tile::group, lanes_a_row = tile::lanes_a_row;
  Sum total[channels] = {};  // lane r · lanes_a_row hands row r's total on
#pragma unroll
  for (int e = 0; e < columns; ++e) column[e] = below[warp][lane * columns + e];
#pragma unroll
  for (int r = 0; r < rows; ++r) {
    Sum own[channels] = {};
#pragma unroll
    for (int e = 0; e < columns; ++e) {
      column[e] += integral_room::widened<Sum>(elements[r][e]);
      own[e % channels] += column[e];
    }
#pragma unroll
    for (int c = 0; c < channels; ++c) {
      const Sum up_to_here = warp_inclusive_scan(own[c], lane, plus{});
      const Sum before = shuffle_up(up_to_here, 1), of_row = shuffle_from(up_to_here, warp_size - 1);
      left[c][r][threadIdx.x] = lane == 0 ? Sum{} : before;
      if (lane == r * lanes_a_row) total[c] = of_row;
    }
  }
#pragma unroll
  for (int r = 0; r < rows; ++r) elements[r].keep_packed();
  const std::uint32_t in_group = tile_x % group, my_group = tile_x / group;
  const int my_row = lane / lanes_a_row;
  const bool hands_on = lane % lanes_a_row == 0 && my_row < rows_here,
             others_wait = hands_on && tile_x + 1 < a.tiles_across;
  if (others_wait && in_group < group - 1) {
#pragma unroll
    for (int c = 0; c < channels; ++c)
      sums.publish(a.totals + ((y + my_row) * channels + c) * a.tiles_across + tile_x, published::own, total[c]);
  }
  if (tile_x > 0) {
#pragma unroll
    for (int c = 0; c < channels; ++c) {
      Sum seen[rows] = {};
      if (static_cast<std::uint32_t>(lane) < in_group && rows_here > 0) {
        const std::uint64_t first = a.totals + (y * channels + c) * a.tiles_across + (tile_x - in_group + lane);
#pragma unroll
        for (int some = 0; some < rows; some += tile::looks) {
          bool all;
          do {
            all = true;
#pragma unroll
            for (int r = some; r < some + tile::looks; ++r) {
              const std::uint64_t at =
                  first + static_cast<std::uint64_t>(r < rows_here ? r : 0) * channels * a.tiles_across;
              all &= sums.look(at, seen[r]) != published::nothing;
            }
          } while (!all);
        }
      }
      __syncwarp();  // the lanes have waited, each for another tile
      Sum to_the_left = totals_over_lanes<rows, warp_size / 2>(seen, lane);
      const std::uint64_t line = a.group_totals + ((y + my_row) * channels + c) * a.groups;
      const bool ends_group = others_wait && in_group == group - 1;
      const Sum of_group = to_the_left + total[c];
      if (ends_group) sums.publish(line + my_group, my_group > 0 ? published::own : published::whole, of_group);
      if (hands_on && my_group > 0) {
        const Sum before = sums.sum_before<Sum>(line, 1, my_group);
        to_the_left = before + to_the_left;
        if (ends_group) sums.publish(line + my_group, published::whole, before + of_group);
      }
      __syncwarp();  // the lanes have looked back, each along another row
#pragma unroll
      for (int r = 0; r < rows; ++r) left[c][r][threadIdx.x] += shuffle_from(to_the_left, r * lanes_a_row);
    }
  }
  __syncwarp();  // no lane reads what is published any more
  if (lane == 0 && atomicAdd(&warps_done, 1u) == warps - 1) leave(a.control, gridDim.x, sums);

#pragma unroll
  for (int e = 0; e < columns; ++e) column[e] = below[warp][lane * columns + e];
  Out* const out = a.out + y * a.out_pitch + x;
#pragma unroll
  for (int r = 0; r < rows; ++r) {
    Out made[columns];
    Sum sum[channels];
#pragma unroll
    for (int c = 0; c < channels; ++c) sum[c] = left[c][r][threadIdx.x];
#pragma unroll
    for (int e = 0; e < columns; ++e) {
      column[e] += integral_room::widened<Sum>(elements[r][e]);
      sum[e % channels] += column[e];
      made[e] = static_cast<Out>(sum[e % channels]);
    }
    if (r < rows_here) {
      if (a.vectors_out && columns_here == columns) {
        write_vectors<std::conditional_t<tile::vector_out == 16, uint4, uint2>>(out + r * a.out_pitch, made);
      } else {
#pragma unroll
        for (int e = 0; e < columns; ++e)
          if (e < columns_here) out[r * a.out_pitch + e] = made[e];
      }
    }
  }
}

template <int channels, bool low, class In, class Out>
void make_table_of(device& d, const problem& p) {
  using Sum = integral_room::sum_type<In, Out>;
  using tile = table_tile<channels, low, In, Out>;
  const std::uint64_t row = integral_room::row_of(p), across = (row + tile::width - 1) / tile::width;
  const std::uint64_t groups = (across + tile::group - 1) / tile::group,
                      down = (p.size.y + tile::height - 1) / tile::height;
  table_arguments<In, Out, Sum> a{p.in.as<const In>(), p.out.as<Out>(), row, p.size.y, p.pitch, p.out_pitch};
  a.tiles_across = static_cast<std::uint32_t>(across), a.groups = static_cast<std::uint32_t>(groups);
  const auto whole_vectors = [](const void* base, std::uint64_t pitch_bytes, std::uint64_t vector_bytes) {
    return reinterpret_cast<std::uintptr_t>(base) % vector_bytes == 0 && pitch_bytes % vector_bytes == 0;
  };
  a.vectors_in = whole_vectors(a.in, p.pitch * sizeof(In), 4 * tile::at_once);
  a.vectors_out = whole_vectors(a.out, p.out_pitch * sizeof(Out), tile::vector_out);
  const std::uint64_t lines = p.size.y * channels;
  a.tiles_down = down;
  a.totals = (down - 1) * row;
  a.group_totals = a.totals + (across > 1 ? lines * across : 0);
  std::tie(a.control, a.words) =
      launch_state<Sum>(d, "integral/cuda", a.group_totals + (groups > 1 ? lines * groups : 0));
  make_table<channels, low, In, Out, Sum>
      <<<static_cast<unsigned>(across * down), tile::warps * warp_size, 0, d.stream()>>>(a);
}

template <class In, class Out>
void make_table(device& d, const problem& picture) {
  problem p = picture;
  // One column without gaps is one row.
  if (p.size.x == 1 && p.pitch == p.channels && p.out_pitch == p.channels) std::swap(p.size.x, p.size.y);
  if (p.channels == 1) {
    // Low tiles, where tall ones would leave multiprocessors without any.
    using tall = table_tile<1, false, In, Out>;
    if constexpr (tall::rows != table_tile<1, true, In, Out>::rows) {
      const std::uint64_t tiles =
          (p.size.x + tall::width - 1) / tall::width * ((p.size.y + tall::height - 1) / tall::height);
      if (tiles < static_cast<std::uint64_t>(d.multiprocessors() * integral_room::cuda_tall_table_tiles_from))
        return make_table_of<1, true, In, Out>(d, p);
    }
    return make_table_of<1, false, In, Out>(d, p);
  }
  switch (p.channels) {
    case 2: return make_table_of<2, false, In, Out>(d, p);
    case 3: return make_table_of<3, false, In, Out>(d, p);
    default: return make_table_of<4, false, In, Out>(d, p);
  }
}

}  // namespace upsweep::cuda
