// Some bodies and all masses on CUDA, for any number of bodies. A block has a few bodies, the same in all of its
// threads, and its threads share out the masses: each loads a mass for all of the block's bodies at once, nothing waits
// at a barrier, and a thousand bodies fill the GPU. In the end the block adds up its threads' sums.
//
// One interaction is 13 instructions in f32: three differences, three multiply-adds for the square, a reciprocal root,
// three products for m / r³, three multiply-adds into the sums; and one more for the potential. The fast loop has no
// guards: if a sum is NaN, the block computes all of its pairs once more, with guards.
#pragma once

#include "upsweep/nbody/cuda/nbody_pair.cuh"

namespace upsweep::detail::nbody_impl::kernels {

// Sums of one body: plain sums, or Neumaier's, which also store the rounding errors of the additions.
template <class T, bool compensated>
struct sums {
  vec4<T> sum{};

  __device__ vec4<T> total() const { return sum; }
};
template <class T>
struct sums<T, true> {
  vec4<T> sum{}, lost{};

  __device__ static void add_to(T& sum, T& lost, T x) {
    const T all = sum + x, added = all - sum;
    lost += (sum - (all - added)) + (x - added);
    sum = all;
  }
  __device__ void add(const vec4<T>& x) {
    add_to(sum.x, lost.x, x.x), add_to(sum.y, lost.y, x.y), add_to(sum.z, lost.z, x.z), add_to(sum.w, lost.w, x.w);
  }
  __device__ vec4<T> total() const { return {sum.x + lost.x, sum.y + lost.y, sum.z + lost.z, sum.w + lost.w}; }
};

template <bool plain, bool potentials, class T>
__device__ void meet(sums<T, false>& sum, const vec4<T>& here, const vec4<T>& there, T softening) {
  pull<plain, potentials>(sum.sum, here, there, softening);
}
template <bool plain, bool potentials, class T>
__device__ void meet(sums<T, true>& sum, const vec4<T>& here, const vec4<T>& there, T softening) {
  vec4<T> one{};
  pull<plain, potentials>(one, here, there, softening);
  sum.add(one);
}

template <class T>
struct pair_form {
  T softening_squared, gravity;
  bool potentials;
  bool harmless;        // meeting itself a body does nothing: it is softened, and has no potential
  std::uint64_t first;  // which mass the first body is; beyond them all if it is none
};

// Differences of clipped coordinates are finite; bodies that far away contribute nothing in either case.
template <class T>
__device__ T clipped(T x) {
  constexpr T most = sizeof(T) == 4 ? T(1e38) : T(1e307);
  return x > most ? most : x < -most ? -most : x;
}
template <class T>
__device__ vec4<T> clipped(const vec4<T>& body) {
  return {clipped(body.x), clipped(body.y), clipped(body.z), body.w};
}

template <class T>
__device__ bool is_number(const vec4<T>& v) {
  const T none = v.x * 0 + v.y * 0 + v.z * 0 + v.w * 0;
  return none == 0;
}

template <bool potentials, bool compensated, unsigned rows, unsigned threads, class T>
__global__ void __launch_bounds__(threads)
    pull_rows(const vec4<T>* __restrict__ masses, std::uint64_t n, const vec4<T>* __restrict__ bodies,
              std::uint64_t count, vec4<T>* __restrict__ out, pair_form<T> form) {
  __shared__ vec4<T> cells[rows][threads];
  const std::uint64_t first = std::uint64_t{blockIdx.x} * rows, own = form.first + first;
  const unsigned t = threadIdx.x;
  vec4<T> here[rows];
  sums<T, compensated> sum[rows];
#pragma unroll
  for (unsigned k = 0; k < rows; ++k) here[k] = bodies[first + k < count ? first + k : count - 1];
  const auto meet_guarded = [&](std::uint64_t begin) {
    const std::uint64_t j = begin + t;
    if (j >= n) return;
    const vec4<T> there = clipped(masses[j]);
#pragma unroll
    for (unsigned k = 0; k < rows; ++k) {
      vec4<T> it = there;
      if (j == own + k) it.w = 0;
      meet<false, potentials>(sum[k], clipped(here[k]), it, form.softening_squared);
    }
  };
  const std::uint64_t whole = n / threads * threads;
#pragma unroll 2
  for (std::uint64_t begin = 0; begin < whole; begin += threads) {
    if (!form.harmless && begin < own + rows && begin + threads > own) {
      meet_guarded(begin);
      continue;
    }
    const vec4<T> there = masses[begin + t];
#pragma unroll
    for (unsigned k = 0; k < rows; ++k) meet<true, potentials>(sum[k], here[k], there, form.softening_squared);
  }
  if (whole < n) meet_guarded(whole);

  bool numbers = true;
#pragma unroll
  for (unsigned k = 0; k < rows; ++k) numbers = numbers && is_number(sum[k].total());
  if (__syncthreads_or(!numbers)) {
#pragma unroll
    for (unsigned k = 0; k < rows; ++k) sum[k] = {};
    for (std::uint64_t begin = 0; begin < n; begin += threads) meet_guarded(begin);
  }

#pragma unroll
  for (unsigned k = 0; k < rows; ++k) cells[k][t] = sum[k].total();
  __syncthreads();  // all threads' sums are written
  for (unsigned k = t / 32; k < rows; k += threads / 32) {
    sums<T, compensated> all;
    vec4<T> v{};
    for (unsigned from = t % 32; from < threads; from += 32) {
      const vec4<T> one = cells[k][from];
      if constexpr (compensated) {
        all.add(one);
      } else {
        v.x += one.x, v.y += one.y, v.z += one.z, v.w += one.w;
      }
    }
    if constexpr (compensated) v = all.total();
    for (unsigned step = 16; step > 0; step /= 2) {
      v.x += __shfl_xor_sync(~0u, v.x, step), v.y += __shfl_xor_sync(~0u, v.y, step);
      v.z += __shfl_xor_sync(~0u, v.z, step), v.w += __shfl_xor_sync(~0u, v.w, step);
    }
    if (t % 32 == 0 && first + k < count)
      out[first + k] = {form.gravity * v.x, form.gravity * v.y, form.gravity * v.z,
                        form.potentials ? form.gravity * v.w : T(0)};
  }
}

}  // namespace upsweep::detail::nbody_impl::kernels
