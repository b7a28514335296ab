// Pictures under a square mask, whole or split into a row and a column, whose width K is known at compile time.
//
// A block walks down a strip; each lane has four or eight columns of it. Bulk copies, one a row, load stages of some
// rows into a ring in shared memory. Only the loading handles edges: it writes the elements beyond them into the ring
// as the border says. A lane keeps the sums of the K rows of results in progress in registers. Each row of input is
// added to all of them; the first is then complete and is written, and the others move up: sum o becomes weight ·
// element + sum o + 1, which costs no extra instruction. So an element is read from shared memory once for K rows of
// products, and from memory once except for the strips' halos. Few halos are read because a strip is wide and its warps
// stay close together.
//
// Each stage has two barriers. The first orders the copies of its rows before their reads. The second orders the reads
// of all warps before the stage is loaded anew; one warp, each in turn, waits for it and loads.
#pragma once

#include <array>
#include <limits>
#include <utility>

#include "upsweep/convolve/convolve_problem.hpp"
#include "upsweep/convolve/cuda/convolve_cuda_tuning.hpp"
#include "upsweep/convolve/cuda/convolve_quad.cuh"
#include "upsweep/cuda/bulk_copy.cuh"
#include "upsweep/cuda/small_copy.cuh"
#include "upsweep/cuda/warp.cuh"

namespace upsweep::cuda {

// The parts of a strip from the top down: long walks first, then short ones for blocks that finish early.
struct walk_ladder {
  int rows[3], parts[3];
};

template <class In, class Out>
struct walk_arguments {
  const In* in;
  Out* out;
  const float* weights;              // whole: K rows of K; split: the row, the column, the pillar's one
  std::int64_t in_pitch, out_pitch;  // of slice z: z · height · pitch
  int in_x, in_y, out_x, out_y, before_x, before_y;
  walk_ladder ladder;
  unsigned strips;
  border edge;
  bool turned, quads_in, quads_out;
};

// Arrives at the barrier, whose current phase then also waits for `bytes` of copies.
__device__ inline void expect_bytes(copy_barrier* b, std::uint32_t bytes) {
#if __CUDA_ARCH__ >= 900
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(shared_address(b)), "r"(bytes)
               : "memory");
#elif defined(__CUDA_ARCH__)
  arrive_without_copy(b);
#endif
}
__device__ inline void start_row_copy(void* to_shared, const void* from, std::uint32_t bytes, copy_barrier* b) {
#if __CUDA_ARCH__ >= 900
  asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(
                   shared_address(to_shared)),
               "l"(from), "r"(bytes), "r"(shared_address(b))
               : "memory");
#endif
}
template <class In>
__device__ void to_floats(quad<In> q, float* to) {
#pragma unroll
  for (int i = 0; i < 4; ++i) to[i] = detail::convolve_impl::to_accumulator<float>(q.at[i]);
}
// Isolates a byte and converts the whole word, which is faster than converting a byte: the shift and the mask keep the
// compiler from converting a byte.
__device__ inline void to_floats(quad<std::uint8_t> q, float* to) {
  const std::uint32_t word = __builtin_bit_cast(std::uint32_t, q);
#pragma unroll
  for (int i = 0; i < 4; ++i) to[i] = static_cast<float>((word >> (8 * i)) & 255u);
}
// Stores four results; bytes by a conversion that rounds half to even and turns NaN into 0, and a saturating pack.
template <class Out>
__device__ quad<Out> stored_quad(const float* sum) {
  if constexpr (std::is_same_v<Out, std::uint8_t>) {
    int n[4];
#pragma unroll
    for (int i = 0; i < 4; ++i) n[i] = __float2int_rn(sum[i]);
    std::uint32_t high, all;
    asm("cvt.pack.sat.u8.s32.b32 %0, %1, %2, %3;" : "=r"(high) : "r"(n[3]), "r"(n[2]), "r"(0));
    asm("cvt.pack.sat.u8.s32.b32 %0, %1, %2, %3;" : "=r"(all) : "r"(n[1]), "r"(n[0]), "r"(high));
    return __builtin_bit_cast(quad<Out>, all);
  } else {
    quad<Out> q;
#pragma unroll
    for (int i = 0; i < 4; ++i) q.at[i] = detail::convolve_impl::stored<Out>(sum[i]);
    return q;
  }
}

