// Sets on CUDA from files that nvcc does not compile, by comparators that carry their text (opencl/custom.hpp says
// how), of what lies in memory. NVRTC compiles the room's kernels with them (cuda/text.hpp).
#pragma once

#include <memory>

#include "upsweep/core/thread_end.hpp"
#include "upsweep/sets/kinds.hpp"
#include "upsweep/sort/opencl/custom.hpp"

namespace upsweep::cuda {

struct kernel_text;  // cuda/nvrtc.hpp

// What one call is made of, erased. Values of no bytes: none.
struct sets_text {
  opencl::custom_order order;
  std::size_t value_bytes = 0, value_align = 1;
  bool second_values = false;
  mutable opencl::kept_program made = {};
};

struct sets_operands {
  memory a, a_values, b, b_values, out, values_out, count;
  std::uint64_t n = 0, m = 0, room = 0;
};

// sets/cuda/text.cpp; without CUDA in the build it throws (core/cuda_absent.cpp). Enqueued.
void keep_by_text(upsweep::device&, const sets_text&, sets_room::primitive, const sets_operands&);
// What NVRTC is given for it.
kernel_text sets_kernel_text(const sets_text&);

// In this thread's next call with these types it is there, where the text is the same.
template <class K, class V, bool SecondValues, class Compare>
const sets_text& sets_by_text(const char* call, const Compare& compare) {
  struct last_call {
    std::string text;
    sets_text made;
  };
  [[maybe_unused]] static thread_local const bool room = core::room_for_thread_end();
  thread_local std::unique_ptr<last_call> last;
  std::string text = opencl::text_of(compare);
  if (!last || last->text != text) {
    sets_text s{opencl::order_of<K, opencl::compiler::cuda>(call, compare)};
    if constexpr (!std::is_empty_v<V>)
      s.value_bytes = sizeof(V), s.value_align = alignof(V), s.second_values = SecondValues;
    last = std::make_unique<last_call>(last_call{std::move(text), std::move(s)});
  }
  last->made.order.call = call;
  return last->made;
}

}  // namespace upsweep::cuda
