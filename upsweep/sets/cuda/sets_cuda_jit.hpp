// Set operations on memory on CUDA from files that nvcc does not compile, by comparators with device source
// (jit/jit.hpp). NVRTC compiles the algorithm's kernels with them (cuda/cuda_jit.hpp).
#pragma once

#include <memory>

#include "upsweep/core/thread_exit.hpp"
#include "upsweep/sets/sets_operations.hpp"
#include "upsweep/sort/jit/sort_jit.hpp"

namespace upsweep::cuda {

struct kernel_source;  // cuda/nvrtc.hpp

// The type-erased arguments of one call. Values of zero bytes: none.
struct sets_source {
  opencl::custom_order order;
  std::size_t value_bytes = 0, value_align = 1;
  bool second_values = false;
  mutable opencl::kept_program made = {};
};

struct sets_operands {
  memory a, a_values, b, b_values, out, values_out, count;
  std::uint64_t n = 0, m = 0, capacity = 0;
};

// sets/cuda/sets_cuda_jit.cpp; without CUDA in the build it throws (sets_jit_absent.cpp). Enqueued.
void keep_jit(upsweep::device&, const sets_source&, detail::sets_impl::primitive, const sets_operands&);
// The input of NVRTC for that call.
kernel_source sets_kernel_source(const sets_source&);

// Kept for this thread's next call with these types and an equal device source.
template <class K, class V, bool SecondValues, class Compare>
const sets_source& sets_jit(const char* call, const Compare& compare) {
  struct last_call {
    std::string source;
    sets_source made;
  };
  [[maybe_unused]] static thread_local const bool reserved = core::reserve_thread_exit_hook();
  thread_local std::unique_ptr<last_call> last;
  std::string source = opencl::source_of(compare);
  if (!last || last->source != source) {
    sets_source s{opencl::order_of<K, opencl::compiler::cuda>(call, compare)};
    if constexpr (!std::is_empty_v<V>)
      s.value_bytes = sizeof(V), s.value_align = alignof(V), s.second_values = SecondValues;
    last = std::make_unique<last_call>(last_call{std::move(source), std::move(s)});
  }
  last->made.order.call = call;
  return last->made;
}

}  // namespace upsweep::cuda
