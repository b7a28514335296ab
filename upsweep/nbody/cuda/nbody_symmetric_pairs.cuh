// All pairs of many bodies on CUDA, each pair once. The two forces of a pair are opposite (Newton's third law), so 17
// instructions compute two interactions instead of 26.
//
// The bodies are divided into an odd number of tiles. In round r every tile t meets tile t + r, so rounds 1 to (tiles -
// 1) / 2 meet each pair of tiles once; round 0 is a tile with itself. A block keeps the bodies of tile t and their sums
// in registers. A warp takes 32 bodies of the other tile at a time, one a lane. Their sums go round the lanes, so that
// each meets all bodies that the warp keeps. The sums of each round are stored in separate planes, which add_planes
// adds in order: results repeat bit for bit.
#pragma once

#include "upsweep/nbody/cuda/nbody_few_bodies.cuh"

namespace upsweep::detail::nbody_impl::kernels {

// The interaction of two bodies. plain: the factors of m / r³ and 1 / r³ itself are finite.
template <bool plain, bool potentials, class T>
__device__ void pull_each_other(vec4<T>& sum, const vec4<T>& here, vec4<T>& back, const vec4<T>& there, T softening) {
  const T x = there.x - here.x, y = there.y - here.y, z = there.z - here.z;
  const T square = fma(z, z, fma(y, y, fma(x, x, softening)));
  if constexpr (plain) {
    const T u = reciprocal_root(square), cube = u * u * u, pull = there.w * cube, other = -here.w * cube;
    sum.x = fma(pull, x, sum.x), sum.y = fma(pull, y, sum.y), sum.z = fma(pull, z, sum.z);
    back.x = fma(other, x, back.x), back.y = fma(other, y, back.y), back.z = fma(other, z, back.z);
    if constexpr (potentials) sum.w = fma(-there.w, u, sum.w), back.w = fma(-here.w, u, back.w);
  } else {
    const bool acts = square >= limits<T>::least && square <= limits<T>::largest;
    const T u = acts ? reciprocal_root(square) : T(0), ux = u * x, uy = u * y, uz = u * z;
    const T near = there.w * u, pull = near * u, near_other = here.w * u, other = -near_other * u;
    sum.x = fma(pull, ux, sum.x), sum.y = fma(pull, uy, sum.y), sum.z = fma(pull, uz, sum.z);
    back.x = fma(other, ux, back.x), back.y = fma(other, uy, back.y), back.z = fma(other, uz, back.z);
    if constexpr (potentials) sum.w -= near, back.w -= near_other;
  }
}

// Bodies between which 1 / r³ and m / r³ are numbers if they are softened by 10^-6 (f64: 10^-60) at least.
template <class T>
__device__ bool is_tame(const vec4<T>& body) {
  constexpr T most = sizeof(T) == 4 ? T(1e11) : T(1e90), heaviest = sizeof(T) == 4 ? T(1e19) : T(1e100);
  return fabs(body.x) < most && fabs(body.y) < most && fabs(body.z) < most && body.w < heaviest;
}

struct mutual_shape {
  std::uint64_t n;
  std::uint32_t tiles;                // odd
  std::uint32_t first_round, rounds;  // of this launch; a block has one
};

// The interactions of 32 bodies of the other tile, one a lane, with the bodies that the warp keeps. `ring` has the 32
// twice, so that step s of the round needs no modulus. `own`: both tiles are the same, in which other 0 is body
// `first`.
template <bool plain, bool potentials, unsigned held, unsigned threads, class T>
__device__ void go_round(vec4<T> (&sum)[held], const vec4<T> (&here)[held], vec4<T>& back, const vec4<T>* ring,
                         T softening, bool own, unsigned first) {
  const unsigned lane = threadIdx.x % 32;
#pragma unroll 2
  for (unsigned step = 0; step < 32; ++step) {
    const vec4<T> there = ring[lane + step];
#pragma unroll
    for (unsigned k = 0; k < held; ++k) {
      if constexpr (plain) {
        pull_each_other<true, potentials>(sum[k], here[k], back, there, softening);
      } else {
        vec4<T> it = clipped(there);
        if (own && first + (lane + step) % 32 == k * threads + threadIdx.x) it.w = 0;
        pull_each_other<false, potentials>(sum[k], clipped(here[k]), back, it, softening);
      }
    }
    back.x = __shfl_sync(~0u, back.x, lane + 1), back.y = __shfl_sync(~0u, back.y, lane + 1);
    back.z = __shfl_sync(~0u, back.z, lane + 1);
    if constexpr (potentials) back.w = __shfl_sync(~0u, back.w, lane + 1);
  }
}

// planes: two a round, of n rows each: the forces of tile t on tile t + r, and those of tile t + r on tile t.
template <bool potentials, unsigned held, unsigned threads, class T>
__global__ void __launch_bounds__(threads) pull_mutually(const vec4<T>* __restrict__ in, vec4<T>* __restrict__ planes,
                                                         mutual_shape shape, T softening, bool softened) {
  constexpr unsigned warps = threads / 32, tile = threads * held;
  __shared__ vec4<T> backs[tile], rings[warps][64];
  const unsigned t = threadIdx.x, lane = t % 32, warp = t / 32;
  const std::uint64_t n = shape.n;
  const std::uint32_t mine = blockIdx.x % shape.tiles, r = blockIdx.x / shape.tiles, round = shape.first_round + r;
  const std::uint64_t first = std::uint64_t{mine} * tile,
                      other_first = std::uint64_t{(mine + round) % shape.tiles} * tile;
  vec4<T>* const ring = rings[warp];

  vec4<T> here[held], sum[held] = {};
  bool tame = softened && round > 0;
#pragma unroll
  for (unsigned k = 0; k < held; ++k) {
    const std::uint64_t i = first + k * threads + t;
    here[k] = in[i < n ? i : n - 1];
    if (i >= n) here[k].w = 0;
    tame = tame && is_tame(here[k]);
  }
  tame = __all_sync(~0u, tame);

  // Each warp meets all of the other tile; no two have the same part of it at a time.
  for (unsigned phase = 0; phase < warps; ++phase) {
    const unsigned part = (warp + phase) % warps * (32 * held);
    for (unsigned s = 0; s < 32 * held; s += 32) {
      const std::uint64_t j = other_first + part + s + lane;
      vec4<T> back{};
      if (first < n && j - lane < n) {
        vec4<T> other = in[j < n ? j : n - 1];
        if (j >= n) other.w = 0;
        __syncwarp();  // the ring is read
        ring[lane] = ring[lane + 32] = other;
        __syncwarp();  // the ring is written
        if (tame && __all_sync(~0u, is_tame(other)))
          go_round<true, potentials, held, threads>(sum, here, back, ring, softening, false, 0);
        else
          go_round<false, potentials, held, threads>(sum, here, back, ring, softening, round == 0, part + s);
      }
      vec4<T>& all = backs[part + s + lane];
      if (phase > 0) back.x += all.x, back.y += all.y, back.z += all.z, back.w += all.w;
      all = back;
    }
    __syncthreads();  // the next warp adds to the values that this warp has written
  }

#pragma unroll
  for (unsigned k = 0; k < held; ++k) {
    const unsigned in_tile = k * threads + t;
    // In round 0 all of a tile's bodies have met all, both ways: once is enough.
    if (other_first + in_tile < n)
      planes[std::uint64_t{2 * r} * n + other_first + in_tile] = round == 0 ? vec4<T>{} : backs[in_tile];
    if (first + in_tile < n) planes[(std::uint64_t{2 * r} + 1) * n + first + in_tile] = sum[k];
  }
}

// out = gravity times the planes' sum and, after the first launch, what `out` holds; in order.
template <class T>
__global__ void add_planes(const vec4<T>* __restrict__ planes, std::uint32_t count, vec4<T>* __restrict__ out,
                           std::uint64_t n, T gravity, bool more, bool potentials) {
  const std::uint64_t i = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i >= n) return;
  vec4<T> v{};
  for (std::uint32_t p = 0; p < count; ++p) {
    const vec4<T> one = planes[p * n + i];
    v.x += one.x, v.y += one.y, v.z += one.z, v.w += one.w;
  }
  v = {gravity * v.x, gravity * v.y, gravity * v.z, potentials ? gravity * v.w : T(0)};
  if (more) {
    const vec4<T> before = out[i];
    v.x += before.x, v.y += before.y, v.z += before.z, v.w += before.w;
  }
  out[i] = v;
}

}  // namespace upsweep::detail::nbody_impl::kernels
