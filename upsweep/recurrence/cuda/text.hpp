// Recurrences on CUDA from files that nvcc does not compile, of steps that travel as text (cuda/code.hpp).
#pragma once

#include "upsweep/for_each/cuda/text.hpp"
#include "upsweep/recurrence/by_element.hpp"

namespace upsweep::cuda {

// Steps and what the launch asks of them, erased.
struct coded_steps {
  core::coded_object steps;
  std::size_t value_bytes = 0;                                 // of what tiles publish: a map, or what it is joined as
  bool by_element = false, bulk_in = false, bulk_out = false;  // the sequences' addresses are multiples of 16 bytes
};

// recurrence/cuda/text.cpp; without CUDA in the build it throws (core/cuda_absent.cpp). Enqueued. `made`: one for each
// type.
void recur_by_text(upsweep::device&, std::uint64_t n, const coded_steps&, void* carry, opencl::kept_program& made);
// What NVRTC is given for it, where a block may have so much shared memory.
kernel_text recurrence_kernel_text(const coded_steps&, std::uint64_t shared_limit);

template <core::has_code_text Steps>
coded_steps coded_steps_of(const Steps& steps) {
  coded_steps c{core::coded(steps), sizeof(typename Steps::map), by_element<Steps>, true, true};
  if constexpr (requires { typename Steps::joined; }) c.value_bytes = sizeof(typename Steps::joined);
  if constexpr (by_element<Steps>) {
    const auto sixteenth = [](const void* p) { return reinterpret_cast<std::uintptr_t>(p) % 16 == 0; };
    for (int k = 0; k < Steps::sequences; ++k) c.bulk_in = c.bulk_in && sixteenth(steps.from(k));
    c.bulk_out = sixteenth(steps.to());
  }
  return c;
}

}  // namespace upsweep::cuda
