// Pictures under a square mask whose width K the kernel knows, whole or split into a row and a column.
//
// A warp walks down a strip of 128 columns, a lane four of them. Rows of the input come into the warp's own ring in shared memory by asynchronous
// copies, some rows ahead, and only the copying knows of edges: what is beyond them is put into the ring as the border says. A lane keeps the sums of
// the K rows of results that are under way in registers. A row of input is added to all of them, the first is then whole and is written, and
// the others move up: sum o becomes weight · element + sum o + 1, which costs no instruction of its own. So an element is read from shared memory
// once for K rows of products, and from memory once but for the strips' halos.
//
// Warps share nothing but the weights: no barrier of the block after the first.
#pragma once

#include <array>
#include <utility>

#include "upsweep/convolve/cuda/quad.cuh"
#include "upsweep/convolve/cuda_tuning.hpp"
#include "upsweep/cuda/warp.cuh"

namespace upsweep::cuda {

template <class In, class Out>
struct walk_arguments {
  const In* in;
  Out* out;
  const float* weights;                         // whole: K rows of K; split: the row, then the column
  std::int64_t in_pitch, out_pitch;             // of slice z: z · height · pitch
  int in_x, in_y, out_x, out_y, before_x, before_y;
  int rows;                                     // results down a walk
  unsigned strips, walks;
  border edge;
  bool turned, quads_in, quads_out;
};

__device__ inline void copy_sixteen_bytes(void* to_shared, const void* from) {
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(
                   static_cast<std::uint32_t>(__cvta_generic_to_shared(to_shared))),
               "l"(from)
               : "memory");
}
__device__ inline void close_copies() { asm volatile("cp.async.commit_group;" ::: "memory"); }
// Until all but the last `Left` groups of this thread's copies are there.
template <int Left>
__device__ void wait_copies() {
  asm volatile("cp.async.wait_group %0;" ::"n"(Left) : "memory");
}

template <class In>
__device__ void to_floats(quad<In> q, float* to) {
#pragma unroll
  for (int i = 0; i < 4; ++i) to[i] = convolve_room::lifted<float>(q.at[i]);
}
// A byte b in the mantissa of 2^23 is 2^23 + b: two full-rate instructions instead of a slow conversion.
__device__ inline void to_floats(quad<std::uint8_t> q, float* to) {
  const std::uint32_t word = __builtin_bit_cast(std::uint32_t, q);
#pragma unroll
  for (int i = 0; i < 4; ++i) to[i] = __uint_as_float(__byte_perm(word, 0x4b000000u, 0x7540 + i)) - 0x1p23f;
}

template <class In, int K>
struct walk_row {
  static constexpr int lanes_elements = 4 * warp_size, half = (K - 1) / 2;
  static constexpr int chunk = 16 / sizeof(In);                      // elements of a copy
  static constexpr int lead = (chunk - half % chunk) % chunk;        // so that a mask about its middle begins on a multiple of 16 bytes
  static constexpr int length = (lead + lanes_elements + K - 1 + chunk - 1) / chunk * chunk;
  static constexpr int offset = lead / 4 * 4, skip = lead % 4;       // of a lane's first quad, and in it
  static constexpr int quads = (skip + 4 + K - 1 + 3) / 4;
};

// A whole warp: row y of the input, as far as the strip that begins at x needs it.
template <int K, class In, class Out>
__device__ void load_walk_row(In* to, const walk_arguments<In, Out>& a, const In* slice, int x, int y, int lane) {
  using row = walk_row<In, K>;
  const std::int64_t from_y = place_of(a.edge, y, a.in_y);
  const In* const from = slice + from_y * a.in_pitch;
  const int first = x - a.before_x - row::lead;
#pragma unroll 1
  for (int c = lane; c < row::length / row::chunk; c += warp_size) {
    const int at = first + c * row::chunk;
    if (a.quads_in && from_y >= 0 && at >= 0 && at + row::chunk <= a.in_x) {
      copy_sixteen_bytes(to + c * row::chunk, from + at);
    } else {
#pragma unroll 1
      for (int e = 0; e < row::chunk; ++e) {
        const std::int64_t from_x = from_y < 0 ? -1 : place_of(a.edge, at + e, a.in_x);
        to[c * row::chunk + e] = from_x < 0 ? In(0) : from[from_x];
      }
    }
  }
}

template <class In, class Out, int K, bool split>
struct walk_shared {
  static constexpr int stages = convolve_room::walk_rows_ahead + 1, padded = (K + 3) / 4 * 4;
  alignas(16) float weights[split ? 2 : K][padded];
  alignas(16) In ring[convolve_room::walk_warps][stages][walk_row<In, K>::length];
};

