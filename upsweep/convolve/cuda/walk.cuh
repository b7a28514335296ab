// Pictures under a square mask whose width K the kernel knows, whole or split into a row and a column.
//
// A warp walks down a strip of 128 or 256 columns, a lane four or eight of them. Rows of the input come into the warp's own ring in shared memory by asynchronous
// copies, some rows ahead, and only the copying knows of edges: what is beyond them is put into the ring as the border says. A lane keeps the sums of
// the K rows of results that are under way in registers. A row of input is added to all of them, the first is then whole and is written, and
// the others move up: sum o becomes weight · element + sum o + 1, which costs no instruction of its own. So an element is read from shared memory
// once for K rows of products, and from memory once but for the strips' halos.
//
// Warps share nothing but the weights: no barrier of the block after the first.
#pragma once

#include <array>
#include <limits>
#include <utility>

#include "upsweep/convolve/cuda/quad.cuh"
#include "upsweep/convolve/cuda_tuning.hpp"
#include "upsweep/cuda/warp.cuh"

namespace upsweep::cuda {

template <class In, class Out>
struct walk_arguments {
  const In* in;
  Out* out;
  const float* weights;                         // whole: K rows of K; split: the row, the column, the pillar's one
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

// What a lane takes of a strip, and the blocks that are to share a multiprocessor: eight elements where the products are many, so that a weight serves
// eight of them, or where elements are bytes; four where more warps hide more of the memory's latency.
template <class In, int K, bool split>
inline constexpr int walk_lane = K <= 15 && (sizeof(In) == 1 || (!split && K >= 7)) ? 8 : 4;
template <class In, int K, bool split>
inline constexpr int walk_blocks = walk_lane<In, K, split> == 8 && (K > 7 || split || sizeof(In) == 1) ? 1 : 4;

template <class In, int K, bool split>
struct walk_row {
  static constexpr int each = walk_lane<In, K, split>, strip = each * warp_size, half = (K - 1) / 2;
  static constexpr int chunk = 16 / sizeof(In);                  // elements of a copy
  static constexpr int lead = (chunk - half % chunk) % chunk;    // so that a mask about its middle begins on a multiple of 16 bytes
  static constexpr int length = (lead + strip + K - 1 + chunk - 1) / chunk * chunk;
  static constexpr int copies = (length / chunk + warp_size - 1) / warp_size;  // of a lane
  static constexpr int offset = lead / 4 * 4, skip = lead % 4;   // of a lane's first quad, and in it
  static constexpr int quads = (skip + each + K - 1 + 3) / 4;
};

// A chunk at the edge of the picture, or of one whose rows lie as no chunk can be copied: element by element, and not waited for either where a copy
// can be as small as an element. Not inlined, and given values only, so that what the rare case needs does not crowd the sums out of their registers.
template <class In>
__device__ __noinline__ void fill_chunk(In* to, const In* slice, std::int64_t pitch, int x, int y, int in_x, int in_y, border edge) {
  constexpr int count = 16 / sizeof(In);
  const std::int64_t from_y = place_of(edge, y, in_y);
  const In* const from = slice + from_y * pitch;
  if constexpr (sizeof(In) >= 4) {
#pragma unroll 1
    for (int e = 0; e < count; ++e) {
      const std::int64_t from_x = from_y < 0 ? -1 : place_of(edge, x + e, in_x);
      asm volatile("cp.async.ca.shared.global [%0], [%1], %2, %3;" ::"r"(
                       static_cast<std::uint32_t>(__cvta_generic_to_shared(to + e))),
                   "l"(from_x < 0 ? slice : from + from_x), "n"(sizeof(In)), "r"(from_x < 0 ? 0 : static_cast<int>(sizeof(In)))
                   : "memory");
    }
  } else {
    alignas(16) In all[count];  // all loads under way together
#pragma unroll
    for (int e = 0; e < count; ++e) {
      const std::int64_t from_x = from_y < 0 ? -1 : place_of(edge, x + e, in_x);
      all[e] = from_x < 0 ? In(0) : from[from_x];
    }
    *reinterpret_cast<uint4*>(to) = *reinterpret_cast<const uint4*>(all);
  }
}

// The rows of a strip's input, one after the other, on their way into the ring.
template <class In, class Out, int K, bool split>
struct walk_loader {
  using row = walk_row<In, K, split>;
  const walk_arguments<In, Out>& a;
  const In* slice;
  const In* next[row::copies];   // the lane's chunks in row y, where that is a row of the picture
  bool whole[row::copies];       // the chunk lies in the picture, and on a multiple of 16 bytes
  int first, y, lane;