template <class In, int K, class Shape>
struct walk_row {
  static constexpr int each = Shape::each, strip = each * warp_size * Shape::warps, half = (K - 1) / 2;
  static constexpr int chunk = 16 / sizeof(In);  // elements of the smallest copy
  static constexpr int lead =
      (chunk - half % chunk) % chunk;  // aligns windows of a mask anchored in its middle to 16 bytes
  static constexpr int length = (lead + strip + K - 1 + chunk - 1) / chunk * chunk;
  static constexpr int offset = lead / 4 * 4, skip = lead % 4;  // of a lane's first quad, and within it
  static constexpr int quads = (skip + each + K - 1 + 3) / 4;
};

// Reads a thread's elements of a row, by the widest aligned loads.
template <class In, class Row>
__device__ void read_window(const In* row, int thread, float* v) {
  const In* const from = row + Row::offset + thread * Row::each;
  constexpr int wide = sizeof(In) >= 4 ? 1 : Row::each / 4;  // quads of a load
  constexpr int before = (wide - Row::offset / 4 % wide) % wide,
                wides = Row::quads > before ? (Row::quads - before) / wide : 0;
  struct alignas(wide * sizeof(quad<In>)) many {
    quad<In> at[wide];
  };
  quad<In> q[Row::quads];
#pragma unroll
  for (int i = 0; i < Row::quads; ++i)
    if (i < before || i >= before + wide * wides) q[i] = *reinterpret_cast<const quad<In>*>(from + 4 * i);
#pragma unroll
  for (int i = 0; i < wides; ++i) {
    const many m = *reinterpret_cast<const many*>(from + 4 * (before + wide * i));
#pragma unroll
    for (int j = 0; j < wide; ++j) q[before + wide * i + j] = m.at[j];
  }
#pragma unroll
  for (int i = 0; i < Row::quads; ++i) to_floats(q[i], v + 4 * i);
}

struct walk_place {
  int strip, first, results;  // rows `first` … + results
};
template <class In, class Out>
__device__ walk_place place_of_walk(const walk_arguments<In, Out>& a, unsigned walk) {
  const walk_ladder& l = a.ladder;
  int part = static_cast<int>(walk / a.strips), first = 0, rows = l.rows[0];
  const int of_part = static_cast<int>(walk % a.strips);
  if (part >= l.parts[0]) {
    part -= l.parts[0], first = l.parts[0] * l.rows[0], rows = l.rows[1];
    if (part >= l.parts[1]) part -= l.parts[1], first += l.parts[1] * l.rows[1], rows = l.rows[2];
  }
  first += part * rows;
  // Strips at the edges first, because they take longest.
  return {of_part == 0   ? 0
          : of_part == 1 ? static_cast<int>(a.strips) - 1
                         : of_part - 1,
          first, max(0, min(rows, a.out_y - first))};
}

// As border_index, for positions that fit an int.
__device__ inline int near_place(border edge, int i, int n) {
  if (static_cast<unsigned>(i) < static_cast<unsigned>(n)) return i;
  if (edge == border::clamp) return i < 0 ? 0 : n - 1;
  if (edge == border::zero || edge == border::none) return -1;
  const unsigned period = edge == border::wrap ? n : edge == border::reflect ? 2u * n : 2u * n - 2;
  if (period == 0) return 0;
  const unsigned away = static_cast<unsigned>(i < 0 ? -i - 1 : i) % period;
  const int k = static_cast<int>(i < 0 ? period - 1 - away : away);
  return k < n ? k : edge == border::reflect ? 2 * n - 1 - k : static_cast<int>(period) - k;
}

// Loads rows of a walk's strip into stages; a warp calls it.
template <class In, class Out, class Row, int at_once>
struct walk_loader {
  const walk_arguments<In, Out>& a;
  int first, top;  // the first column of the ring's rows, and the first row
  bool whole;      // the whole row is inside the picture, and can be copied at once

  __device__ walk_loader(const walk_arguments<In, Out>& a, const walk_place& place)
      : a(a),
        first(place.strip * Row::strip - a.before_x - Row::lead),
        top(place.first - a.before_y),
        whole(a.quads_in && first >= 0 && first + Row::length <= a.in_x) {}

