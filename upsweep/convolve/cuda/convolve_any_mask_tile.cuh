// Pictures under any mask of a few dozen rows and columns, of any type and any number of channels: one tile per block,
// as in convolve_tile.cuh, for widths without a kernel of their own.
//
// A block keeps its elements of one channel in shared memory, converted to the type of sums. A lane computes four
// columns of some rows of results and reads a row of the mask four weights at a time: four new elements, those before
// them, and four weights give sixteen products for each row of results. The last weights, if fewer than four, are
// processed one by one: a product with a zero that is not the mask's would make NaN of an infinity.
#pragma once

#include "upsweep/convolve/cuda/convolve_cuda_walk.cuh"

namespace upsweep::cuda {

template <class In, class Out, class Sum>
struct any_tile_arguments {
  const In* in;
  Out* out;
  const Sum* weights;                // whole: rows of mask_x; split: the row, the column, the pillar's one
  std::int64_t in_pitch, out_pitch;  // of slice z: z · height · pitch
  int in_x, in_y, out_x, out_y, before_x, before_y, mask_x, mask_y, channels;
  unsigned across;  // tiles in a row of tiles
  border edge;
  bool turned;
};

inline constexpr int any_tile_warps = detail::convolve_impl::any_tile_warps, any_tile_width = 4 * warp_size;

// Lines of the tile and of the weights; a lane reads four elements more than it needs.
__host__ __device__ constexpr int in_fours(int n) { return (n + 3) / 4 * 4; }
__host__ __device__ constexpr int any_tile_line(int mask_x) { return in_fours(any_tile_width + mask_x - 1) + 4; }
constexpr std::size_t any_tile_cells(int mask_x, int mask_y, bool split, int rows) {
  const int weights = split ? in_fours(mask_x) + in_fours(mask_y) : in_fours(mask_x) * mask_y;
  return static_cast<std::size_t>(weights) +
         static_cast<std::size_t>(rows * any_tile_warps + mask_y - 1) * static_cast<std::size_t>(any_tile_line(mask_x));
}

// sum[r] += Σ weight · element, i < count, for four neighbouring results in each row r. lines(r) returns the weights of
// row r, or null where it has none.
template <int rows, class Sum, class Lines>
__device__ void add_row_products(Sum (&sum)[rows][4], const Sum* elements, int count, Lines lines) {
  using four = quad<Sum>;
  four before = *reinterpret_cast<const four*>(elements);
  for (int i = 0; i < count; i += 4) {
    const four next = *reinterpret_cast<const four*>(elements + i + 4);
    Sum v[8];
#pragma unroll
    for (int e = 0; e < 4; ++e) v[e] = before.at[e], v[4 + e] = next.at[e];
#pragma unroll
    for (int r = 0; r < rows; ++r) {
      const Sum* const line = lines(r);
      if (line == nullptr) continue;
      const four w = *reinterpret_cast<const four*>(line + i);  // the buffer has room for a multiple of four
      if (count - i >= 4) {
#pragma unroll
        for (int e = 0; e < 4; ++e)
#pragma unroll
          for (int p = 0; p < 4; ++p) sum[r][p] += w.at[e] * v[p + e];
      } else {
#pragma unroll
        for (int e = 0; e < 3; ++e)
          if (count - i > e) {
#pragma unroll
            for (int p = 0; p < 4; ++p) sum[r][p] += w.at[e] * v[p + e];
          }
      }
    }
    before = next;
  }
}

template <class In, class Out, class Sum, bool split, int rows>
__global__ void __launch_bounds__(any_tile_warps* warp_size)
    convolve_any_tile(const __grid_constant__ any_tile_arguments<In, Out, Sum> a) {
  constexpr int threads = any_tile_warps * warp_size, height = rows * any_tile_warps;
  extern __shared__ __align__(16) unsigned char any_tile_bytes[];
  const int padded = in_fours(a.mask_x), length = any_tile_line(a.mask_x);
  Sum* const weights = reinterpret_cast<Sum*>(any_tile_bytes);
  Sum* const down = weights + padded;  // of a split mask: the column's
  Sum* const tile = weights + (split ? padded + in_fours(a.mask_y) : padded * a.mask_y);
  const int thread = static_cast<int>(threadIdx.x), lane = thread % warp_size, warp = thread / warp_size;
  const int x0 = static_cast<int>(blockIdx.x % a.across) * any_tile_width,
            y0 = static_cast<int>(blockIdx.x / a.across) * height;
  const int slice = static_cast<int>(blockIdx.z) / a.channels, channel = static_cast<int>(blockIdx.z) % a.channels;
  const In* const in = a.in + static_cast<std::int64_t>(slice) * a.in_y * a.in_pitch + channel;

  const int first = x0 - a.before_x, top = y0 - a.before_y;
  const int rows_needed = min(height, a.out_y - y0) + a.mask_y - 1,
            columns_needed = min(length, in_fours(a.out_x - x0) + in_fours(a.mask_x));
#pragma unroll 2
  for (int j = warp; j < rows_needed; j += any_tile_warps) {
    const int y = near_place(a.edge, top + j, a.in_y);
    const In* const from = in + max(y, 0) * a.in_pitch;
    Sum* const to = tile + j * length;
#pragma unroll 4
    for (int e = lane; e < columns_needed; e += warp_size) {
      const int x = y < 0 ? -1 : near_place(a.edge, first + e, a.in_x);
      const In* const at = from + static_cast<std::int64_t>(max(x, 0)) * a.channels;
      if constexpr (std::is_same_v<In, Sum> && sizeof(Sum) >= 4)
        start_element_copy(to + e, at, x >= 0);
      else
        to[e] = x < 0 ? Sum(0) : detail::convolve_impl::to_accumulator<Sum>(*at);
    }
  }
  const int all = split ? a.mask_x + a.mask_y : a.mask_x * a.mask_y;
  for (int i = thread; i < all; i += threads) {
    if (split) {
      const bool column = i >= a.mask_x;
      const int k = column ? i - a.mask_x : i, from = a.turned ? (column ? a.mask_y : a.mask_x) - 1 - k : k;
      // The column's weights absorb the pillar's one weight.
      if (column)
        down[k] = a.weights[a.mask_x + from] * a.weights[all];
      else
        weights[k] = a.weights[from];
    } else {
      weights[i / a.mask_x * padded + i % a.mask_x] = a.weights[a.turned ? all - 1 - i : i];
    }
  }
  if constexpr (std::is_same_v<In, Sum> && sizeof(Sum) >= 4) wait_small_copies();
  __syncthreads();  // orders the writes of elements and weights before their reads

  if constexpr (split) {
    for (int j = warp; j < rows_needed; j += any_tile_warps) {
      Sum sums[1][4] = {};
      Sum* const row = tile + j * length + 4 * lane;
      if (x0 + 4 * lane < a.out_x)
        cuda::add_row_products<1>(sums, row, a.mask_x, [&](int) -> const Sum* { return weights; });
      __syncwarp();  // orders all lanes' reads of the row before its sums overwrite it
      *reinterpret_cast<quad<Sum>*>(row) = {sums[0][0], sums[0][1], sums[0][2], sums[0][3]};
    }
    __syncthreads();  // orders the writes of the rows' sums before their reads
  }

  const int x = x0 + 4 * lane, y = y0 + warp * rows;
  if (x >= a.out_x || y >= a.out_y) return;
  Sum sum[rows][4] = {};
  const Sum* row = tile + warp * rows * length + 4 * lane;
#pragma unroll 1
  for (int j = 0; j < a.mask_y + rows - 1; ++j, row += length) {
    if constexpr (split) {
      const quad<Sum> h = *reinterpret_cast<const quad<Sum>*>(row);
#pragma unroll
      for (int r = 0; r < rows; ++r)
        if (j >= r && j - r < a.mask_y) {
          const Sum w = down[j - r];
#pragma unroll
          for (int p = 0; p < 4; ++p) sum[r][p] += w * h.at[p];
        }
    } else {
      cuda::add_row_products<rows>(sum, row, a.mask_x, [&](int r) -> const Sum* {
        return j >= r && j - r < a.mask_y ? weights + (j - r) * padded : nullptr;
      });
    }
  }
  Out* to = a.out + (static_cast<std::int64_t>(slice) * a.out_y + y) * a.out_pitch +
            static_cast<std::int64_t>(x) * a.channels + channel;
#pragma unroll
  for (int r = 0; r < rows; ++r, to += a.out_pitch)
    if (y + r < a.out_y) {
#pragma unroll
      for (int p = 0; p < 4; ++p)
        if (x + p < a.out_x) to[p * a.channels] = detail::convolve_impl::stored<Out>(sum[r][p]);
    }
}

template <class In, class Out, class Sum, bool split>
void launch_any_tiles(device& d, const detail::convolve_impl::problem& p, const Sum* weights) {
  const detail::convolve_impl::geometry g = detail::convolve_impl::geometry_of(p);
  const auto whole = [](std::uint64_t x) { return static_cast<int>(x); };
  any_tile_arguments<In, Out, Sum> a{p.in.as<const In>(), p.out.as<Out>(), weights,
                                     static_cast<std::int64_t>(g.in_pitch), static_cast<std::int64_t>(g.out_pitch)};
  a.in_x = whole(g.in.x), a.in_y = whole(g.in.y), a.out_x = whole(g.out.x), a.out_y = whole(g.out.y);
  a.before_x = whole(g.before.x), a.before_y = whole(g.before.y), a.mask_x = whole(g.mask.x),
  a.mask_y = whole(g.mask.y);
  a.channels = whole(g.channels), a.edge = p.edge, a.turned = p.flipped;
  a.across = static_cast<unsigned>((g.out.x + any_tile_width - 1) / any_tile_width);
  const auto launch = [&](auto rows) {
    constexpr int height = rows() * any_tile_warps;
    const auto down = static_cast<unsigned>((g.out.y + height - 1) / height);
    const std::size_t bytes = any_tile_cells(a.mask_x, a.mask_y, split, rows()) * sizeof(Sum);
    convolve_any_tile<In, Out, Sum, split, rows()>
        <<<dim3(a.across * down, 1, static_cast<unsigned>(g.out.z * g.channels)), any_tile_warps * warp_size, bytes,
           d.stream()>>>(a);
    check(cudaGetLastError(), "launching convolve's kernel");
  };
  // Low tiles where high ones would be too few for all multiprocessors, or too large.
  constexpr int high = 2 * any_tile_warps;
  const std::uint64_t blocks = a.across * ((g.out.y + high - 1) / high) * g.out.z * g.channels;
  if (blocks >= static_cast<std::uint64_t>(d.multiprocessors()) &&
      any_tile_cells(a.mask_x, a.mask_y, split, 2) * sizeof(Sum) <= detail::convolve_impl::most_any_tile_bytes)
    launch(std::integral_constant<int, 2>());
  else
    launch(std::integral_constant<int, 1>());
}

// Whether the lowest tile fits in the shared memory that a block has by default.
inline bool can_tile(const detail::convolve_impl::problem& p, std::size_t sum_bytes) {
  const auto small = [](std::uint64_t x) { return x < (1u << 30); };
  return p.mask.z == 1 && p.mask.y > 1 && p.mask.x < 1024 && p.mask.y < 1024 && small(p.size.x * p.channels) &&
         small(p.size.y) && p.size.z * p.channels < 65536 &&
         any_tile_cells(static_cast<int>(p.mask.x), static_cast<int>(p.mask.y), p.rank == 1, 1) * sum_bytes <=
             detail::convolve_impl::most_any_tile_bytes;
}

}  // namespace upsweep::cuda
