// for_each_index on CUDA from files that nvcc does not compile, of functions that have device source
// (cuda/function_source.hpp).
#pragma once

#include <cstdint>

#include "upsweep/core/device.hpp"
#include "upsweep/cuda/function_source.hpp"
#include "upsweep/jit/jit.hpp"

namespace upsweep::cuda {

struct kernel_source;  // cuda/nvrtc.hpp

// for_each/cuda/for_each_cuda_jit.cpp; without CUDA in the build it throws (for_each_jit_absent.cpp). Enqueued. `made`:
// one for each type.
void for_each_jit(upsweep::device&, std::uint64_t n, const core::coded_object&, opencl::kept_program& made);
// The source that NVRTC compiles for it.
kernel_source for_each_kernel_source(const core::coded_object&);

// The source of an object's definition, as a file whose name appears in the compiler's messages.
std::string definition_of(const core::coded_object&);

}  // namespace upsweep::cuda