template <class In, class Out, int K, bool split>
__global__ void __launch_bounds__(convolve_room::walk_warps* warp_size)
    walk_down(const __grid_constant__ walk_arguments<In, Out> a) {
  using row = walk_row<In, K>;
  using memory = walk_shared<In, Out, K, split>;
  constexpr int stages = memory::stages, padded = memory::padded;
  extern __shared__ __align__(16) unsigned char walk_bytes[];
  auto& shared = *reinterpret_cast<memory*>(walk_bytes);
  const int lane = static_cast<int>(threadIdx.x) % warp_size, warp = static_cast<int>(threadIdx.x) / warp_size;
  constexpr int weights = (split ? 2 : K) * K;
  for (int i = static_cast<int>(threadIdx.x); i < weights; i += convolve_room::walk_warps * warp_size) {
    const int line = i / K, column = i % K;
    const int from = !a.turned ? i : split ? line * K + K - 1 - column : weights - 1 - i;
    shared.weights[line][column] = a.weights[from];
  }
  __syncthreads();  // the weights are there

  const unsigned walk = blockIdx.x * convolve_room::walk_warps + static_cast<unsigned>(warp);
  if (walk >= a.walks) return;
  const int x = static_cast<int>(walk % a.strips) * row::lanes_elements, first = static_cast<int>(walk / a.strips) * a.rows;
  const int steps = min(a.rows, a.out_y - first) + K - 1;
  const In* const slice = a.in + static_cast<std::int64_t>(blockIdx.z) * a.in_y * a.in_pitch;
  Out* const out = a.out + static_cast<std::int64_t>(blockIdx.z) * a.out_y * a.out_pitch;
  auto& ring = shared.ring[warp];
  const int first_y = first - a.before_y;
#pragma unroll 1
  for (int r = 0; r < stages - 1; ++r) {
    if (r < steps) load_walk_row<K>(ring[r], a, slice, x, first_y + r, lane);
    close_copies();
  }

  float sum[K][4] = {};
  int slot = 0;
  const int mine = x + 4 * lane;
#pragma unroll 1
  for (int r = 0; r < steps; ++r) {
    wait_copies<stages - 2>();
    __syncwarp();  // row r is there for all lanes, and all have read row r - 1
    const auto* const from = reinterpret_cast<const quad<In>*>(ring[slot] + row::offset) + lane;
    float v[4 * row::quads];
#pragma unroll
    for (int q = 0; q < row::quads; ++q) to_floats(from[q], v + 4 * q);
    const int free = slot == 0 ? stages - 1 : slot - 1;
    if (r + stages - 1 < steps) load_walk_row<K>(ring[free], a, slice, x, first_y + r + stages - 1, lane);
    close_copies();
    if (++slot == stages) slot = 0;

    const auto weights_of = [&](int line, float (&w)[padded]) {
#pragma unroll
      for (int i = 0; i < padded; i += 4) {
        const float4 four = *reinterpret_cast<const float4*>(&shared.weights[line][i]);
        w[i] = four.x, w[i + 1] = four.y, w[i + 2] = four.z, w[i + 3] = four.w;
      }
    };
    if constexpr (split) {
      float w[padded], h[4] = {};
      weights_of(0, w);
#pragma unroll
      for (int i = 0; i < K; ++i)
#pragma unroll
        for (int p = 0; p < 4; ++p) h[p] = fmaf(w[i], v[row::skip + p + i], h[p]);
      weights_of(1, w);
#pragma unroll
      for (int o = 0; o < K; ++o)
#pragma unroll
        for (int p = 0; p < 4; ++p) sum[o][p] = fmaf(w[K - 1 - o], h[p], o + 1 < K ? sum[o + 1][p] : 0.0f);
    } else {
#pragma unroll
      for (int o = 0; o < K; ++o) {
        float w[padded];
        weights_of(K - 1 - o, w);
#pragma unroll
        for (int p = 0; p < 4; ++p) sum[o][p] = o + 1 < K ? sum[o + 1][p] : 0.0f;
#pragma unroll
        for (int i = 0; i < K; ++i)
#pragma unroll
          for (int p = 0; p < 4; ++p) sum[o][p] = fmaf(w[i], v[row::skip + p + i], sum[o][p]);
      }
    }
    if (r < K - 1) continue;
    Out* const to = out + static_cast<std::int64_t>(first + r - (K - 1)) * a.out_pitch + mine;
    quad<Out> q;
#pragma unroll
    for (int p = 0; p < 4; ++p) q.at[p] = convolve_room::stored<Out>(sum[0][p]);
    if (a.quads_out && mine + 4 <= a.out_x) {
      *reinterpret_cast<quad<Out>*>(to) = q;
    } else {
#pragma unroll
      for (int p = 0; p < 4; ++p)
        if (mine + p < a.out_x) to[p] = q.at[p];
    }
  }
}