  __device__ void load(int r, In (*stage)[Row::length], copy_barrier* there) const {
    const int y = top + r, lane = static_cast<int>(threadIdx.x) % warp_size;
    const In* const slice = a.in + static_cast<std::int64_t>(blockIdx.z) * a.in_y * a.in_pitch;
    if (has_bulk_copy() && whole && y >= 0 && y + at_once <= a.in_y) {
      if (lane == 0) {
        expect_bytes(there, at_once * Row::length * sizeof(In));
        const In* from = slice + (static_cast<std::int64_t>(y) * a.in_pitch + first);
#pragma unroll
        for (int k = 0; k < at_once; ++k, from += a.in_pitch)
          start_row_copy(stage[k], from, Row::length * sizeof(In), there);
      } else {
        arrive_without_copy(there);
      }
      return;
    }
    // At an edge, or where rows are not aligned for copies: whole chunks inside the picture in one copy, the rest
    // element by element.
    const int begin = max(first, 0);
    const int chunks =
        has_bulk_copy() && a.quads_in ? max(0, min(first + Row::length, a.in_x) - begin) / Row::chunk : 0;
    std::uint32_t bytes = 0;
#pragma unroll 1
    for (int k = 0; k < at_once; ++k) {
      const int from_y = near_place(a.edge, y + k, a.in_y), copied = from_y < 0 ? 0 : chunks * Row::chunk,
                gap = begin - first;
      const In* const from = slice + max(from_y, 0) * a.in_pitch;
      const auto row_bytes = static_cast<std::uint32_t>(copied * sizeof(In));
      if (copied > 0 && lane == 0) start_row_copy(stage[k] + gap, from + begin, row_bytes, there);
      bytes += row_bytes;
#pragma unroll(sizeof(In) >= 4 ? 1 : 4)
      for (int e = lane; e < Row::length - copied; e += warp_size) {
        const int at = e < gap || copied == 0 ? e : e + copied;
        const int x = from_y < 0 ? -1 : near_place(a.edge, first + at, a.in_x);
        if constexpr (sizeof(In) >= 4)
          start_element_copy(&stage[k][at], from + max(x, 0), x >= 0);
        else
          stage[k][at] = x < 0 ? In(0) : from[x];
      }
    }
    if constexpr (sizeof(In) >= 4) wait_small_copies();
    if (lane == 0) {
      expect_bytes(there, bytes);
    } else {
      arrive_without_copy(there);
    }
  }
};

template <class In, int K, bool split, class Shape>
struct walk_shared {
  static constexpr int padded = (K + 3) / 4 * 4;
  alignas(16) float weights[split ? 2 : K][padded];
  alignas(16) In ring[Shape::stages][Shape::at_once][walk_row<In, K, Shape>::length];
  copy_barrier there[Shape::stages], read[Shape::stages];

  // Called by all threads of a block.
  template <class Out>
  __device__ void begin(const walk_arguments<In, Out>& a) {
    constexpr int count = (split ? 2 : K) * K;
    for (int i = static_cast<int>(threadIdx.x); i < count; i += static_cast<int>(blockDim.x)) {
      const int line = i / K, column = i % K;
      const int from = !a.turned ? i : split ? line * K + K - 1 - column : count - 1 - i;
      // For a split mask the column's weights absorb the pillar's one weight.
      weights[line][column] = split && line == 1 ? a.weights[from] * a.weights[2 * K] : a.weights[from];
    }
    if (threadIdx.x < Shape::stages) {
      init_copy_barrier<warp_size>(&there[threadIdx.x]);
      init_copy_barrier<Shape::warps * warp_size>(&read[threadIdx.x]);
    }
    publish_copy_barriers();
    __syncthreads();  // orders the writes of the weights and the barriers before their use
  }

  __device__ void read_weights(int line, float (&w)[padded]) const {
#pragma unroll
    for (int i = 0; i < padded; i += 4) {
      const float4 four = *reinterpret_cast<const float4*>(&weights[line][i]);
      w[i] = four.x, w[i + 1] = four.y, w[i + 2] = four.z, w[i + 3] = four.w;
    }
  }
};

// The stages of a walk, one after the other: wait(), read rows(), done() after all lanes have read them.
template <class In, int K, bool split, class Shape, class Loader>
struct walk_ring {
  walk_shared<In, K, split, Shape>& shared;
  const Loader& loader;
  int steps, warp, slot = 0,
                   turn = Shape::stages - 1;  // turn: the stage to be loaded next, counted from the walk's begin
  std::uint32_t parity = 0;

