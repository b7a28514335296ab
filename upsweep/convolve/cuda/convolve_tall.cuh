// Pictures under a wide split mask: a row times a column of K, where K rows of sums are too many for
// convolve_cuda_walk.cuh to keep in registers.
//
// A block walks down a strip as there, but a lane keeps sums along the rows instead of sums down the columns, and keeps
// them in shared memory: those of the last K + 7 rows or more. After every eight rows of input, it computes eight rows
// of results from them at once, so that a sum along a row is read once for eight products, and 32 sums are in registers
// whatever K is. A lane reads only its own writes, so no barrier is needed.
#pragma once

#include "upsweep/convolve/convolve_problem.hpp"
#include "upsweep/convolve/cuda/convolve_cuda_walk.cuh"

namespace upsweep::cuda {

template <class In, int K, class Shape>
struct tall_shared {
  static constexpr int groups = (K - 1 + 8 + 7) / 8;  // groups of eight rows that results need
  walk_shared<In, K, true, Shape> walk;
  alignas(16) float held[8 * groups][4 * warp_size * Shape::warps];
};

template <class In, class Out, int K, class Shape>
__global__ void __launch_bounds__(Shape::warps* warp_size, Shape::blocks)
    walk_tall(const __grid_constant__ walk_arguments<In, Out> a) {
  using row = walk_row<In, K, Shape>;
  using memory = tall_shared<In, K, Shape>;
  constexpr int at_once = Shape::at_once, padded = walk_shared<In, K, true, Shape>::padded, groups = memory::groups;
  static_assert(row::each == 4 && 8 % at_once == 0);
  extern __shared__ __align__(16) unsigned char tall_bytes[];
  auto& shared = *reinterpret_cast<memory*>(tall_bytes);
  shared.walk.begin(a);
  const walk_place place = place_of_walk(a, blockIdx.x);
  if (place.results == 0) return;
  const int thread = static_cast<int>(threadIdx.x), steps = (place.results + K - 1 + 7) / 8 * 8;
  const walk_loader<In, Out, row, at_once> loader(a, place);
  walk_ring<In, K, true, Shape, decltype(loader)> ring(shared.walk, loader, steps, thread / warp_size);

  const int mine = place.strip * row::strip + 4 * thread;
  const bool together = a.quads_out && mine + 4 <= a.out_x;
  Out* const out = a.out + (static_cast<std::int64_t>(blockIdx.z) * a.out_y + place.first) * a.out_pitch + mine;
  constexpr int pitch = 4 * warp_size * Shape::warps;
  int group = 0;  // the next eight held rows
#pragma unroll 1
  for (int r = 0; r < steps; r += 8) {
    float* const now = &shared.held[8 * group][4 * thread];
    // Some rows at a time, so that a weight is used for four products of each.
#pragma unroll 1
    for (int some = 0; some < 8; some += at_once) {
      ring.wait();
      const auto rows = ring.rows();
      float w[padded], sum[at_once][4] = {};
      shared.walk.read_weights(0, w);
#pragma unroll
      for (int q = 0; q < row::quads; ++q) {
        float v[at_once][4];
#pragma unroll
        for (int k = 0; k < at_once; ++k)
          to_floats(reinterpret_cast<const quad<In>*>(rows[k] + row::offset)[thread + q], v[k]);
#pragma unroll
        for (int e = 0; e < 4; ++e)
#pragma unroll
          for (int p = 0; p < 4; ++p) {
            const int i = 4 * q + e - row::skip - p;
            if (i < 0 || i >= K) continue;
#pragma unroll
            for (int k = 0; k < at_once; ++k) sum[k][p] = fmaf(w[i], v[k][e], sum[k][p]);
          }
      }
      ring.done();
#pragma unroll
      for (int k = 0; k < at_once; ++k)
        *reinterpret_cast<float4*>(now + (some + k) * pitch) = make_float4(sum[k][0], sum[k][1], sum[k][2], sum[k][3]);
    }

    // Results r - (K - 1) … + 7, from the eight rows just stored and the K - 1 before them.
    constexpr int skipped = 8 * groups - (K - 1) - 8;
    const float* held_group[groups];
#pragma unroll
    for (int g = 0; g < groups; ++g) {
      const int at = group + 1 + g;
      held_group[g] = &shared.held[8 * (at >= groups ? at - groups : at)][4 * thread];
    }
    if (++group == groups) group = 0;
    const int base = r - (K - 1);
    if (base + 7 < 0) continue;
    float w[padded], sum[8][4] = {};
    shared.walk.read_weights(1, w);
#pragma unroll
    for (int j = 0; j < K + 7; ++j) {
      const float4 h = *reinterpret_cast<const float4*>(held_group[(skipped + j) / 8] + (skipped + j) % 8 * pitch);
#pragma unroll
      for (int o = 0; o < 8; ++o)
        if (j - o >= 0 && j - o < K) {
          sum[o][0] = fmaf(w[j - o], h.x, sum[o][0]);
          sum[o][1] = fmaf(w[j - o], h.y, sum[o][1]);
          sum[o][2] = fmaf(w[j - o], h.z, sum[o][2]);
          sum[o][3] = fmaf(w[j - o], h.w, sum[o][3]);
        }
    }
#pragma unroll
    for (int o = 0; o < 8; ++o)
      if (base + o >= 0 && base + o < place.results)
        store_results<Out, 4>(out + static_cast<std::int64_t>(base + o) * a.out_pitch, sum[o], together,
                              a.out_x - mine);
  }
}

template <int K, class In, class Out>
bool walk_tall_with(device& d, const detail::convolve_impl::problem& p, memory weights) {
  using shape = detail::convolve_impl::tall_shape;
  return launch_walks<In, Out, walk_row<In, K, shape>, shape, K>(d, p, weights, walk_tall<In, Out, K, shape>,
                                                                 sizeof(tall_shared<In, K, shape>), 8);
}

}  // namespace upsweep::cuda