  __device__ walk_loader(const walk_arguments<In, Out>& a, const In* slice, int x, int y, int lane)
      : a(a), slice(slice), first(x - a.before_x - row::lead), y(y), lane(lane) {
#pragma unroll
    for (int k = 0; k < row::copies; ++k) {
      const int c = lane + k * warp_size, at = first + c * row::chunk;
      whole[k] = a.quads_in && at >= 0 && at + row::chunk <= a.in_x && c < row::length / row::chunk;
      next[k] = slice + static_cast<std::int64_t>(y) * a.in_pitch + at;
    }
  }

  __device__ void load(In* to) {
    const bool inside = static_cast<unsigned>(y) < static_cast<unsigned>(a.in_y);
#pragma unroll
    for (int k = 0; k < row::copies; ++k) {
      const int c = lane + k * warp_size;
      if (inside && whole[k])
        copy_sixteen_bytes(to + c * row::chunk, next[k]);
      else if (c < row::length / row::chunk)
        fill_chunk(to + c * row::chunk, slice, a.in_pitch, first + c * row::chunk, y, a.in_x, a.in_y, a.edge);
      next[k] += a.in_pitch;
    }
    ++y;
  }
};

// The strips at the edges, whose rows are gathered, go first: they take longest.
struct walk_place {
  unsigned strip, part;
};
__device__ inline walk_place place_of_walk(unsigned walks, unsigned strips, unsigned walk) {
  const unsigned outer = strips > 2 ? 2 * (walks / strips) : 0, inner = outer ? strips - 2 : strips;
  if (walk < outer) return {walk % 2 * (strips - 1), walk / 2};
  return {(walk - outer) % inner + (outer ? 1 : 0), (walk - outer) / inner};
}

template <class In, class Out, int K, bool split>
struct walk_shared {
  static constexpr int stages = convolve_room::walk_rows_ahead + 1, padded = (K + 3) / 4 * 4;
  alignas(16) float weights[split ? 2 : K][padded];
  alignas(16) In ring[convolve_room::walk_warps][stages][walk_row<In, K, split>::length];
};

template <class In, class Out, int K, bool split>
__global__ void __launch_bounds__(convolve_room::walk_warps* warp_size, walk_blocks<In, K, split>)
    walk_down(const __grid_constant__ walk_arguments<In, Out> a) {
  using row = walk_row<In, K, split>;
  using memory = walk_shared<In, Out, K, split>;
  constexpr int stages = memory::stages, padded = memory::padded, each = row::each;
  extern __shared__ __align__(16) unsigned char walk_bytes[];
  auto& shared = *reinterpret_cast<memory*>(walk_bytes);
  const int lane = static_cast<int>(threadIdx.x) % warp_size, warp = static_cast<int>(threadIdx.x) / warp_size;
  constexpr int weights = (split ? 2 : K) * K;
  for (int i = static_cast<int>(threadIdx.x); i < weights; i += convolve_room::walk_warps * warp_size) {
    const int line = i / K, column = i % K;
    const int from = !a.turned ? i : split ? line * K + K - 1 - column : weights - 1 - i;
    // Of a split mask the pillar's one weight goes into the column's.
    shared.weights[line][column] = split && line == 1 ? a.weights[from] * a.weights[2 * K] : a.weights[from];
  }
  __syncthreads();  // the weights are there

  const unsigned walk = blockIdx.x * convolve_room::walk_warps + static_cast<unsigned>(warp);
  if (walk >= a.walks) return;
  const walk_place place = place_of_walk(a.walks, a.strips, walk);
  const int x = static_cast<int>(place.strip) * row::strip, first = static_cast<int>(place.part) * a.rows;
  const int steps = min(a.rows, a.out_y - first) + K - 1;
  auto& ring = shared.ring[warp];
  walk_loader<In, Out, K, split> loader(a, a.in + static_cast<std::int64_t>(blockIdx.z) * a.in_y * a.in_pitch, x, first - a.before_y, lane);
#pragma unroll 1
  for (int r = 0; r < stages - 1; ++r) {
    if (r < steps) loader.load(ring[r]);
    close_copies();
  }

  const auto weights_of = [&](int line, float (&w)[padded]) {
#pragma unroll
    for (int i = 0; i < padded; i += 4) {
      const float4 four = *reinterpret_cast<const float4*>(&shared.weights[line][i]);
      w[i] = four.x, w[i + 1] = four.y, w[i + 2] = four.z, w[i + 3] = four.w;
    }
  };
  float sum[K][each] = {};
  int slot = 0;
  const int mine = x + each * lane;
  Out* to = a.out + (static_cast<std::int64_t>(blockIdx.z) * a.out_y + first - (K - 1)) * a.out_pitch + mine;
  const bool all_mine = a.quads_out && mine + each <= a.out_x;
#pragma unroll 1
  for (int r = 0; r < steps; ++r, to += a.out_pitch) {
    wait_copies<stages - 2>();
    __syncwarp();  // row r is there for all lanes, and all have read row r - 1
    const auto* const from = reinterpret_cast<const quad<In>*>(ring[slot] + row::offset) + lane * (each / 4);
    float v[4 * row::quads];
#pragma unroll
    for (int q = 0; q < row::quads; ++q) to_floats(from[q], v + 4 * q);
    const int free = slot == 0 ? stages - 1 : slot - 1;
    if (r + stages - 1 < steps) loader.load(ring[free]);
    close_copies();
    if (++slot == stages) slot = 0;

    if constexpr (split) {
      float w[padded], h[each] = {};
      weights_of(0, w);
#pragma unroll
      for (int i = 0; i < K; ++i)
#pragma unroll
        for (int p = 0; p < each; ++p) h[p] = fmaf(w[i], v[row::skip + p + i], h[p]);
      weights_of(1, w);
#pragma unroll
      for (int o = 0; o < K; ++o)
#pragma unroll
        for (int p = 0; p < each; ++p) sum[o][p] = fmaf(w[K - 1 - o], h[p], o + 1 < K ? sum[o + 1][p] : 0.0f);
    } else {
#pragma unroll
      for (int o = 0; o < K; ++o) {
        float w[padded];
        weights_of(K - 1 - o, w);
#pragma unroll
        for (int p = 0; p < each; ++p) sum[o][p] = o + 1 < K ? sum[o + 1][p] : 0.0f;
#pragma unroll
        for (int i = 0; i < K; ++i)
#pragma unroll
          for (int p = 0; p < each; ++p) sum[o][p] = fmaf(w[i], v[row::skip + p + i], sum[o][p]);
      }
    }
    if (r < K - 1) continue;
    if (all_mine) {
#pragma unroll
      for (int q = 0; q < each; q += 4) {
        quad<Out> four;
#pragma unroll
        for (int p = 0; p < 4; ++p) four.at[p] = convolve_room::stored<Out>(sum[0][q + p]);
        *reinterpret_cast<quad<Out>*>(to + q) = four;
      }
    } else {
#pragma unroll
      for (int p = 0; p < each; ++p)
        if (mine + p < a.out_x) to[p] = convolve_room::stored<Out>(sum[0][p]);
    }
  }
}

// Rows of results that a walk takes, in multiples of `step`, when so many warps run at once: all steps of all walks, shared out, and one walk more for
// those that end late.
inline int rows_of_a_walk(std::uint64_t strips, std::uint64_t height, std::uint64_t at_once, int mask, std::uint64_t step) {
  const double before_first = mask - 1 + 4, load = static_cast<double>(strips) / static_cast<double>(at_once);
  double best = std::numeric_limits<double>::infinity();
  std::uint64_t rows = height;
  for (std::uint64_t parts = 1; parts <= height; parts += 1 + parts / 16) {
    const std::uint64_t each = ((height + parts - 1) / parts + step - 1) / step * step;
    const double steps = static_cast<double>(each) + before_first, cost = load * static_cast<double>(parts) * steps + steps;
    if (cost < best) best = cost, rows = each;
  }
  return static_cast<int>(rows);
}

template <class In, class Out, int K, bool split, class Kernel>
void launch_walks(device& d, const problem& p, memory weights, Kernel kernel, std::size_t bytes, int warps, std::uint64_t step) {
  using namespace convolve_room;
  const geometry g = geometry_of(p);
  const int threads = warps * warp_size;
  static std::array<int, 64> resident{};
  int& blocks = resident[static_cast<std::size_t>(d.index()) % resident.size()];
  if (blocks == 0) {
    check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(bytes)), "convolve on cuda");
    int a_multiprocessor = 0;
    check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&a_multiprocessor, kernel, threads, bytes), "convolve on cuda");
    blocks = std::max(1, a_multiprocessor) * d.multiprocessors();
  }
  constexpr std::uint64_t strip = walk_row<In, K, split>::strip;
  const std::uint64_t strips = (g.out.x + strip - 1) / strip;
  walk_arguments<In, Out> a{p.in.as<const In>(), p.out.as<Out>(), weights.as<const float>(), static_cast<std::int64_t>(g.in_pitch),
                            static_cast<std::int64_t>(g.out_pitch)};
  a.in_x = static_cast<int>(g.in.x), a.in_y = static_cast<int>(g.in.y);
  a.out_x = static_cast<int>(g.out.x), a.out_y = static_cast<int>(g.out.y);
  a.before_x = static_cast<int>(g.before.x), a.before_y = static_cast<int>(g.before.y);
  a.rows = rows_of_a_walk(strips * g.out.z, g.out.y, static_cast<std::uint64_t>(blocks) * static_cast<std::uint64_t>(warps), K, step);
  a.strips = static_cast<unsigned>(strips);
  a.walks = static_cast<unsigned>(strips * ((g.out.y + static_cast<std::uint64_t>(a.rows) - 1) / static_cast<std::uint64_t>(a.rows)));
  a.edge = p.edge, a.turned = p.flipped;
  a.quads_in = reinterpret_cast<std::uintptr_t>(a.in) % 16 == 0 && g.in_pitch * sizeof(In) % 16 == 0 && g.before.x == (K - 1) / 2;
  a.quads_out = reinterpret_cast<std::uintptr_t>(a.out) % sizeof(quad<Out>) == 0 && g.out_pitch % 4 == 0;
  const auto of_block = static_cast<unsigned>(warps);
  kernel<<<dim3((a.walks + of_block - 1) / of_block, 1, static_cast<unsigned>(g.out.z)), threads, bytes, d.stream()>>>(a);
  check(cudaGetLastError(), "launching convolve's kernel");
}

template <int K, bool split, class In, class Out>
void walk_with(device& d, const problem& p, memory weights) {
  launch_walks<In, Out, K, split>(d, p, weights, walk_down<In, Out, K, split>, sizeof(walk_shared<In, Out, K, split>),
                                  convolve_room::walk_warps, 1);
}

// What a walk takes: one channel of f32 or u8, and pictures whose sizes an int holds.
inline bool can_walk(const problem& p) {
  const auto small = [](std::uint64_t x) { return x < (1u << 30); };
  return p.channels == 1 && p.mask.z == 1 && p.mask.x == p.mask.y && p.mask_type == dtype::f32 && p.type == p.out_type &&
         (p.type == dtype::f32 || p.type == dtype::u8) && small(p.size.x) && small(p.size.y) && p.size.z < 65536;
}

}  // namespace upsweep::cuda
