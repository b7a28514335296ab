// One thread an index.
#pragma once

#include "upsweep/cuda/device.hpp"

namespace upsweep::cuda {

template <class F>
__global__ void call_each(std::uint64_t first, std::uint64_t n, F f) {
  const std::uint64_t i = first + std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < n) f(i);
}

template <class F>
void for_each_index(upsweep::device& where, std::uint64_t n, const F& f) {
  constexpr std::uint64_t threads = 256, most_blocks = 1u << 30;
  device& d = of(where);
  d.make_current();
  for (std::uint64_t first = 0; first < n; first += threads * most_blocks) {
    const std::uint64_t blocks = std::min((n - first + threads - 1) / threads, most_blocks);
    call_each<<<static_cast<unsigned>(blocks), threads, 0, d.stream()>>>(first, n, f);
    check(cudaGetLastError(), "for_each_index");
  }
}

}  // namespace upsweep::cuda
