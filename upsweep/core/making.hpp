// Inputs that are made as they are read (reading.hpp), for what reads memory alone: in chunks in host memory, or in the
// device's scratch memory, where nvcc compiled what makes them or the device's own compiler does, by texts.
#pragma once

#include "upsweep/core/call.hpp"
#include "upsweep/core/reading.hpp"
#include "upsweep/cpu/blocks.hpp"
#if defined(__CUDACC__)
#include "upsweep/for_each/cuda.cuh"
#endif

namespace upsweep::core {

// Whether f(in[i]) has a text, and how that stores it; whether nvcc cannot call what it is. Inputs that have one come
// with inputs.hpp, which brings the rest (for_each/opencl/made.hpp).
template <class In, class F>
struct by_text {
  static constexpr bool is_there = false, is_only_text = false;
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
        "make it by functions that carry their text (docs/calls.md), use a CPU or a CUDA context, or give the memory "
        "itself"};
  return {fault::unsupported, where,
          "an input that is made from device memory by C++ runs on CUDA only where nvcc compiles it",
          "make it by functions that carry their text (docs/calls.md), or move the call into a .cu file"};
}

// The elements f(in[0]), …, in the scratch memory of a CUDA device.
template <class T, class CompiledBy, class In, class F>
operand<const T> made_on_device(const context& where, const char* call, const In& in, std::uint64_t n, const F& f) {
  static_assert(std::is_trivially_copyable_v<T>,
                "upsweep: CUDA moves elements as bytes; give it a trivially copyable type");
  using text = by_text<In, F>;
  [[maybe_unused]] const auto room = [&] {
    return operand<T>(where.dev().scratch("core/made", std::max<std::uint64_t>(n * sizeof(T), 16)), n, false);
  };
#if defined(__CUDACC__)
  if constexpr (!text::is_only_text)
    if (where.kind() == backend::cuda) {
      const operand<T> to = room();
      cuda::for_each_index(where.dev(), n, making<T, In, F>{in, f, to.data()});
      return to;
    }
#endif
  if constexpr (text::is_there) {
    const operand<T> to = room();
    text::template store<T>(where, call, in, n, f, to.where());
    return to;
  }
  (void)in, (void)n, (void)f;
  throw made_elsewhere(call, where.kind());
}

// ---- Inputs for what has a form by texts, or a variant of the library's, of memory alone.

// Device memory, or what a text makes.
template <class X>
inline constexpr bool lies_by_text = in_memory<X> && home_of<X> != home::host;
template <home Home, class At>
inline constexpr bool lies_by_text<made_input<Home, At>> = by_text<as_array<At>, identity>::is_there;
template <class X>
inline constexpr bool is_only_text_made = false;
template <home Home, class At>
inline constexpr bool is_only_text_made<made_input<Home, At>> = by_text<as_array<At>, identity>::is_only_text;

// Whether texts are to store what of these is no memory: on OpenCL; on CUDA where nvcc does not compile the call, or
// cannot.
template <class... X>
inline constexpr bool some_made_by_text = (is_made<X> || ...) && (lies_by_text<X> && ...);
template <class... X>
bool made_by_text(const context& where) {
#if defined(__CUDACC__)
  constexpr bool by_nvcc = !(is_only_text_made<X> || ...);
#else
  constexpr bool by_nvcc = false;
#endif
  return where.kind() == backend::opencl || (where.kind() == backend::cuda && !by_nvcc);
}

// x in the device's memory: where it is, or in scratch memory of that name, where its text stores it.
template <class X>
device_span<const value_of<X>> laid_by_text(const context& where, [[maybe_unused]] const char* call,
                                            [[maybe_unused]] const char* scratch, const X& x) {
  using T = value_of<X>;
  const std::uint64_t n = core::elements_in(x);
  if constexpr (in_memory<X>) {
    return {core::read_operand(x).where(), n};
  } else {
    const as_array in{x.at()};
    const memory to = where.dev().scratch(scratch, std::max<std::uint64_t>(n * sizeof(T), 16));
    by_text<std::remove_const_t<decltype(in)>, identity>::template store<T>(where, call, in, n, identity{}, to);
    return {to, n};
  }
}

// Calls body(chunk, first) with one piece of f(in[0]), …, after the other, in host memory.
template <class T, class In, class F, class Body>
void for_each_made_chunk(const context& where, const In& in, std::uint64_t n, const F& f, Body body) {
  constexpr std::uint64_t most = std::max<std::uint64_t>(1, (std::uint64_t{64} << 20) / sizeof(T));
  const std::uint64_t chunk = std::min(most, n);
  const host_array<T> made(chunk);
  core::for_each_chunk_of(std::min(chunk, chunk_elements(where.dev(), n, 2 * sizeof(T))), n,
                          [&](std::uint64_t first, std::uint64_t count) {
                            cpu::for_each_piece(count, 1 << 15, [&](std::uint64_t from, std::uint64_t to) {
                              for (std::uint64_t i = from; i < to; ++i) made[i] = T(f(in[first + i]));
                            });
                            body(std::span<T>(made.data(), count), first);
                          });
}

}  // namespace UPSWEEP_COMPILED
}  // namespace upsweep::core
