// Counts of ranges of bins from the prefix of a histogram: two look-ups and a subtraction each.
#pragma once

#include "upsweep/cuda/cuda_device.hpp"

namespace upsweep::cuda {

inline constexpr int range_threads = 256;

static __global__ void __launch_bounds__(range_threads)
    count_ranges(const std::uint64_t* prefix, const std::uint64_t* ranges, std::uint64_t n, std::uint64_t* out) {
  const std::uint64_t i = std::uint64_t{blockIdx.x} * range_threads + threadIdx.x;
  if (i < n) out[i] = prefix[ranges[2 * i + 1]] - prefix[ranges[2 * i]];
}

}  // namespace upsweep::cuda
