// All pairs on CUDA with da/dt as well, for the bodies [first, first + own): a thread a body, which walks past tiles of
// masses in shared memory.
#pragma once

#include "upsweep/nbody/cuda/nbody_cuda_tuning.hpp"
#include "upsweep/nbody/cuda/nbody_pair.cuh"

namespace upsweep::detail::nbody_impl::kernels {

template <class T>
__global__ void __launch_bounds__(cuda_threads)
    pull_and_jerk_all(const vec4<T>* __restrict__ in, const vec4<T>* __restrict__ moving, vec4<T>* __restrict__ out,
                      vec4<T>* __restrict__ jerks, std::uint64_t n, std::uint64_t first, std::uint64_t own, T softening,
                      T gravity, bool potentials) {
  __shared__ vec4<T> tile[cuda_threads], speeds[cuda_threads];
  const std::uint64_t at = std::uint64_t{blockIdx.x} * cuda_threads + threadIdx.x,
                      i = first + (at < own ? at : own - 1);
  const vec4<T> here = in[i], speed = moving[i];
  vec4<T> sum{}, jerk{};
  for (std::uint64_t begin = 0; begin < n; begin += cuda_threads) {
    if (begin + threadIdx.x < n)
      tile[threadIdx.x] = in[begin + threadIdx.x], speeds[threadIdx.x] = moving[begin + threadIdx.x];
    __syncthreads();  // others have loaded what this thread walks past
    const unsigned count = n - begin < cuda_threads ? static_cast<unsigned>(n - begin) : cuda_threads;
    vec4<T> part{}, change{};
    for (unsigned j = 0; j < count; ++j) {
      const vec4<T> there = tile[j], v = speeds[j];
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
  if (at >= own) return;
  out[at] = {gravity * sum.x, gravity * sum.y, gravity * sum.z, potentials ? gravity * sum.w : T(0)};
  jerks[at] = {gravity * jerk.x, gravity * jerk.y, gravity * jerk.z, 0};
}

}  // namespace upsweep::detail::nbody_impl::kernels