  __device__ walk_ring(walk_shared<In, K, split, Shape>& shared, const Loader& loader, int steps, int warp)
      : shared(shared), loader(loader), steps(steps), warp(warp) {
#pragma unroll 1
    for (int s = warp; s < Shape::stages - 1; s += Shape::warps)
      if (s * Shape::at_once < steps) loader.load(s * Shape::at_once, shared.ring[s], &shared.there[s]);
  }
  __device__ void wait() {
    if (turn % Shape::warps == warp && turn * Shape::at_once < steps) {
      const int before = slot == 0 ? Shape::stages - 1 : slot - 1;
      if (turn >= Shape::stages) wait_copy_barrier(&shared.read[before], slot == 0 ? parity ^ 1 : parity);
      loader.load(turn * Shape::at_once, shared.ring[before], &shared.there[before]);
    }
    ++turn;
    wait_copy_barrier(&shared.there[slot], parity);
  }
  __device__ auto rows() const { return shared.ring[slot]; }
  __device__ void done() {
    arrive_without_copy(&shared.read[slot]);
    if (++slot == Shape::stages) slot = 0, parity ^= 1;
  }
};

// A thread's results of one row.
template <class Out, int each>
__device__ void store_results(Out* to, const float (&sum)[each], bool together, int capacity) {
  struct alignas(sizeof(Out) == 1 ? each : sizeof(quad<Out>)) many {
    quad<Out> at[each / 4];
  };
  many all;
#pragma unroll
  for (int q = 0; q < each / 4; ++q) all.at[q] = stored_quad<Out>(sum + 4 * q);
  if (together) {
    *reinterpret_cast<many*>(to) = all;
  } else {
#pragma unroll
    for (int p = 0; p < each; ++p)
      if (p < capacity) to[p] = all.at[p / 4].at[p % 4];
  }
}

template <class In, class Out, int K, bool split, class Shape>
__global__ void __launch_bounds__(Shape::warps* warp_size, Shape::blocks)
    walk_down(const __grid_constant__ walk_arguments<In, Out> a) {
  using row = walk_row<In, K, Shape>;
  using memory = walk_shared<In, K, split, Shape>;
  constexpr int at_once = Shape::at_once, padded = memory::padded, each = row::each;
  extern __shared__ __align__(16) unsigned char walk_bytes[];
  auto& shared = *reinterpret_cast<memory*>(walk_bytes);
  shared.begin(a);
  const walk_place place = place_of_walk(a, blockIdx.x);
  if (place.results == 0) return;
  const int thread = static_cast<int>(threadIdx.x), steps = place.results + K - 1;
  const walk_loader<In, Out, row, at_once> loader(a, place);
  walk_ring<In, K, split, Shape, decltype(loader)> ring(shared, loader, steps, thread / warp_size);

  float kept[Shape::kept ? split ? 2 : K : 1][padded];
  if constexpr (Shape::kept)
#pragma unroll
    for (int l = 0; l < (split ? 2 : K); ++l) shared.read_weights(l, kept[l]);
  const auto weights_of = [&](int l, float(&w)[padded]) {
    if constexpr (Shape::kept) {
#pragma unroll
      for (int i = 0; i < K; ++i) w[i] = kept[l][i];
    } else {
      shared.read_weights(l, w);
    }
  };
  float sum[K][each] = {};
  const int mine = place.strip * row::strip + each * thread;
  Out* to = a.out + (static_cast<std::int64_t>(blockIdx.z) * a.out_y + place.first - (K - 1)) * a.out_pitch + mine;
  const bool together = a.quads_out && mine + each <= a.out_x;
#pragma unroll 1
  for (int r = 0; r < steps; r += at_once) {
    ring.wait();
    const auto now = ring.rows();
#pragma unroll
    for (int k = 0; k < at_once; ++k, to += a.out_pitch) {
      float v[4 * row::quads];
      read_window<In, row>(now[k], thread, v);
      if (k + 1 == at_once) ring.done();
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
      if (r + k >= K - 1 && r + k < steps) store_results<Out, each>(to, sum[0], together, a.out_x - mine);
    }
  }
}

// About seven tenths of the height in walks of this many rows, then walks of a quarter and of a sixteenth as many: when
// the long ones end, the short ones fill the gaps. Lengths are whole stages.
inline walk_ladder ladder_of(int height, int rows, int mask, int at_once) {
  const auto fit = [&](int h) { return (std::max(h, 8) + mask - 1 + at_once - 1) / at_once * at_once - (mask - 1); };
  walk_ladder l{{fit(rows), fit(rows / 4), fit(rows / 16)}, {}};
  l.parts[0] = height * 7 / 10 / l.rows[0];
  int rest = height - l.parts[0] * l.rows[0];
  l.parts[1] = std::min(rest, height * 22 / 100) / l.rows[1];
  rest -= l.parts[1] * l.rows[1];
  l.parts[2] = (rest + l.rows[2] - 1) / l.rows[2];
  return l;
}

