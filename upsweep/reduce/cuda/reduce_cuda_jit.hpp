// reduce on CUDA from a file that nvcc does not compile, with device source for a user-defined type, operator or
// transform. upsweep/jit/jit.hpp says how to provide it. NVRTC compiles the kernels of the algorithm with it
// (cuda/cuda_jit.hpp).
#pragma once

#include "upsweep/cuda/cuda_jit_folds.hpp"

namespace upsweep::cuda {

// Defined in reduce/cuda/reduce_cuda_jit.cpp; without CUDA in the build it throws (reduce_jit_absent.cpp). Enqueued:
// out[0] = init ∘ f(in[0]) ∘ … ∘ f(in[n-1]).
struct kernel_source;  // cuda/nvrtc.hpp
void reduce_jit(upsweep::device&, const opencl::custom_kernel&, memory in, std::uint64_t n, memory out);
// The source that NVRTC compiles for it.
kernel_source reduce_kernel_source(const opencl::custom_kernel&);

}  // namespace upsweep::cuda
