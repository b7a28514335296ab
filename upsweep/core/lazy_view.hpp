// Evaluates lazy views (element_reader.hpp) into memory, for algorithms that read only memory: in chunks in host
// memory, or in the device's scratch memory. On a device, nvcc has compiled the view's functions, or the run-time
// compiler compiles their device source.
#pragma once

#include "upsweep/core/element_reader.hpp"
#include "upsweep/core/user_call.hpp"
#include "upsweep/cpu/adaptive_grain.hpp"
#if defined(__CUDACC__)
#include "upsweep/for_each/for_each_cuda.cuh"
#endif

namespace upsweep::core {

// Whether f(in[i]) has device source and how that stores the elements; whether it has no C++ that nvcc can call. The
// specialisation for views with device source is in for_each/jit/for_each_lazy.hpp, which views.hpp includes.
template <class In, class F>
struct jit_materializer {
  static constexpr bool is_there = false, is_only_source = core::is_only_source<In> || core::is_only_source<F>;
};

inline namespace UPSWEEP_COMPILED {

// to[i] = f(in[i])
template <class T, class In, class F>
struct making {
  In in;
  F f;
  T* to;
  UPSWEEP_HD void operator()(std::uint64_t i) const { to[i] = T(core::call(f, in[i])); }
};

inline error made_elsewhere(const char* where, backend b) {
  if (b == backend::opencl)
    return {
        fault::unsupported, where, "an input that is made from device memory by C++ does not run on OpenCL",
        "make it by functions that have device source (docs/calls.md), use a CPU or a CUDA context, or give the memory "
        "itself"};
  return {fault::unsupported, where,
          "an input that is made from device memory by C++ runs on CUDA only where nvcc compiles it",
          "make it by functions that have device source (docs/calls.md), or move the call into a .cu file"};
}

// to[i] = f(in[i]) in memory of a device. Enqueued.
template <class T, class CompiledBy, class In, class F>
void store_on_device(const context& where, const char* call, const In& in, const F& f, operand<T> to) {
  static_assert(std::is_trivially_copyable_v<T>,
                "upsweep: CUDA moves elements as bytes; give it a trivially copyable type");
  using jit = jit_materializer<In, F>;
#if defined(__CUDACC__)
  if constexpr (!jit::is_only_source)
    if (where.kind() == backend::cuda)
      return cuda::for_each_index(where.device(), to.size(), making<T, In, F>{in, f, to.data()});
#endif
  if constexpr (jit::is_there) {
    jit::template store<T>(where, call, in, to.size(), f, to.where());
  } else {
    (void)in, (void)f, (void)to;
    core::throw_error(made_elsewhere(call, where.kind()));
  }
}
// store_on_device into scratch memory.
template <class T, class CompiledBy, class In, class F>
operand<const T> made_on_device(const context& where, const char* call, const In& in, std::uint64_t n, const F& f) {
  const operand<T> to(where.device().scratch("core/made", std::max<std::uint64_t>(n * sizeof(T), 16)), n, false);
  core::store_on_device<T, CompiledBy>(where, call, in, f, to);
  return to;
}

// ---- Inputs of forms with device source, and of variants, that read only memory.

// Whether X is device memory, or a view with device source.
template <class X>
inline constexpr bool is_readable_jit = in_memory<X> && memory_space_of<X> != memory_space::host;
template <memory_space Space, class At>
inline constexpr bool is_readable_jit<lazy_view<Space, At>> = jit_materializer<as_array<At>, identity>::is_there;
template <class X>
inline constexpr bool is_only_source_view = false;
template <memory_space Space, class At>
inline constexpr bool is_only_source_view<lazy_view<Space, At>> = is_only_source<At>;

// Whether device source has to store the lazy views among these inputs: on OpenCL; on CUDA if nvcc does not compile the
// call, or cannot.
template <class... X>
inline constexpr bool can_materialize_jit = (is_lazy_view<X> || ...) && (is_readable_jit<X> && ...);
template <class... X>
bool must_materialize_jit(const context& where) {
#if defined(__CUDACC__)
  constexpr bool by_nvcc = !(is_only_source_view<X> || ...);
#else
  constexpr bool by_nvcc = false;
#endif
  return where.kind() == backend::opencl || (where.kind() == backend::cuda && !by_nvcc);
}

// x in device memory: in place, or in scratch memory with that name into which its device source stores it.
template <class X>
device_span<const value_of<X>> materialize_jit(const context& where, [[maybe_unused]] const char* call,
                                               [[maybe_unused]] const char* scratch, const X& x) {
  using T = value_of<X>;
  const std::uint64_t n = core::elements_in(x);
  if constexpr (in_memory<X>) {
    return {core::read_operand(x).where(), n};
  } else {
    const as_array in{x.at()};
    const memory to = where.device().scratch(scratch, std::max<std::uint64_t>(n * sizeof(T), 16));
    jit_materializer<std::remove_const_t<decltype(in)>, identity>::template store<T>(where, call, in, n, identity{},
                                                                                     to);
    return {to, n};
  }
}

// Calls body(chunk, first) with consecutive chunks of f(in[0]), … in host memory.
template <class T, class In, class F, class Body>
void for_each_made_chunk(const context& where, const In& in, std::uint64_t n, const F& f, Body body) {
  constexpr std::uint64_t most = std::max<std::uint64_t>(1, (std::uint64_t{64} << 20) / sizeof(T));
  const std::uint64_t chunk = (std::min)(most, n);
  const host_array<T> made(chunk);
  core::for_each_chunk_of((std::min)(chunk, chunk_elements(where.device(), n, 2 * sizeof(T))), n,
                          [&](std::uint64_t first, std::uint64_t count) {
                            cpu::for_each_paced_piece(count, 1 << 15, [&](std::uint64_t from, std::uint64_t to) {
                              for (std::uint64_t i = from; i < to; ++i) made[i] = T(f(in[first + i]));
                            });
                            body(std::span<T>(made.data(), count), first);
                          });
}

}  // namespace UPSWEEP_COMPILED
}  // namespace upsweep::core
