// reduce on CUDA from a file that nvcc does not compile, by the texts of a type, operator or transform of your own:
// upsweep/opencl/custom.hpp says how to give them. NVRTC compiles the room's kernels with them (cuda/text.hpp).
#pragma once

#include "upsweep/cuda/folds_by_text.hpp"

namespace upsweep::cuda {

// reduce/cuda/text.cpp; without CUDA in the build it throws (core/cuda_absent.cpp). Enqueued:
// out[0] = init ∘ f(in[0]) ∘ … ∘ f(in[n-1]).
struct kernel_text;  // cuda/nvrtc.hpp
void reduce_by_text(upsweep::device&, const opencl::custom_kernel&, memory in, std::uint64_t n, memory out);
// What NVRTC is given for it.
kernel_text reduce_kernel_text(const opencl::custom_kernel&);

}  // namespace upsweep::cuda
