// One thread per index, or per few.
#pragma once

#include <cstdint>
#include <type_traits>

#if !defined(__CUDACC_RTC__)
#include "upsweep/core/user_call.hpp"
#include "upsweep/cuda/cuda_device.hpp"
#endif

namespace upsweep::cuda {

inline constexpr unsigned each_threads = 256;

#if !defined(__CUDACC_RTC__)  // the host's side

// Calls launch(first, blocks) for blocks of each_threads threads that take `items` indices each, until all n are taken.
template <class Launch>
void for_each_grid(device& d, std::uint64_t n, std::uint64_t items, const char* call, const Launch& launch) {
  constexpr std::uint64_t most_blocks = 1u << 30;
  const std::uint64_t tile = each_threads * items;
  d.make_current();
  for (std::uint64_t first = 0; first < n; first += tile * most_blocks) {
    launch(first, static_cast<unsigned>((std::min)((n - first + tile - 1) / tile, most_blocks)));
    check(cudaGetLastError(), call);
  }
}

#endif

template <class F>
__global__ void call_each(std::uint64_t first, std::uint64_t n, unsigned items, F f) {
  std::uint64_t i = first + std::uint64_t{blockIdx.x} * each_threads * items + threadIdx.x;
  for (unsigned k = 0; k < items && i < n; ++k, i += each_threads) f(i);
}

#if !defined(__CUDACC_RTC__)

// With many indices a thread takes four: starting a block costs more than writing 1 KiB.
template <class F>
void for_each_index(upsweep::device& where, std::uint64_t n, const F& f) {
  core::require_not_only_source<F>();
  device& d = of(where);
  const unsigned items = n >= 1u << 22 ? 4 : 1;
  for_each_grid(d, n, items, "for_each_index", [&](std::uint64_t first, unsigned blocks) {
    call_each<<<blocks, each_threads, 0, d.stream()>>>(first, n, items, f);
  });
}

#endif

// A thread reads the values of all its indices into registers before it writes the first, so that more memory accesses
// are in flight at once.
template <int Items, class T, class Read, class Then>
__global__ void store_results(std::uint64_t first, std::uint64_t n, Read read, Then then, T* out) {
  const std::uint64_t begin = first + std::uint64_t{blockIdx.x} * each_threads * Items + threadIdx.x;
  if constexpr (Items == 1) {
    if (begin < n) out[begin] = static_cast<T>(then(read(begin)));
  } else if (begin + (Items - 1) * each_threads < n) {
    std::remove_cvref_t<decltype(read(0))> had[Items];
#pragma unroll
    for (int k = 0; k < Items; ++k) had[k] = read(begin + k * each_threads);
#pragma unroll
    for (int k = 0; k < Items; ++k) out[begin + k * each_threads] = static_cast<T>(then(had[k]));
  } else {
    for (std::uint64_t i = begin; i < n; i += each_threads) out[i] = static_cast<T>(then(read(i)));
  }
}

#if !defined(__CUDACC_RTC__)

// out[i] = then(read(i)). An element that is read for one index may be written only for the same index.
template <class T, class Read, class Then>
void store_each(upsweep::device& where, std::uint64_t n, const Read& read, const Then& then, T* out) {
  core::require_not_only_source<Read, Then>();
  using had = std::remove_cvref_t<decltype(read(0))>;
  constexpr bool kept = std::is_trivially_default_constructible_v<had> && std::is_trivially_copyable_v<had> &&
                        std::is_copy_assignable_v<had>;
  constexpr int items = !kept || sizeof(had) > 24 ? 1 : sizeof(had) > 8 ? 4 : 8;
  device& d = of(where);
  for_each_grid(d, n, items, "store_each", [&](std::uint64_t first, unsigned blocks) {
    store_results<items><<<blocks, each_threads, 0, d.stream()>>>(first, n, read, then, out);
  });
}

#endif

}  // namespace upsweep::cuda
