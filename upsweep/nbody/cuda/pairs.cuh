// All pairs on CUDA. A thread has some bodies in registers and walks past tiles of masses in shared memory; blocks
// share out bodies and slices of the masses. Where there are several slices, the last block to finish of those that
// have the same bodies adds up their sums, in order.
//
// One interaction is 13 instructions in f32: three differences, three multiply-adds for the square, a reciprocal root,
// three products for m / r³, three multiply-adds into the sums; and one more for the potential.
#pragma once

#include "upsweep/cuda/device.hpp"
#include "upsweep/nbody/cuda/one_pair.cuh"
#include "upsweep/nbody/cuda_tuning.hpp"
#include "upsweep/nbody/motion_steps.hpp"

namespace upsweep::nbody_room::kernels {

// Sums of one body: plain ones, or Neumaier's, which keep what each addition loses.
template <class T, bool compensated>
struct sums {
  four<T> sum{}, lost{};

  __device__ static void add_to(T& sum, T& lost, T x) {
    const T all = sum + x, added = all - sum;
    lost += (sum - (all - added)) + (x - added);
    sum = all;
  }
  __device__ void add(const four<T>& x) {
    if constexpr (compensated) {
      add_to(sum.x, lost.x, x.x), add_to(sum.y, lost.y, x.y), add_to(sum.z, lost.z, x.z), add_to(sum.w, lost.w, x.w);
    } else {
      sum.x += x.x, sum.y += x.y, sum.z += x.z, sum.w += x.w;
    }
  }
  __device__ four<T> total() const { return {sum.x + lost.x, sum.y + lost.y, sum.z + lost.z, sum.w + lost.w}; }
};

inline constexpr unsigned unrolled =
    8;  // masses between two looks at the loop's end; tiles are filled up with bodies of no mass

template <bool plain, bool potentials, bool own, bool compensated, unsigned bodies, class T>
__device__ void meet_tile(sums<T, compensated> (&sum)[bodies], const four<T> (&here)[bodies], const four<T>* tile,
                          unsigned count, T softening, std::uint64_t first_less_begin) {
  four<T> part[bodies] = {};
  for (unsigned j0 = 0; j0 < count; j0 += unrolled) {
#pragma unroll
    for (unsigned j = 0; j < unrolled; ++j) {
      const four<T> there = tile[j0 + j];
#pragma unroll
      for (unsigned k = 0; k < bodies; ++k) {
        four<T> it = there;
        if constexpr (own)
          if (first_less_begin + k * cuda_threads == j0 + j) it.w = 0;
        if constexpr (compensated) {
          four<T> one{};
          pull<plain, potentials>(one, here[k], it, softening);
          sum[k].add(one);
        } else {
          pull<plain, potentials>(part[k], here[k], it, softening);
        }
      }
    }
  }
  if constexpr (!compensated)
#pragma unroll
    for (unsigned k = 0; k < bodies; ++k) sum[k].add(part[k]);
}

// Past the first-level cache, where another block's sums may be stale.
__device__ inline four<float> load_from_others(const four<float>* p) {
  const float4 v = __ldcg(reinterpret_cast<const float4*>(p));
  return {v.x, v.y, v.z, v.w};
}
__device__ inline four<double> load_from_others(const four<double>* p) {
  const double2 a = __ldcg(reinterpret_cast<const double2*>(p)), b = __ldcg(reinterpret_cast<const double2*>(p) + 1);
  return {a.x, a.y, b.x, b.y};
}

struct pair_shape {
  std::uint64_t n, across, slice;
  unsigned slices;
};

template <bool plain, bool potentials, bool compensated, unsigned bodies, class T>
__global__ void __launch_bounds__(cuda_threads)
    pull_all(const four<T>* __restrict__ in, four<T>* __restrict__ out, four<T>* parts, std::uint32_t* finished,
             pair_shape shape, T softening, T gravity, bool wants_potentials) {
  __shared__ four<T> tile[cuda_threads];
  __shared__ bool last;
  const std::uint64_t column = blockIdx.x % shape.across, s = blockIdx.x / shape.across;
  const std::uint64_t block_first = column * cuda_threads * bodies, first = block_first + threadIdx.x;
  const std::uint64_t end = (s + 1) * shape.slice < shape.n ? (s + 1) * shape.slice : shape.n;
  four<T> here[bodies];
  sums<T, compensated> sum[bodies];
#pragma unroll
  for (unsigned k = 0; k < bodies; ++k)
    here[k] = in[first + k * cuda_threads < shape.n ? first + k * cuda_threads : shape.n - 1];
  for (std::uint64_t begin = s * shape.slice; begin < end; begin += cuda_threads) {
    tile[threadIdx.x] = begin + threadIdx.x < end ? in[begin + threadIdx.x] : four<T>{};
    __syncthreads();  // others have loaded what this thread walks past
    const unsigned count = end - begin < cuda_threads ? static_cast<unsigned>(end - begin) : cuda_threads;
    // Where a body meets itself, m / ε³ need be no number, and its potential is not wanted.
    const bool own = begin < block_first + cuda_threads * bodies && begin + cuda_threads > block_first;
    if (own)
      meet_tile<false, potentials, true, compensated>(sum, here, tile, count, softening, first - begin);
    else
      meet_tile<plain, potentials, false, compensated>(sum, here, tile, count, softening, first - begin);
    __syncthreads();  // others have walked past what this thread loads next
  }
  const auto finish = [&](std::uint64_t i, const four<T>& all) {
    out[i] = {gravity * all.x, gravity * all.y, gravity * all.z, wants_potentials ? gravity * all.w : T(0)};
  };
  if (shape.slices == 1) {
#pragma unroll
    for (unsigned k = 0; k < bodies; ++k)
      if (first + k * cuda_threads < shape.n) finish(first + k * cuda_threads, sum[k].total());
    return;
  }
#pragma unroll
  for (unsigned k = 0; k < bodies; ++k)
    if (first + k * cuda_threads < shape.n) parts[s * shape.n + first + k * cuda_threads] = sum[k].total();
  __threadfence();  // this thread's sums are seen before its block is counted
  __syncthreads();  // all threads' are
  if (threadIdx.x == 0) last = atomicAdd(&finished[column], 1u) == shape.slices - 1;
  __syncthreads();  // thread 0 has counted
  if (!last) return;
  __threadfence();                             // the other blocks' sums are read after their count
  if (threadIdx.x == 0) finished[column] = 0;  // for the next launch
#pragma unroll
  for (unsigned k = 0; k < bodies; ++k) {
    const std::uint64_t i = first + k * cuda_threads;
    if (i >= shape.n) break;
    sums<T, compensated> all;
    for (unsigned other = 0; other < shape.slices; ++other) all.add(load_from_others(parts + other * shape.n + i));
    finish(i, all.total());
  }
}

// da/dt as well: a thread a body.
template <class T>
__global__ void __launch_bounds__(cuda_threads)
    pull_and_jerk_all(const four<T>* __restrict__ in, const four<T>* __restrict__ moving, four<T>* __restrict__ out,
                      four<T>* __restrict__ jerks, std::uint64_t n, T softening, T gravity, bool potentials) {
  __shared__ four<T> tile[cuda_threads], speeds[cuda_threads];
  const std::uint64_t i = std::uint64_t{blockIdx.x} * cuda_threads + threadIdx.x, mine = i < n ? i : n - 1;
  const four<T> here = in[mine], speed = moving[mine];
  four<T> sum{}, jerk{};
  for (std::uint64_t begin = 0; begin < n; begin += cuda_threads) {
    if (begin + threadIdx.x < n)
      tile[threadIdx.x] = in[begin + threadIdx.x], speeds[threadIdx.x] = moving[begin + threadIdx.x];
    __syncthreads();  // others have loaded what this thread walks past
    const unsigned count = n - begin < cuda_threads ? static_cast<unsigned>(n - begin) : cuda_threads;
    four<T> part{}, change{};
    for (unsigned j = 0; j < count; ++j) {
      const four<T> there = tile[j], v = speeds[j];
      const T x = there.x - here.x, y = there.y - here.y, z = there.z - here.z, vx = v.x - speed.x, vy = v.y - speed.y,
              vz = v.z - speed.z;
      const T square = fma(z, z, fma(y, y, fma(x, x, softening)));
      const bool acts = square >= limits<T>::least && square <= limits<T>::largest && begin + j != i;
      const T u = acts ? rsqrt(square) : T(0), near = there.w * u, pull = near * u, ux = u * x, uy = u * y, uz = u * z;
      part.x = fma(pull, ux, part.x), part.y = fma(pull, uy, part.y), part.z = fma(pull, uz, part.z), part.w -= near;
      const T rate = 3 * (ux * vx + uy * vy + uz * vz), turn = pull * u;
      change.x += turn * (vx - rate * ux), change.y += turn * (vy - rate * uy), change.z += turn * (vz - rate * uz);
    }
    add_times(sum, T(1), part), sum.w += part.w;
    add_times(jerk, T(1), change);
    __syncthreads();  // others have walked past what this thread loads next
  }
  if (i >= n) return;
  out[i] = {gravity * sum.x, gravity * sum.y, gravity * sum.z, potentials ? gravity * sum.w : T(0)};
  jerks[i] = {gravity * jerk.x, gravity * jerk.y, gravity * jerk.z, 0};
}

}  // namespace upsweep::nbody_room::kernels
