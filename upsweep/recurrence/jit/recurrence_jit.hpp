// Steps that are compiled at run time from their device source and named operands (jit/jit_operands.hpp): on
// OpenCL, and on CUDA by NVRTC.
#pragma once

#include "upsweep/jit/jit_operands.hpp"

namespace upsweep {

// A step's functions, each an expression in OpenCL C. `compose` names no operand; `step` may write one:
// "(out[i] = s * 2)".
struct steps_source {
  const char* extend;   // a map, of f, i and the operands: f, then step i
  const char* compose;  // a map, of f and g: f, then g
  const char* apply;    // a state, of f and s: where f leads from s
  const char* step;     // a state, of i, s and the operands: step i alone
};

namespace opencl {

template <class Steps>
concept has_steps_source = names_operands<Steps> && requires(const Steps& s) {
  { s.source } -> std::convertible_to<steps_source>;
};

// One recurrence, erased.
struct recurrence_source {
  const char* call = nullptr;
  steps_source sources{};
  operand_list operands;
  std::string (*state)(preamble&) = nullptr;  // return the types' names; each is called once
  std::string (*map)(preamble&) = nullptr;
  const char* map_as = nullptr;  // the library's name of a built-in map's type: "f32"
  std::size_t state_bytes = 0, map_bytes = 0, map_align = 0;
  std::string nothing;    // the bytes of the identity map
  bool in_order = false;  // one item makes all steps
};

// recurrence/opencl/recurrence_opencl_jit.cpp; without OpenCL in the build it throws (recurrence_jit_absent.cpp). `end`
// is the last state afterwards; it may be exactly `start`. Enqueued.
void recur_jit(upsweep::device&, std::uint64_t n, const recurrence_source&, memory start, memory end);

template <class Steps>
recurrence_source recurrence_source_of(const Steps& steps) {
  using map = typename Steps::map;
  recurrence_source t;
  t.call = "recurrence", t.sources = steps.source, t.operands = steps.named_operands();
  t.state = [](preamble& p) { return p.type<typename Steps::state>(); };
  t.map = [](preamble& p) { return p.type<map>(); };
  if constexpr (folding_type<map>) t.map_as = name_of(dtype_of<map>).data();
  t.state_bytes = sizeof(typename Steps::state), t.map_bytes = sizeof(map), t.map_align = alignof(map);
  const map nothing = steps.identity();
  t.nothing.assign(reinterpret_cast<const char*>(&nothing), sizeof nothing);
  return t;
}

}  // namespace opencl

namespace cuda {
// recurrence/cuda/recurrence_cuda_jit.cpp; without CUDA in the build it throws (recurrence_jit_absent.cpp). Enqueued.
void recur_jit(upsweep::device&, std::uint64_t n, const opencl::recurrence_source&, memory carry);
struct kernel_source;  // cuda/nvrtc.hpp
kernel_source recurrence_kernel_source(const opencl::recurrence_source&, std::uint64_t shared_limit);
}  // namespace cuda

}  // namespace upsweep
