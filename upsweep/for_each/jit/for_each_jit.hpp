// for_each_index by a function's device source and its operands (jit/jit_operands.hpp): on OpenCL, and on CUDA by
// NVRTC.
#pragma once

#include "upsweep/jit/jit_operands.hpp"

namespace upsweep {

namespace opencl {

// One call without its types: statements in i, and the operands' names.
struct index_source {
  const char* call = nullptr;
  std::string statements;
  operand_list operands;
  preamble before = {};  // user-defined types and functions that the statements name
};

// for_each/opencl/for_each_opencl_jit.cpp; without OpenCL in the build it throws (for_each_jit_absent.cpp). Enqueued.
void for_each_jit(upsweep::device&, std::uint64_t n, const index_source&);

template <has_index_source F>
index_source index_source_of(const char* call, const F& f) {
  return {call, opencl::source_of(f), f.named_operands(), {}};
}

}  // namespace opencl

namespace cuda {
// for_each/cuda/for_each_cuda_jit.cpp; without CUDA in the build it throws (for_each_jit_absent.cpp). Enqueued.
void for_each_jit(upsweep::device&, std::uint64_t n, const opencl::index_source&);
struct kernel_source;  // cuda/nvrtc.hpp
kernel_source index_kernel_source(const opencl::index_source&);
}  // namespace cuda

}  // namespace upsweep
