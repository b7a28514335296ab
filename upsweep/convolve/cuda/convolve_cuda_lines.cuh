// Sums along lines under a mask of any length: along rows from tiles in shared memory, and down columns, or across
// slices, from memory.
//
// A thread keeps some neighbouring results, and a window of twice as many elements, in registers; then as many weights
// are multiplied with all of them, and as many new elements are read. The weights of the last, shorter group are
// processed one by one: a product with a zero that is not the mask's would make NaN of an infinity.
#pragma once

#include "upsweep/convolve/cuda/convolve_cuda_tuning.hpp"
#include "upsweep/convolve/cuda/convolve_quad.cuh"
#include "upsweep/cuda/warp.cuh"

namespace upsweep::cuda {

// sum[r] += Σ weight[k] · element(r + k), k < count. read(first, to) reads `results` elements from `first` on; those
// past the last are not used. `weights` is aligned to 16 bytes, with room for a multiple of `results`.
template <int results, class Sum, class Read>
__device__ void add_line_products(Sum (&sum)[results], const Sum* weights, int count, Read read) {
  Sum v[2 * results];
  read(0, v);
  int k = 0;
#pragma unroll 2
  for (; k + results <= count; k += results) {
    read(k + results, v + results);
#pragma unroll
    for (int i = 0; i < results; i += 4) {
      const quad<Sum> w = *reinterpret_cast<const quad<Sum>*>(weights + k + i);
#pragma unroll
      for (int j = 0; j < 4; ++j)
#pragma unroll
        for (int r = 0; r < results; ++r) sum[r] += w.at[j] * v[r + i + j];
    }
#pragma unroll
    for (int r = 0; r < results; ++r) v[r] = v[results + r];
  }
  const int rest = count - k;
  if (rest == 0) return;
  read(k + results, v + results);
#pragma unroll
  for (int i = 0; i < results; i += 4) {
    const quad<Sum> w = *reinterpret_cast<const quad<Sum>*>(weights + k + i);  // the buffer is padded
    if (rest >= i + 4) {
#pragma unroll
      for (int j = 0; j < 4; ++j)
#pragma unroll
        for (int r = 0; r < results; ++r) sum[r] += w.at[j] * v[r + i + j];
    } else if (rest > i) {
#pragma unroll
      for (int j = 0; j < 3; ++j)
        if (rest > i + j) {
#pragma unroll
          for (int r = 0; r < results; ++r) sum[r] += w.at[j] * v[r + i + j];
        }
    }
  }
}

// ---- along rows

template <class In, class Out, class Sum>
struct row_arguments {
  const In* in;
  Out* out;
  const Sum* weights;
  std::int64_t in_x, out_x, in_pitch, out_pitch, before, lines;  // a line is a row and a channel
  int mask, channels;
  border edge;
  bool turned, quads_in, quads_out;
};

// The position of element i of a tile in shared memory: four unused cells after every 16, so that lanes whose elements
// begin 16 apart read 16 bytes each without bank conflicts.
__device__ inline int spread_row(int i) { return i + i / 16 * 4; }

inline constexpr int short_row_threads = detail::convolve_impl::short_row_threads,
                     row_threads = detail::convolve_impl::row_threads, row_results = detail::convolve_impl::row_results,
                     row_tile = row_threads * row_results;

// Elements of the tile with its halo, read in groups of row_results.
__host__ __device__ constexpr int row_weights(int mask) { return (mask + row_results - 1) / row_results * row_results; }
constexpr int row_tile_cells(int mask) {
  const int elements = row_tile + row_weights(mask) + row_results;
  return elements + elements / 16 * 4 + 4;
}

// Shared memory of a block.
template <class Sum>
constexpr std::size_t row_bytes(int mask) {
  return static_cast<std::size_t>(row_weights(mask) + row_tile_cells(mask)) * sizeof(Sum);
}

template <class In, class Out, class Sum>
__global__ void __launch_bounds__(row_threads) convolve_rows(const __grid_constant__ row_arguments<In, Out, Sum> a) {
  extern __shared__ __align__(16) unsigned char row_bytes[];
  Sum* const weights = reinterpret_cast<Sum*>(row_bytes);
  Sum* const tile = weights + row_weights(a.mask);
  const int thread = static_cast<int>(threadIdx.x);
  const std::int64_t x = static_cast<std::int64_t>(blockIdx.x) * row_tile;
  for (int i = thread; i < a.mask; i += row_threads) weights[i] = a.weights[a.turned ? a.mask - 1 - i : i];
  for (std::int64_t line = blockIdx.y; line < a.lines; line += gridDim.y) {
    const std::int64_t row = line / a.channels, channel = line % a.channels;
    const In* const from = a.in + row * a.in_pitch + channel;
    const std::int64_t first = x - a.before;
    const int wanted = static_cast<int>(min(static_cast<std::int64_t>(row_tile), a.out_x - x)) + a.mask - 1;
    if (a.quads_in) {
      // The tile begins at a multiple of four elements.
      for (int i = 4 * thread; i < wanted; i += 4 * row_threads) {
        Sum four[4];
        if (first + i >= 0 && first + i + 4 <= a.in_x) {
          const quad<In> q = *reinterpret_cast<const quad<In>*>(from + first + i);
#pragma unroll
          for (int e = 0; e < 4; ++e) four[e] = detail::convolve_impl::to_accumulator<Sum>(q.at[e]);
        } else {
#pragma unroll
          for (int e = 0; e < 4; ++e) {
            const std::int64_t at = border_index(a.edge, first + i + e, a.in_x);
            four[e] = at < 0 ? Sum(0) : detail::convolve_impl::to_accumulator<Sum>(from[at]);
          }
        }
        *reinterpret_cast<quad<Sum>*>(tile + spread_row(i)) = {four[0], four[1], four[2], four[3]};
      }
    } else if (first >= 0 && first + wanted <= a.in_x) {
      const In* const begin = from + first * a.channels;
#pragma unroll 8
      for (int i = thread; i < wanted; i += row_threads)
        tile[spread_row(i)] =
            detail::convolve_impl::to_accumulator<Sum>(begin[static_cast<std::int64_t>(i) * a.channels]);
    } else {
      for (int i = thread; i < wanted; i += row_threads) {
        const std::int64_t at = border_index(a.edge, first + i, a.in_x);
        tile[spread_row(i)] = at < 0 ? Sum(0) : detail::convolve_impl::to_accumulator<Sum>(from[at * a.channels]);
      }
    }
    __syncthreads();  // orders the writes of the tile and the weights before their reads

    Sum sum[row_results] = {};
    static_assert(row_results == 16);
    const int mine =
        spread_row(row_results * thread);  // a multiple of 16 elements further is at the same offset for all
    add_line_products(sum, weights, a.mask, [&](int k, Sum* to) {
      const quad<Sum>* const from = reinterpret_cast<const quad<Sum>*>(tile + mine + k / 16 * 20);
#pragma unroll
      for (int q = 0; q < row_results / 4; ++q) {
        const quad<Sum> four = from[q];
#pragma unroll
        for (int e = 0; e < 4; ++e) to[4 * q + e] = four.at[e];
      }
    });
    __syncthreads();  // orders all reads of the tile before results overwrite it
#pragma unroll
    for (int q = 0; q < row_results / 4; ++q)
      *reinterpret_cast<quad<Sum>*>(tile + mine + 4 * q) = {sum[4 * q], sum[4 * q + 1], sum[4 * q + 2], sum[4 * q + 3]};
    __syncthreads();  // orders the writes of the results before their reads
    Out* const to = a.out + row * a.out_pitch + x * a.channels + channel;
    const int results = static_cast<int>(min(static_cast<std::int64_t>(row_tile), a.out_x - x));
    if (a.quads_out && results == row_tile) {
      for (int i = 4 * thread; i < row_tile; i += 4 * row_threads) {
        const quad<Sum> four = *reinterpret_cast<const quad<Sum>*>(tile + spread_row(i));
        quad<Out> q;
#pragma unroll
        for (int e = 0; e < 4; ++e) q.at[e] = detail::convolve_impl::stored<Out>(four.at[e]);
        *reinterpret_cast<quad<Out>*>(to + i) = q;
      }
    } else {
      for (int i = thread; i < results; i += row_threads)
        to[static_cast<std::int64_t>(i) * a.channels] = detail::convolve_impl::stored<Out>(tile[spread_row(i)]);
    }
    __syncthreads();  // orders the reads of the results before the next tile
  }
}

// ---- along rows, under a short mask anchored in its middle

// Four elements of a line that may end before or among them, or begin after the first of them.
template <class In>
__device__ __noinline__ quad<In> quad_at_edge(const In* line, std::int64_t x, std::int64_t in_x, border edge) {
  quad<In> q;
#pragma unroll
  for (int e = 0; e < 4; ++e) {
    const std::int64_t at = border_index(edge, x + e, in_x);
    q.at[e] = at < 0 ? In(0) : line[at];
  }
  return q;
}

inline constexpr int short_row_groups = detail::convolve_impl::short_row_groups;

// A warp processes neighbouring groups of 128 elements, each lane one quad of a group, so that an element is read once.
// A quad's neighbours come from other lanes; those of the first and the last group come from lanes that read one more
// quad.
template <class In, class Out, int K>
__global__ void __launch_bounds__(short_row_threads, detail::convolve_impl::short_row_blocks)
    convolve_short_rows(const __grid_constant__ row_arguments<In, Out, float> a) {
  constexpr int half = (K - 1) / 2, reach = (half + 3) / 4, groups = short_row_groups, group = 4 * warp_size;
  float w[K];
#pragma unroll
  for (int i = 0; i < K; ++i) w[i] = a.weights[a.turned ? K - 1 - i : i];
  const int lane = static_cast<int>(threadIdx.x) % warp_size, warp = static_cast<int>(threadIdx.x) / warp_size;
  const std::int64_t first =
      (std::int64_t{blockIdx.x} * (short_row_threads / warp_size) + warp) * (groups * group) + 4 * lane;
  for (std::int64_t line = blockIdx.y; line < a.lines; line += gridDim.y) {
    const In* const from = a.in + line * a.in_pitch;
    Out* const to = a.out + line * a.out_pitch;
    const auto quad_at = [&](std::int64_t x) {
      if (x >= 0 && x + 4 <= a.in_x) return *reinterpret_cast<const quad<In>*>(from + x);
      return quad_at_edge(from, x, a.in_x, a.edge);
    };
    quad<In> in[groups], beside{};
#pragma unroll
    for (int g = 0; g < groups; ++g) in[g] = quad_at(first + g * group);
    if (lane < reach || lane >= warp_size - reach) beside = quad_at(first + (lane < reach ? groups * group : -group));
#pragma unroll
    for (int g = 0; g < groups; ++g) {
      const quad<In> left = g == 0 ? beside : in[g == 0 ? 0 : g - 1],
                     right = g + 1 == groups ? beside : in[g + 1 == groups ? g : g + 1];
      float v[4 + 2 * half], sum[4] = {};
#pragma unroll
      for (int e = 0; e < 4; ++e) v[half + e] = detail::convolve_impl::to_accumulator<float>(in[g].at[e]);
#pragma unroll
      for (int d = 1; d <= half; ++d) {
        // For the element d positions left or right of the quad: the distance to its lane, and its index in that lane's
        // four.
        const int away = (d + 3) / 4, e = 4 * away - d, f = (d - 1) % 4;
        v[half - d] = __shfl_sync(
            whole_warp,
            detail::convolve_impl::to_accumulator<float>(lane >= warp_size - away ? left.at[e] : in[g].at[e]),
            lane - away);
        v[half + 3 + d] = __shfl_sync(
            whole_warp, detail::convolve_impl::to_accumulator<float>(lane < away ? right.at[f] : in[g].at[f]),
            lane + away);
      }
#pragma unroll
      for (int i = 0; i < K; ++i)
#pragma unroll
        for (int p = 0; p < 4; ++p) sum[p] = fmaf(w[i], v[p + i], sum[p]);
      const std::int64_t x = first + g * group;
      quad<Out> out;
#pragma unroll
      for (int p = 0; p < 4; ++p) out.at[p] = detail::convolve_impl::stored<Out>(sum[p]);
      if (x + 4 <= a.out_x) {
        *reinterpret_cast<quad<Out>*>(to + x) = out;
      } else {
#pragma unroll
        for (int p = 0; p < 4; ++p)
          if (x + p < a.out_x) to[x + p] = out.at[p];
      }
    }
  }
}

template <class In, class Out>
bool run_short_rows(device& d, const row_arguments<In, Out, float>& a) {
  if (!a.quads_in || !a.quads_out || a.before != (a.mask - 1) / 2 || a.out_x != a.in_x) return false;
  return with_width<detail::convolve_impl::short_rows>(static_cast<std::uint64_t>(a.mask), [&](auto width) {
    constexpr std::int64_t of_block = short_row_groups * 4 * short_row_threads;
    const auto across = static_cast<unsigned>((a.out_x + of_block - 1) / of_block);
    const auto down = static_cast<unsigned>(std::min<std::int64_t>(a.lines, 65535));
    convolve_short_rows<In, Out, width()><<<dim3(across, down), short_row_threads, 0, d.stream()>>>(a);
    check(cudaGetLastError(), "launching convolve's kernel");
  });
}

template <class In, class Out, class Sum>
void run_rows(device& d, row_arguments<In, Out, Sum> a) {
  const bool plain = a.channels == 1;
  a.quads_in =
      plain && reinterpret_cast<std::uintptr_t>(a.in) % sizeof(quad<In>) == 0 && (a.lines == 1 || a.in_pitch % 4 == 0);
  a.quads_out = plain && reinterpret_cast<std::uintptr_t>(a.out) % sizeof(quad<Out>) == 0 &&
                (a.lines == 1 || a.out_pitch % 4 == 0);
  if constexpr (std::is_same_v<Sum, float> && std::is_same_v<In, Out> &&
                (std::is_same_v<In, float> || std::is_same_v<In, std::uint8_t>))
    if (run_short_rows(d, a)) return;
  a.quads_in = a.quads_in && a.before % 4 == 0;
  const auto across = static_cast<unsigned>((a.out_x + row_tile - 1) / row_tile);
  const auto down = static_cast<unsigned>(
      std::min<std::int64_t>(a.lines, std::max<std::int64_t>(1, (std::int64_t{1} << 16) / across)));
  const std::size_t bytes = row_bytes<Sum>(a.mask);
  const auto kernel = convolve_rows<In, Out, Sum>;
  d.allow_shared(kernel, bytes, "convolve on cuda");
  kernel<<<dim3(across, std::min(down, 65535u)), row_threads, bytes, d.stream()>>>(a);
  check(cudaGetLastError(), "launching convolve's kernel");
}

// ---- down columns, or across slices

inline constexpr int line_threads = detail::convolve_impl::column_threads,
                     line_results = detail::convolve_impl::column_results;

template <class Sum, class Out>
struct column_arguments {
  const Sum* in;           // `outer` times `in_length` lines of `inner` sums
  const Sum* before_this;  // null, or the sums of the mask's previous products, in the layout of sums
  Sum* sums;               // the output as sums, or null
  Out* out;                // or the output as results
  const Sum* weights;
  const Sum* scale;  // null, or a further weight for every product
  std::int64_t inner, in_length, out_length, outer, before, out_row,
      out_pitch;  // out: rows of out_row elements, out_pitch apart
  int mask;
  border edge;
  bool turned;
};

template <class Sum, class Out>
__global__ void __launch_bounds__(line_threads) convolve_columns(const __grid_constant__ column_arguments<Sum, Out> a) {
  extern __shared__ __align__(16) unsigned char column_bytes[];
  Sum* const weights = reinterpret_cast<Sum*>(column_bytes);
  for (int i = static_cast<int>(threadIdx.x); i < a.mask; i += line_threads)
    weights[i] = a.weights[a.turned ? a.mask - 1 - i : i] * (a.scale ? *a.scale : Sum(1));
  __syncthreads();  // orders the writes of the weights before their reads
  const std::int64_t runs = (a.out_length + line_results - 1) / line_results,
                     blocks_across = (a.inner + line_threads - 1) / line_threads;
  const std::int64_t block = blockIdx.x, i = block % blocks_across * line_threads + threadIdx.x;
  const std::int64_t y = block / blocks_across % runs * line_results, z = block / blocks_across / runs;
  if (i >= a.inner || z >= a.outer) return;
  const Sum* const from = a.in + z * a.in_length * a.inner + i;
  Sum sum[line_results] = {};
  const std::int64_t last = y + line_results + a.mask - 1;
  if (y >= a.before && last - a.before <= a.in_length) {
    // Needed lines are never beyond the edges; a read past the last needed line returns a line before it.
    const Sum* const begin = from + (y - a.before) * a.inner;
    const auto most = static_cast<int>(last - y) - 1;
    add_line_products(sum, weights, a.mask, [&](int k, Sum* to) {
#pragma unroll
      for (int e = 0; e < line_results; ++e) to[e] = begin[static_cast<std::int64_t>(min(k + e, most)) * a.inner];
    });
  } else {
    add_line_products(sum, weights, a.mask, [&](int k, Sum* to) {
#pragma unroll
      for (int e = 0; e < line_results; ++e) {
        const std::int64_t wanted = y + k + e,
                           at = wanted < last ? border_index(a.edge, wanted - a.before, a.in_length) : -1;
        to[e] = at < 0 ? Sum(0) : from[at * a.inner];
      }
    });
  }
#pragma unroll
  for (int r = 0; r < line_results; ++r) {
    if (y + r >= a.out_length) break;
    const std::int64_t at = (z * a.out_length + y + r) * a.inner + i;
    Sum s = sum[r];
    if (a.before_this) s += a.before_this[at];
    if (a.sums) a.sums[at] = s;
    if (a.out) a.out[at / a.out_row * a.out_pitch + at % a.out_row] = detail::convolve_impl::stored<Out>(s);
  }
}

template <class Sum, class Out>
void run_columns(device& d, const column_arguments<Sum, Out>& a) {
  const std::int64_t blocks =
      (a.inner + line_threads - 1) / line_threads * ((a.out_length + line_results - 1) / line_results) * a.outer;
  const std::size_t bytes =
      static_cast<std::size_t>((a.mask + line_results - 1) / line_results * line_results) * sizeof(Sum);
  const auto kernel = convolve_columns<Sum, Out>;
  d.allow_shared(kernel, bytes, "convolve on cuda");
  kernel<<<static_cast<unsigned>(blocks), line_threads, bytes, d.stream()>>>(a);
  check(cudaGetLastError(), "launching convolve's kernel");
}

}  // namespace upsweep::cuda
