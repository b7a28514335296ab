// Launches whose blocks are all resident at once, so that one may wait for another.
#pragma once

#include <utility>

#include "upsweep/cuda/cuda_device.hpp"

namespace upsweep::cuda {

// If `together` is false, this is an ordinary launch.
template <class... P, class... A>
void launch_together(device& d, void (*kernel)(P...), std::uint64_t blocks, int threads, std::size_t shared_bytes,
                     bool together, const char* where, A&&... arguments) {
  cudaLaunchAttribute attribute;
  attribute.id = cudaLaunchAttributeCooperative;
  attribute.val.cooperative = 1;
  cudaLaunchConfig_t launch{};
  launch.gridDim = static_cast<unsigned>(blocks);
  launch.blockDim = threads;
  launch.dynamicSmemBytes = shared_bytes;
  launch.stream = d.stream();
  launch.attrs = &attribute;
  launch.numAttrs = together ? 1 : 0;
  check(cudaLaunchKernelEx(&launch, kernel, std::forward<A>(arguments)...), where);
}

}  // namespace upsweep::cuda
