// for_each_index: f(i) for every i of [0, n), side by side; what scan, sort and select are joined by in programs of
// one's own.
//
//   float* data = x.span().data();
//   upsweep::for_each_index(gpu, n, [data] UPSWEEP_HD(std::uint64_t i) { data[i] *= 2; });
//
// In a .cu file a lambda is UPSWEEP_HD, captures what has a name already, and wants nvcc's --extended-lambda. On
// OpenCL, and on CUDA from any other file, a function carries its text: statements in i and in the operands that it
// names (opencl/operands.hpp):
//
//   struct doubled {
//     upsweep::device_span<float> data;
//     void operator()(std::uint64_t i) const { data.data()[i] *= 2; }
//     static constexpr const char* opencl = "data[i] *= 2;";
//     auto named_operands() const { return upsweep::named("data", data); }
//   };
//   upsweep::for_each_index(gpu, n, doubled{x.span()});
//
// Result       f(0), …, f(n - 1) have been called, once each, in no order that may be relied on.
// Requires     calls that do not disturb one another: what one writes, no other reads or writes, except by atomic
//              operations that do not care for the order: take_least and least_so_far (for_each/least.hpp). f is
//              copied to the device; addresses that it holds are the device's (span().data()). What names its operands
//              goes by its text on every device but the CPU, in a .cu file, too.
// Work         n calls. `grain` is the fewest indices that a CPU thread takes at once; 0 chooses for calls of a few
//              nanoseconds.
// Determinism  f's own.
// Asynchrony   CUDA, OpenCL: enqueued. CPU: done on return.
// Errors       upsweep::error: a function without its text on OpenCL; on CUDA outside a .cu file one that neither has
//              it nor is defined with it (UPSWEEP_WITH_TEXT, cuda/code.hpp: all of CUDA C++, and addresses); a text
//              that the device's compiler refuses, with the place in it; on OpenCL take_least in a text where the
//              device has no 64-bit atomics. What f throws on the CPU is thrown again.
#pragma once

#include <algorithm>

#include "upsweep/core/custom.hpp"
#include "upsweep/core/thread_end.hpp"
#include "upsweep/cpu/blocks.hpp"
#include "upsweep/for_each/cuda/text.hpp"
#include "upsweep/for_each/least.hpp"
#include "upsweep/for_each/opencl/text.hpp"
#if defined(__CUDACC__)
#include "upsweep/for_each/cuda.cuh"
#endif

namespace upsweep {

namespace for_each_room {
inline namespace UPSWEEP_COMPILED {

// On CUDA, where f's C++ is compiled: by nvcc, or of its whole definition by NVRTC.
template <class F, class CompiledBy>
void by_code(const context& where, std::uint64_t n, const F& f) {
#if defined(__CUDACC__)
  cuda::for_each_index(where.dev(), n, f);
#else
  if constexpr (core::has_code_text<F>) {
    [[maybe_unused]] static thread_local const bool room = core::room_for_thread_end();
    static thread_local opencl::kept_program made;
    cuda::for_each_by_text(where.dev(), n, core::coded(f), made);
  } else {
    throw error(fault::unsupported, "for_each_index",
                "it runs on CUDA by its function's text, or only where nvcc compiles the call",
                "define the function with UPSWEEP_WITH_TEXT (upsweep/cuda/code.hpp), or move the call into a .cu file");
  }
#endif
}

}  // namespace UPSWEEP_COMPILED
}  // namespace for_each_room

inline namespace UPSWEEP_COMPILED {

template <class F, class CompiledBy = this_compiler>
void for_each_index(const context& where, std::uint64_t n, const F& f, std::uint64_t grain = 0) {
  core::require_both_sides<F>();
  static_assert(
      std::is_invocable_v<const F&, std::uint64_t>,
      "upsweep: for_each_index calls f(std::uint64_t) as const, from several threads at once; give it a function "
      "that takes an index, and no mutable lambda");
  switch (where.kind()) {
    case backend::cpu: {
      if (grain == 0) grain = std::clamp<std::uint64_t>(n / 64, 256, 16384);
      return cpu::for_each_block(where.dev(), cpu::block_count(n, grain), [&](std::uint64_t b, const cpu::stop_flag&) {
        const std::uint64_t last = n - b * grain < grain ? n : (b + 1) * grain;
        for (std::uint64_t i = b * grain; i < last; ++i) f(i);
      });
    }
    case backend::opencl:
      if constexpr (opencl::has_index_text<F>)
        return opencl::for_each_by_text(where.dev(), n, opencl::index_text_of("for_each_index", f));
      throw error(fault::unsupported, "for_each_index", "C++ does not run on OpenCL devices",
                  "give the function its text and name its operands (upsweep/opencl/operands.hpp), or use a CPU or a "
                  "CUDA context");
    case backend::cuda: break;
  }
  if constexpr (opencl::has_index_text<F>) {
    cuda::for_each_by_text(where.dev(), n, opencl::index_text_of("for_each_index", f));
  } else {
    for_each_room::by_code<F, CompiledBy>(where, n, f);
  }
}

}  // namespace UPSWEEP_COMPILED
}  // namespace upsweep
