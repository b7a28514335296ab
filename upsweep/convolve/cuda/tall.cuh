// Pictures under a wide split mask: a row times a column of K, too many for walk.cuh to keep the sums of K rows of results in registers.
//
// A warp walks down a strip of 128 columns as there, but keeps sums along the rows, not sums down the columns, and keeps them in shared memory:
// the last K + 7 rows' or more. Eight rows of input on, eight rows of results are made from them at once, so that a sum along a row is read once for
// eight products, and 32 sums are in registers whatever K is. A lane reads back what it wrote itself: nothing to wait for.
#pragma once

#include "upsweep/convolve/cuda/walk.cuh"

namespace upsweep::cuda {

template <class In, int K>
struct tall_shared {
  static constexpr int warps = convolve_room::tall_warps, stages = convolve_room::tall_rows_ahead + 1, padded = (K + 3) / 4 * 4;
  static constexpr int groups = (K - 1 + 8 + 7) / 8;  // of eight rows, that results need
  alignas(16) float weights[2][padded];
  alignas(16) In ring[warps][stages][walk_row<In, K, true>::length];
  alignas(16) float held[warps][8 * groups][4 * warp_size];
};

template <class In, class Out, int K>
__global__ void __launch_bounds__(convolve_room::tall_warps* warp_size) walk_tall(const __grid_constant__ walk_arguments<In, Out> a) {
  using row = walk_row<In, K, true>;
  using memory = tall_shared<In, K>;
  constexpr int stages = memory::stages, padded = memory::padded, groups = memory::groups, at_once = convolve_room::tall_rows_at_once;
  static_assert(row::each == 4);
  extern __shared__ __align__(16) unsigned char tall_bytes[];
  auto& shared = *reinterpret_cast<memory*>(tall_bytes);
  const int lane = static_cast<int>(threadIdx.x) % warp_size, warp = static_cast<int>(threadIdx.x) / warp_size;
  for (int i = static_cast<int>(threadIdx.x); i < 2 * K; i += memory::warps * warp_size) {
    const int line = i / K, column = i % K;
    const float weight = a.weights[a.turned ? line * K + K - 1 - column : i];
    shared.weights[line][column] = line == 1 ? weight * a.weights[2 * K] : weight;  // the pillar's one goes into the column's
  }
  __syncthreads();  // the weights are there

  const unsigned walk = blockIdx.x * memory::warps + static_cast<unsigned>(warp);
  if (walk >= a.walks) return;
  const walk_place place = place_of_walk(a.walks, a.strips, walk);
  const int x = static_cast<int>(place.strip) * row::strip, first = static_cast<int>(place.part) * a.rows;
  const int results = min(a.rows, a.out_y - first), steps = results + K - 1;
  auto& ring = shared.ring[warp];
  auto& held = shared.held[warp];
  walk_loader<In, Out, K, true> loader(a, a.in + static_cast<std::int64_t>(blockIdx.z) * a.in_y * a.in_pitch, x, first - a.before_y, lane);
#pragma unroll 1
  for (int r = 0; r < stages - 1; ++r) {
    if (r < steps) loader.load(ring[r]);
    close_copies();
  }
  const int mine = x + 4 * lane;
  const bool all_mine = a.quads_out && mine + 4 <= a.out_x;
  Out* const out = a.out + (static_cast<std::int64_t>(blockIdx.z) * a.out_y + first) * a.out_pitch + mine;
  const auto weights_of = [&](int line, float (&w)[padded]) {
#pragma unroll
    for (int i = 0; i < padded; i += 4) {
      const float4 four = *reinterpret_cast<const float4*>(&shared.weights[line][i]);
      w[i] = four.x, w[i + 1] = four.y, w[i + 2] = four.z, w[i + 3] = four.w;
    }
  };

  int slot = 0, group = 0;  // the next row of the ring, the next eight held rows
#pragma unroll 1
  for (int r = 0; r < steps; r += 8) {
    float* const now = &held[8 * group][4 * lane];
    // Some rows at a time, so that a weight serves four products of each.
#pragma unroll 1
    for (int some = 0; some < 8; some += at_once) {
      wait_copies<stages - 1 - at_once>();
      __syncwarp();  // as many more rows are there for all lanes, and all have read the rows before
      const quad<In>* from[at_once];
      int at = slot;
#pragma unroll
      for (int k = 0; k < at_once; ++k) {
        from[k] = reinterpret_cast<const quad<In>*>(ring[at] + row::offset) + lane;
        if (++at == stages) at = 0;
      }
      float w[padded], sum[at_once][4] = {};
      weights_of(0, w);
#pragma unroll
      for (int q = 0; q < row::quads; ++q) {
        float v[at_once][4];
#pragma unroll
        for (int k = 0; k < at_once; ++k) to_floats(from[k][q], v[k]);
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
#pragma unroll
      for (int k = 0; k < at_once; ++k)
        *reinterpret_cast<float4*>(now + (some + k) * 4 * warp_size) = make_float4(sum[k][0], sum[k][1], sum[k][2], sum[k][3]);
      __syncwarp();  // all lanes have read the rows: their places are free
      int free = slot == 0 ? stages - 1 : slot - 1;
#pragma unroll
      for (int k = 0; k < at_once; ++k) {
        if (r + some + k + stages - 1 < steps) loader.load(ring[free]);
        close_copies();
        if (++free == stages) free = 0;
      }
      slot = at;
    }

    // Results r - (K - 1) … + 7: of the eight rows just held and the K - 1 before them.
    constexpr int skipped = 8 * groups - (K - 1) - 8;
    const float* held_group[groups];
#pragma unroll
    for (int g = 0; g < groups; ++g) {
      const int at = group + 1 + g;
      held_group[g] = &held[8 * (at >= groups ? at - groups : at)][4 * lane];
    }
    float w[padded], sum[8][4] = {};
    weights_of(1, w);
#pragma unroll
    for (int j = 0; j < K + 7; ++j) {
      const float4 h = *reinterpret_cast<const float4*>(held_group[(skipped + j) / 8] + (skipped + j) % 8 * 4 * warp_size);
#pragma unroll
      for (int o = 0; o < 8; ++o)
        if (j - o >= 0 && j - o < K) {
          sum[o][0] = fmaf(w[j - o], h.x, sum[o][0]);
          sum[o][1] = fmaf(w[j - o], h.y, sum[o][1]);
          sum[o][2] = fmaf(w[j - o], h.z, sum[o][2]);
          sum[o][3] = fmaf(w[j - o], h.w, sum[o][3]);
        }
    }
    if (++group == groups) group = 0;
    const int base = r - (K - 1);
#pragma unroll
    for (int o = 0; o < 8; ++o) {
      if (base + o < 0 || base + o >= results) continue;
      Out* const to = out + static_cast<std::int64_t>(base + o) * a.out_pitch;
      quad<Out> four;
#pragma unroll
      for (int p = 0; p < 4; ++p) four.at[p] = convolve_room::stored<Out>(sum[o][p]);
      if (all_mine) {
        *reinterpret_cast<quad<Out>*>(to) = four;
      } else {
#pragma unroll
        for (int p = 0; p < 4; ++p)
          if (mine + p < a.out_x) to[p] = four.at[p];
      }
    }
  }
}

template <int K, class In, class Out>
void walk_tall_with(device& d, const problem& p, memory weights) {
  launch_walks<In, Out, K, true>(d, p, weights, walk_tall<In, Out, K>, sizeof(tall_shared<In, K>), convolve_room::tall_warps, 8);
}

}  // namespace upsweep::cuda
