// scan on CUDA from a file that nvcc does not compile, with device source for a user-defined type, operator or
// transform. upsweep/jit/jit.hpp says how to provide it. NVRTC compiles the kernels of the algorithm with it
// (cuda/cuda_jit.hpp).
#pragma once

#include "upsweep/cuda/cuda_jit_folds.hpp"

namespace upsweep::cuda {

// Defined in scan/cuda/scan_cuda_jit.cpp; without CUDA in the build it throws (scan_jit_absent.cpp). Enqueued: the
// scan of f(in[i]) after init, or after the element at init_there. `out` may be `in`.
struct kernel_source;  // cuda/nvrtc.hpp
void scan_jit(upsweep::device&, const opencl::custom_kernel&, memory in, std::uint64_t n, memory out, bool inclusive,
              memory init_there = {});
// The source that NVRTC compiles for it, for a device whose blocks may have `shared_limit` bytes of shared memory.
kernel_source scan_kernel_source(const opencl::custom_kernel&, std::uint64_t shared_limit);

}  // namespace upsweep::cuda
