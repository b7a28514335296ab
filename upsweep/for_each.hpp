// for_each_index: calls f(i) for every i of [0, n) in parallel, like a CUDA kernel over n threads. Programs use it for
// the steps between scans, sorts and selections.
//
//   float* data = x.span().data();
//   upsweep::for_each_index(gpu, n, [data] UPSWEEP_HD(std::uint64_t i) { data[i] *= 2; });
//
// In a .cu file a lambda is declared UPSWEEP_HD, has no init-captures, and needs nvcc's --extended-lambda. On
// OpenCL, and on CUDA from any other file, a function has device source: statements in i and in the operands that it
// names (jit/jit_operands.hpp):
//
//   struct doubled {
//     upsweep::device_span<float> data;
//     void operator()(std::uint64_t i) const { data.data()[i] *= 2; }
//     static constexpr const char* source = "data[i] *= 2;";
//     auto named_operands() const { return upsweep::named("data", data); }
//   };
//   upsweep::for_each_index(gpu, n, doubled{x.span()});
//
// Result       f(0), …, f(n - 1) have been called once each, in unspecified order.
// Requires     Independent calls: no call reads or writes memory that another call writes, except by atomic operations
//              whose result does not depend on the order: take_least and least_so_far
//              (for_each/for_each_first_match.hpp).
//              f is copied to the device, so addresses that it holds are device addresses (span().data()). A function
//              that names its operands runs from its device source on every device but the CPU, in a .cu file too.
// Work         n calls. `grain` is the number of indices that a CPU thread takes at once; 0 chooses it from the
//              measured time of the calls.
// Determinism  That of f.
// Asynchrony   CUDA, OpenCL: enqueued. CPU: done on return.
// Errors       upsweep::error: on OpenCL, a function without device source; on CUDA outside a .cu file, a function that
//              neither has device source nor is defined with UPSWEEP_WITH_SOURCE (cuda/function_source.hpp: all of CUDA
//              C++, and
//              addresses); device source that the device's compiler rejects, with the position in it; on OpenCL,
//              take_least in device source where the device has no 64-bit atomics. On the CPU, an exception of f is
//              rethrown.
#pragma once

#include <algorithm>

#include "upsweep/core/custom_operator.hpp"
#include "upsweep/core/thread_exit.hpp"
#include "upsweep/cpu/adaptive_grain.hpp"
#include "upsweep/for_each/cuda/for_each_cuda_jit.hpp"
#include "upsweep/for_each/for_each_first_match.hpp"
#include "upsweep/for_each/jit/for_each_jit.hpp"
#if defined(__CUDACC__)
#include "upsweep/for_each/for_each_cuda.cuh"
#endif

namespace upsweep {

namespace detail::for_each_impl {
inline namespace UPSWEEP_COMPILED {

// Runs f's C++ on CUDA: compiled by nvcc, or by NVRTC from the source of its whole definition.
template <class F, class CompiledBy>
void run_compiled(const context& where, std::uint64_t n, const F& f) {
#if defined(__CUDACC__)
  cuda::for_each_index(where.device(), n, f);
#else
  if constexpr (core::has_code_source<F>) {
    [[maybe_unused]] static thread_local const bool reserved = core::reserve_thread_exit_hook();
    static thread_local opencl::kept_program program;
    cuda::for_each_jit(where.device(), n, core::coded(f), program);
  } else {
    core::throw_error(error(fault::unsupported, "for_each_index",
                            "on CUDA the function needs device source, or nvcc must compile the call",
                            "define the function with UPSWEEP_WITH_SOURCE (upsweep/cuda/function_source.hpp), or move "
                            "the call into a .cu file"));
  }
#endif
}

}  // namespace UPSWEEP_COMPILED
}  // namespace detail::for_each_impl

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
      const bool chosen = grain == 0;
      if (chosen) grain = std::clamp<std::uint64_t>(n / 64, 256, 16384);
      const auto each = [&](std::uint64_t first, std::uint64_t last) {
        for (std::uint64_t i = first; i < last; ++i) f(i);
      };
      if (chosen && n <= grain) return cpu::for_each_paced(where.device(), n, each);
      return cpu::for_each_block(where.device(), cpu::block_count(n, grain),
                                 [&](std::uint64_t b, const cpu::stop_flag& stop) {
                                   const std::uint64_t first = b * grain, last = n - first < grain ? n : first + grain;
                                   if (chosen)
                                     cpu::for_each_paced(where.device(), first, last, each, stop);
                                   else
                                     each(first, last);
                                 });
    }
    case backend::opencl:
      if constexpr (opencl::has_index_source<F>)
        return opencl::for_each_jit(where.device(), n, opencl::index_source_of("for_each_index", f));
      core::throw_error(
          error(fault::unsupported, "for_each_index", "C++ does not run on OpenCL devices",
                "give the function device source and name its operands (upsweep/jit/jit_operands.hpp), or use a CPU or "
                "a CUDA context"));
    case backend::cuda: break;
  }
  if constexpr (opencl::has_index_source<F>) {
    cuda::for_each_jit(where.device(), n, opencl::index_source_of("for_each_index", f));
  } else {
    detail::for_each_impl::run_compiled<F, CompiledBy>(where, n, f);
  }
}

}  // namespace UPSWEEP_COMPILED
}  // namespace upsweep
