// for_each_index on CUDA from files that nvcc does not compile, of functions that travel as text (cuda/code.hpp).
#pragma once

#include <cstdint>

#include "upsweep/core/device.hpp"
#include "upsweep/cuda/code.hpp"
#include "upsweep/opencl/custom.hpp"

namespace upsweep::cuda {

struct kernel_text;  // cuda/nvrtc.hpp

// for_each/cuda/text.cpp; without CUDA in the build it throws (core/cuda_absent.cpp). Enqueued. `made`: one for each
// type.
void for_each_by_text(upsweep::device&, std::uint64_t n, const core::coded_object&, opencl::kept_program& made);
// What NVRTC is given for it.
kernel_text for_each_kernel_text(const core::coded_object&);

// What is compiled of an object's definition: a file of its own, by the name that messages are to call it.
std::string definition_of(const core::coded_object&);

}  // namespace upsweep::cuda
