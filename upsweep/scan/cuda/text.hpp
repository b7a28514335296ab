// scan on CUDA from a file that nvcc does not compile, by the texts of a type, operator or transform of your own:
// upsweep/opencl/custom.hpp says how to give them. NVRTC compiles the room's kernels with them (cuda/text.hpp).
#pragma once

#include "upsweep/cuda/folds_by_text.hpp"

namespace upsweep::cuda {

// scan/cuda/text.cpp; without CUDA in the build it throws (core/cuda_absent.cpp). Enqueued: the scan of f(in[i]) seeded
// with init, or with the element at init_there; `out` may be `in`.
struct kernel_text;  // cuda/nvrtc.hpp
void scan_by_text(upsweep::device&, const opencl::custom_kernel&, memory in, std::uint64_t n, memory out,
                  bool inclusive, memory init_there = {});
// What NVRTC is given for it, where a block may have so much shared memory.
kernel_text scan_kernel_text(const opencl::custom_kernel&, std::uint64_t shared_limit);

}  // namespace upsweep::cuda
