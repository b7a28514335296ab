// for_each_index by a function's text in what it names (opencl/operands.hpp): on OpenCL, and on CUDA by NVRTC.
#pragma once

#include "upsweep/opencl/operands.hpp"

namespace upsweep {

namespace opencl {

// One call, erased: statements in i and the operands' names.
struct index_text {
  const char* call = nullptr;
  std::string statements;
  operand_list operands;
  preamble before = {};  // types and functions of the user's own that the statements name
};

// for_each/opencl/text.cpp; without OpenCL in the build it throws (core/opencl_absent.cpp). Enqueued.
void for_each_by_text(upsweep::device&, std::uint64_t n, const index_text&);

template <has_index_text F>
index_text index_text_of(const char* call, const F& f) {
  return {call, opencl::text_of(f), f.named_operands(), {}};
}

}  // namespace opencl

namespace cuda {
// for_each/cuda/text.cpp; without CUDA in the build it throws (core/cuda_absent.cpp). Enqueued.
void for_each_by_text(upsweep::device&, std::uint64_t n, const opencl::index_text&);
struct kernel_text;  // cuda/nvrtc.hpp
kernel_text index_kernel_text(const opencl::index_text&);
}  // namespace cuda

}  // namespace upsweep
