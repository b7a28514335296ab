// Recurrences on CUDA from files that nvcc does not compile, of steps that have device source
// (cuda/function_source.hpp).
#pragma once

#include "upsweep/for_each/cuda/for_each_cuda_jit.hpp"
#include "upsweep/recurrence/recurrence_by_element.hpp"

namespace upsweep::cuda {

// Steps with their types erased, and the parameters of their launch.
struct coded_steps {
  core::coded_object steps;
  std::size_t value_bytes = 0;                                 // of a tile's published map, or of its joined form
  bool by_element = false, bulk_in = false, bulk_out = false;  // the sequences' addresses are multiples of 16 bytes
};

// recurrence/cuda/recurrence_cuda_jit.cpp; without CUDA in the build it throws (recurrence_jit_absent.cpp). Enqueued.
// `made`: one for each type.
void recur_jit(upsweep::device&, std::uint64_t n, const coded_steps&, void* carry, opencl::kept_program& made);
// The device source for NVRTC, if a block may have this amount of shared memory.
kernel_source recurrence_kernel_source(const coded_steps&, std::uint64_t shared_limit);

template <core::has_code_source Steps>
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
