// Pictures under a small square mask, one tile per block: for pictures so small that walks (convolve_cuda_walk.cuh)
// would mostly read ahead.
//
// A block loads its part of the picture with its halo into shared memory, four elements a copy; only the loading
// handles edges. A lane computes four columns of some rows of results: an element that it reads from shared memory is
// used for all of them. Blocks are small, and many share a multiprocessor: one loads while another computes.
//
// Under a split mask of more than nine columns a warp first computes the sums along a row, once for all rows of results
// that need it; then lanes sum these down the columns.
#pragma once

#include "upsweep/convolve/cuda/convolve_cuda_walk.cuh"

namespace upsweep::cuda {

template <class In, class Out>
struct tile_arguments {
  const In* in;
  Out* out;
  const float* weights;              // whole: K rows of K; split: the row, the column, the pillar's one
  std::int64_t in_pitch, out_pitch;  // of slice z: z · height · pitch
  int in_x, in_y, out_x, out_y, before_x, before_y;
  unsigned across;  // tiles in a row of tiles
  border edge;
  bool turned, quads_in, quads_out;
};

template <int K, class Shape>
struct tile_row {
  static constexpr int width = 4 * warp_size, half = (K - 1) / 2;
  static constexpr int lead = (4 - half % 4) % 4;  // aligns windows of a mask anchored in its middle
  static constexpr int length = (lead + width + K - 1 + 3) / 4 * 4, quads = length / 4;
  static constexpr int window = (lead + 4 + K - 1 + 3) / 4;  // quads that four results need
  static constexpr int height = Shape::rows * Shape::warps, rows = height + K - 1;
};

// Sums of a row of floats overwrite its elements; those of bytes have rows of their own.
template <class In, class Tile, bool sums_of_rows>
struct tile_memory {
  static constexpr bool apart = sums_of_rows && !std::is_same_v<In, float>;
  alignas(16) In elements[Tile::rows][Tile::length];
  alignas(16) float own_sums[apart ? Tile::rows : 1][apart ? Tile::width : 4];
  __device__ float* sums(int row) {
    if constexpr (apart)
      return own_sums[row];
    else
      return reinterpret_cast<float*>(elements[row]);
  }
};

template <class In, class Out, int K, bool split, class Shape>
__global__ void __launch_bounds__(Shape::warps* warp_size)
    convolve_tile(const __grid_constant__ tile_arguments<In, Out> a) {
  using tile = tile_row<K, Shape>;
  constexpr int threads = Shape::warps * warp_size, padded = (K + 3) / 4 * 4, lines = split ? 2 : K, rows = Shape::rows;
  constexpr bool sums_of_rows = split && K > detail::convolve_impl::most_unrolled_tile;
  __shared__ tile_memory<In, tile, sums_of_rows> memory;
  auto& elements = memory.elements;
  alignas(16) __shared__ float weights[lines][padded];
  const int thread = static_cast<int>(threadIdx.x), lane = thread % warp_size, warp = thread / warp_size;
  const int x0 = static_cast<int>(blockIdx.x % a.across) * tile::width,
            y0 = static_cast<int>(blockIdx.x / a.across) * tile::height;
  const In* const slice = a.in + static_cast<std::int64_t>(blockIdx.z) * a.in_y * a.in_pitch;

  const int first = x0 - a.before_x - tile::lead, top = y0 - a.before_y;
  const int rows_needed = min(tile::rows, a.out_y - y0 + K - 1),
            quads_needed = min(tile::quads, (a.out_x - x0 + K - 1 + tile::lead + 3) / 4);
  const auto load = [&](int j, int q) {
    const int y = near_place(a.edge, top + j, a.in_y), x = first + 4 * q;
    In* const to = &elements[j][4 * q];
    const In* const from = slice + max(y, 0) * a.in_pitch;
    if (a.quads_in && y >= 0 && x >= 0 && x + 4 <= a.in_x)
      return start_vector_copy(reinterpret_cast<quad<In>*>(to), reinterpret_cast<const quad<In>*>(from + x));
#pragma unroll 1
    for (int e = 0; e < 4; ++e) {
      const int at = y < 0 ? -1 : near_place(a.edge, x + e, a.in_x);
      if constexpr (sizeof(In) >= 4)
        start_element_copy(to + e, from + max(at, 0), at >= 0);
      else
        to[e] = at < 0 ? In(0) : from[at];
    }
  };
  if (lane < quads_needed)
#pragma unroll 4
    for (int j = warp; j < rows_needed; j += Shape::warps) load(j, lane);
  constexpr int more = tile::quads - warp_size;
  for (int i = thread; i < more * rows_needed; i += threads)
    if (warp_size + i % more < quads_needed) load(i / more, warp_size + i % more);

  for (int i = thread; i < lines * K; i += threads) {
    const int line = i / K, column = i % K;
    const int from = !a.turned ? i : split ? line * K + K - 1 - column : lines * K - 1 - i;
    // For a split mask the column's weights absorb the pillar's one weight.
    weights[line][column] = split && line == 1 ? a.weights[from] * a.weights[2 * K] : a.weights[from];
  }
  wait_small_copies();
  __syncthreads();  // orders the writes of elements and weights before their reads

  const auto weights_of = [&](int line, float(&w)[padded]) {
#pragma unroll
    for (int i = 0; i < padded; i += 4) {
      const float4 four = *reinterpret_cast<const float4*>(&weights[line][i]);
      w[i] = four.x, w[i + 1] = four.y, w[i + 2] = four.z, w[i + 3] = four.w;
    }
  };
  const auto window_of = [&](int row, float(&v)[4 * tile::window]) {
#pragma unroll
    for (int q = 0; q < tile::window; ++q)
      to_floats(reinterpret_cast<const quad<In>*>(elements[row])[lane + q], v + 4 * q);
  };
  if constexpr (sums_of_rows) {
    float w[padded];
    weights_of(0, w);
#pragma unroll 1
    for (int j = warp; j < rows_needed; j += Shape::warps) {
      float h[4] = {};
      if (x0 + 4 * lane < a.out_x) {
        float v[4 * tile::window];
        window_of(j, v);
#pragma unroll
        for (int i = 0; i < K; ++i)
#pragma unroll
          for (int p = 0; p < 4; ++p) h[p] = fmaf(w[i], v[tile::lead + p + i], h[p]);
      }
      __syncwarp();  // orders all lanes' reads of the row before its sums overwrite it
      *reinterpret_cast<float4*>(memory.sums(j) + 4 * lane) = make_float4(h[0], h[1], h[2], h[3]);
    }
    __syncthreads();  // orders the writes of the rows' sums before their reads
  }

  const int x = x0 + 4 * lane, y = y0 + warp * rows;
  if (x >= a.out_x || y >= a.out_y) return;
  float sum[rows][4] = {};
  // Unrolling all of it gives too many instructions under large masks.
  constexpr int steps = rows + K - 1, at_once = K <= detail::convolve_impl::most_unrolled_tile ? steps : 2;
#pragma unroll at_once
  for (int j = 0; j < steps; ++j) {
    float w[padded], h[4] = {};
    if constexpr (sums_of_rows) {
      const float4 four = *reinterpret_cast<const float4*>(memory.sums(warp * rows + j) + 4 * lane);
      h[0] = four.x, h[1] = four.y, h[2] = four.z, h[3] = four.w;
#pragma unroll
      for (int o = 0; o < rows; ++o) {
        if (j < o || j - o >= K) continue;
        const float weight = weights[1][j - o];
#pragma unroll
        for (int p = 0; p < 4; ++p) sum[o][p] = fmaf(weight, h[p], sum[o][p]);
      }
    } else {
      float v[4 * tile::window];
      window_of(warp * rows + j, v);
      if constexpr (split) {
        weights_of(0, w);
#pragma unroll
        for (int i = 0; i < K; ++i)
#pragma unroll
          for (int p = 0; p < 4; ++p) h[p] = fmaf(w[i], v[tile::lead + p + i], h[p]);
        weights_of(1, w);
      }
#pragma unroll
      for (int o = 0; o < rows; ++o) {
        const int line = j - o;
        if (line < 0 || line >= K) continue;
        if constexpr (split) {
#pragma unroll
          for (int p = 0; p < 4; ++p) sum[o][p] = fmaf(w[line], h[p], sum[o][p]);
        } else {
          weights_of(line, w);
#pragma unroll
          for (int i = 0; i < K; ++i)
#pragma unroll
            for (int p = 0; p < 4; ++p) sum[o][p] = fmaf(w[i], v[tile::lead + p + i], sum[o][p]);
        }
      }
    }
  }
  Out* to = a.out + (static_cast<std::int64_t>(blockIdx.z) * a.out_y + y) * a.out_pitch + x;
  const bool together = a.quads_out && x + 4 <= a.out_x;
#pragma unroll
  for (int o = 0; o < rows; ++o, to += a.out_pitch)
    if (y + o < a.out_y) store_results<Out, 4>(to, sum[o], together, a.out_x - x);
}

template <int K, bool split, class Shape, class In, class Out>
void launch_tiles(device& d, const detail::convolve_impl::problem& p, memory weights) {
  using tile = tile_row<K, Shape>;
  const detail::convolve_impl::geometry g = detail::convolve_impl::geometry_of(p);
  tile_arguments<In, Out> a{p.in.as<const In>(), p.out.as<Out>(), weights.as<const float>(),
                            static_cast<std::int64_t>(g.in_pitch), static_cast<std::int64_t>(g.out_pitch)};
  const auto whole = [](std::uint64_t x) { return static_cast<int>(x); };
  a.in_x = whole(g.in.x), a.in_y = whole(g.in.y), a.out_x = whole(g.out.x), a.out_y = whole(g.out.y);
  a.before_x = whole(g.before.x), a.before_y = whole(g.before.y), a.edge = p.edge, a.turned = p.flipped;
  const auto lies_well = [](const void* at, std::uint64_t pitch, std::size_t size) {
    return reinterpret_cast<std::uintptr_t>(at) % size == 0 && pitch % size == 0;
  };
  a.quads_in = lies_well(a.in, g.in_pitch * sizeof(In), sizeof(quad<In>)) && (g.before.x + tile::lead) % 4 == 0;
  a.quads_out = lies_well(a.out, g.out_pitch * sizeof(Out), sizeof(quad<Out>));
  a.across = static_cast<unsigned>((g.out.x + tile::width - 1) / tile::width);
  const auto down = static_cast<unsigned>((g.out.y + tile::height - 1) / tile::height);
  convolve_tile<In, Out, K, split, Shape>
      <<<dim3(a.across * down, 1, static_cast<unsigned>(g.out.z)), Shape::warps * warp_size, 0, d.stream()>>>(a);
  check(cudaGetLastError(), "launching convolve's kernel");
}

}  // namespace upsweep::cuda
