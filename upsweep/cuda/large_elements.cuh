// Folds and scans of elements that are too large for tiles in shared memory. Each thread takes a run of neighbours
// directly from memory. The folds of the runs are elements in scratch, which are again taken in runs, until one run
// holds all. A fold reads every element once, a scan twice, and a sixteenth more at each level above.
#pragma once

#include "upsweep/cuda/init_value.cuh"
#include "upsweep/operators.hpp"
#if !defined(__CUDACC_RTC__)
#include <algorithm>

#include "upsweep/cuda/cuda_device.hpp"
#endif

namespace upsweep::cuda {

// Each thread has a few elements in local memory, which the device reserves for all resident threads.
template <class T>
constexpr void require_element_size() {
  static_assert(
      sizeof(T) <= 4096,
      "upsweep: CUDA folds and scans elements of at most 4096 bytes; give it the part of them that is folded, "
      "or indices of them and a CPU context");
}

inline constexpr int elements_a_run = 16, runs_a_block = 64;

constexpr std::uint64_t runs_of(std::uint64_t n) { return (n + elements_a_run - 1) / elements_a_run; }

// The number of scratch elements: a fold for each run, of each level.
constexpr std::uint64_t folds_of_runs(std::uint64_t n) {
  std::uint64_t all = 0;
  while (n > elements_a_run) all += n = runs_of(n);
  return all;
}

// out[r] = the fold of run r.
template <class T, class Op, class F>
__global__ void __launch_bounds__(runs_a_block)
    fold_runs(const T* in, std::uint64_t n, T* out, const Op op, const F f) {
  const std::uint64_t run = std::uint64_t{blockIdx.x} * runs_a_block + threadIdx.x, first = run * elements_a_run;
  if (first >= n) return;
  const std::uint64_t last = n - first < elements_a_run ? n : first + elements_a_run;
  T sum = upsweep::to_accumulator(op, T(f(in[first])));
  for (std::uint64_t i = first + 1; i < last; ++i) sum = op(sum, upsweep::to_accumulator(op, T(f(in[i]))));
  out[run] = sum;
}

// The fold of a single run.
template <class T, class Op, class F>
__global__ void fold_one_run(const T* in, std::uint64_t n, T* out, const __grid_constant__ T init, const Op op,
                             const F f) {
  T sum = init;
  for (std::uint64_t i = 0; i < n; ++i) sum = op(sum, upsweep::to_accumulator(op, T(f(in[i]))));
  *out = sum;
}

// before[r]: the fold of all elements before run r. If it is null, there is one run, and init precedes it.
template <class T, class Op, class F>
__global__ void __launch_bounds__(runs_a_block)
    scan_runs(const T* in, std::uint64_t n, T* out, const T* before, const __grid_constant__ initial<T> init,
              bool inclusive, const Op op, const F f) {
  const std::uint64_t run = std::uint64_t{blockIdx.x} * runs_a_block + threadIdx.x, first = run * elements_a_run;
  if (first >= n) return;
  const std::uint64_t last = n - first < elements_a_run ? n : first + elements_a_run;
  T running = before ? before[run] : init();
  for (std::uint64_t i = first; i < last; ++i) {
    const T until =
        op(running, upsweep::to_accumulator(op, T(f(in[i]))));  // in[i] is read before out[i] is written over it
    out[i] = inclusive ? until : running;
    running = until;
  }
}

#if !defined(__CUDACC_RTC__)  // the host's side

inline unsigned blocks_of_runs(std::uint64_t n) {
  return static_cast<unsigned>((runs_of(n) + runs_a_block - 1) / runs_a_block);
}

// `folds`: folds_of_runs(n) elements.
template <class T, class Op, class F>
void scan_level(device& d, const T* in, std::uint64_t n, T* out, T* folds, bool inclusive, const initial<T>& init,
                const Op& op, const F& f) {
  const bool one_run = n <= elements_a_run;
  if (!one_run) {
    fold_runs<<<blocks_of_runs(n), runs_a_block, 0, d.stream()>>>(in, n, folds, op, f);
    check(cudaGetLastError(), "scan on cuda");
    scan_level(d, folds, runs_of(n), folds, folds + runs_of(n), false, init, op, identity{});
  }
  scan_runs<<<blocks_of_runs(n), runs_a_block, 0, d.stream()>>>(in, n, out, one_run ? nullptr : folds, init, inclusive,
                                                                op, f);
  check(cudaGetLastError(), "scan on cuda");
}

template <class T, class Op, class F>
void scan_by_runs(device& d, const T* in, std::uint64_t n, T* out, bool inclusive, const initial<T>& init, const Op& op,
                  const F& f) {
  require_element_size<T>();
  const memory folds = d.scratch("scan/cuda/runs", std::max<std::uint64_t>(1, folds_of_runs(n)) * sizeof(T));
  scan_level(d, in, n, out, folds.as<T>(), inclusive, init, op, f);
}

template <class T, class Op, class F>
void reduce_level(device& d, const T* in, std::uint64_t n, T* out, T* folds, const T& init, const Op& op, const F& f) {
  if (n <= elements_a_run) {
    fold_one_run<<<1, 1, 0, d.stream()>>>(in, n, out, init, op, f);
    return check(cudaGetLastError(), "reduce on cuda");
  }
  fold_runs<<<blocks_of_runs(n), runs_a_block, 0, d.stream()>>>(in, n, folds, op, f);
  check(cudaGetLastError(), "reduce on cuda");
  reduce_level(d, folds, runs_of(n), out, folds + runs_of(n), init, op, identity{});
}

template <class T, class Op, class F>
void reduce_by_runs(device& d, const T* in, std::uint64_t n, T* out, const T& init, const Op& op, const F& f) {
  require_element_size<T>();
  const memory folds = d.scratch("reduce/cuda/runs", std::max<std::uint64_t>(1, folds_of_runs(n)) * sizeof(T));
  reduce_level(d, static_cast<const T*>(in), n, out, folds.as<T>(), init, op, f);
}

#endif

}  // namespace upsweep::cuda