// Rows of results that a walk takes: the fewest steps of the longest-running warp, when so many warps run at once.
inline int rows_of_a_walk(std::uint64_t strips, std::uint64_t height, std::uint64_t at_once, int mask) {
  std::uint64_t best_rows = height, best = ~std::uint64_t{0};
  for (std::uint64_t parts = 1; parts <= height; parts += 1 + parts / 16) {
    const std::uint64_t rows = (height + parts - 1) / parts, turns = (strips * parts + at_once - 1) / at_once;
    const std::uint64_t cost = turns * (rows + static_cast<std::uint64_t>(mask) + convolve_room::walk_rows_ahead);
    if (cost < best) best = cost, best_rows = rows;
    if (strips * parts > 8 * at_once) break;
  }
  return static_cast<int>(best_rows);
}

template <int K, bool split, class In, class Out>
void walk_with(device& d, const problem& p, memory weights) {
  using namespace convolve_room;
  const geometry g = geometry_of(p);
  const auto kernel = walk_down<In, Out, K, split>;
  constexpr int threads = walk_warps * warp_size;
  constexpr std::size_t bytes = sizeof(walk_shared<In, Out, K, split>);
  static std::array<int, 64> resident{};
  int& blocks = resident[static_cast<std::size_t>(d.index()) % resident.size()];
  if (blocks == 0) {
    check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(bytes)), "convolve on cuda");
    int a_multiprocessor = 0;
    check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&a_multiprocessor, kernel, threads, bytes), "convolve on cuda");
    blocks = std::max(1, a_multiprocessor) * d.multiprocessors();
  }
  walk_arguments<In, Out> a{p.in.as<const In>(), p.out.as<Out>(), weights.as<const float>(), static_cast<std::int64_t>(g.in_pitch),
                            static_cast<std::int64_t>(g.out_pitch)};
  a.in_x = static_cast<int>(g.in.x), a.in_y = static_cast<int>(g.in.y);
  a.out_x = static_cast<int>(g.out.x), a.out_y = static_cast<int>(g.out.y);
  a.before_x = static_cast<int>(g.before.x), a.before_y = static_cast<int>(g.before.y);
  const std::uint64_t strips = (g.out.x + 4 * warp_size - 1) / (4 * warp_size);
  a.rows = rows_of_a_walk(strips * g.out.z, g.out.y, static_cast<std::uint64_t>(blocks) * walk_warps, K);
  a.strips = static_cast<unsigned>(strips);
  a.walks = static_cast<unsigned>(strips * ((g.out.y + a.rows - 1) / a.rows));
  a.edge = p.edge, a.turned = p.flipped;
  a.quads_in = reinterpret_cast<std::uintptr_t>(a.in) % 16 == 0 && g.in_pitch * sizeof(In) % 16 == 0 && g.before.x == (K - 1) / 2;
  a.quads_out = reinterpret_cast<std::uintptr_t>(a.out) % sizeof(quad<Out>) == 0 && g.out_pitch % 4 == 0;
  const dim3 grid((a.walks + walk_warps - 1) / walk_warps, 1, static_cast<unsigned>(g.out.z));
  kernel<<<grid, threads, bytes, d.stream()>>>(a);
  check(cudaGetLastError(), "launching convolve's kernel");
}

// What a walk takes: one channel of f32 or u8, and pictures whose sizes an int holds.
inline bool can_walk(const problem& p) {
  const auto small = [](std::uint64_t x) { return x < (1u << 30); };
  return p.channels == 1 && p.mask.z == 1 && p.mask.x == p.mask.y && p.mask_type == dtype::f32 && p.type == p.out_type &&
         (p.type == dtype::f32 || p.type == dtype::u8) && small(p.size.x) && small(p.size.y) && p.size.z < 65536;
}

// Calls f(width) with the width as a constant, where it is one of the list. False where it is not.
template <const auto& list, class F>
bool with_width(std::uint64_t mask, F f) {
  return [&]<std::size_t... i>(std::index_sequence<i...>) {
    return ((mask == static_cast<std::uint64_t>(list[i]) && (f(std::integral_constant<int, list[i]>{}), true)) || ...);
  }(std::make_index_sequence<std::size(list)>{});
}

}  // namespace upsweep::cuda