// One walk for each block that runs at once, all of equal length: for pictures where shorter walks would mostly read
// ahead.
inline walk_ladder wave_of(int height, int parts, int mask, int at_once) {
  const int rows = ((height + parts - 1) / parts + mask - 1 + at_once - 1) / at_once * at_once - (mask - 1);
  return {{rows, rows, rows}, {(height + rows - 1) / rows, 0, 0}};
}

// False where a block has too little shared memory for the walk's ring. Other kernels then run, which read the picture
// more often: a smaller ring would need as many kernels again, for GPUs that none of them was tuned on.
template <class In, class Out, class Row, class Shape, int K, class Kernel>
bool launch_walks(device& d, const detail::convolve_impl::problem& p, memory weights, Kernel kernel, std::size_t bytes,
                  int at_once) {
  using namespace detail::convolve_impl;
  if (bytes > d.shared_limit()) return false;
  const geometry g = geometry_of(p);
  constexpr int threads = Shape::warps * warp_size;
  const int blocks = d.once(kernel, [&] {
    d.allow_shared(kernel, bytes, "convolve on cuda");
    int a_multiprocessor = 0;
    check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&a_multiprocessor, kernel, threads, bytes), "convolve on cuda");
    return std::max(1, a_multiprocessor) * d.multiprocessors();
  });
  const auto whole = [](std::uint64_t x) { return static_cast<int>(x); };
  const std::uint64_t strips = (g.out.x + Row::strip - 1) / Row::strip;
  const std::uint64_t share = g.out.y * strips * g.out.z / static_cast<std::uint64_t>(blocks) + 1;
  walk_arguments<In, Out> a{p.in.as<const In>(), p.out.as<Out>(), weights.as<const float>(),
                            static_cast<std::int64_t>(g.in_pitch), static_cast<std::int64_t>(g.out_pitch)};
  a.in_x = whole(g.in.x), a.in_y = whole(g.in.y), a.out_x = whole(g.out.x), a.out_y = whole(g.out.y);
  a.before_x = whole(g.before.x), a.before_y = whole(g.before.y);
  const auto at_once_running = std::max<std::uint64_t>(1, static_cast<std::uint64_t>(blocks) / (strips * g.out.z));
  a.ladder =
      Shape::waves(share)
          ? wave_of(a.out_y, whole(at_once_running), K, at_once)
          : ladder_of(a.out_y, whole(std::max<std::uint64_t>(share * 10 / Shape::tenths, walk_least_rows)), K, at_once);
  a.strips = static_cast<unsigned>(strips), a.edge = p.edge, a.turned = p.flipped;
  const auto lies_well = [](const void* at, std::uint64_t pitch, std::size_t size) {
    return reinterpret_cast<std::uintptr_t>(at) % size == 0 && pitch % size == 0;
  };
  a.quads_in = lies_well(a.in, g.in_pitch * sizeof(In), 16) && (g.before.x + Row::lead) % Row::chunk == 0;
  a.quads_out = lies_well(a.out, g.out_pitch * sizeof(Out), sizeof(Out) == 1 ? Shape::each : sizeof(quad<Out>));
  const int parts = a.ladder.parts[0] + a.ladder.parts[1] + a.ladder.parts[2];
  kernel<<<dim3(a.strips * static_cast<unsigned>(parts), 1, static_cast<unsigned>(g.out.z)), threads, bytes,
           d.stream()>>>(a);
  check(cudaGetLastError(), "launching convolve's kernel");
  return true;
}

template <int K, bool split, class In, class Out>
bool walk_with(device& d, const detail::convolve_impl::problem& p, memory weights) {
  using shape = detail::convolve_impl::walk_shape<K, split, sizeof(In) == 1>;
  return launch_walks<In, Out, walk_row<In, K, shape>, shape, K>(
      d, p, weights, walk_down<In, Out, K, split, shape>, sizeof(walk_shared<In, K, split, shape>), shape::at_once);
}

// A walk takes one channel of f32 or u8, and pictures whose sizes fit an int.
inline bool can_walk(const detail::convolve_impl::problem& p) {
  const auto small = [](std::uint64_t x) { return x < (1u << 30); };
  return p.channels == 1 && p.mask.z == 1 && p.mask.x == p.mask.y && p.mask_type == dtype::f32 &&
         p.type == p.out_type && (p.type == dtype::f32 || p.type == dtype::u8) && small(p.size.x) && small(p.size.y) &&
         p.size.z < 65536;
}

}  // namespace upsweep::cuda
