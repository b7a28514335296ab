// Inputs that are made as they are read (reading.hpp), for what reads memory alone: in chunks in host memory, or in the
// device's scratch memory where nvcc compiled what makes them.
#pragma once

#include "upsweep/core/reading.hpp"
#include "upsweep/cpu/blocks.hpp"
#if defined(__CUDACC__)
#include "upsweep/for_each/cuda.cuh"
#endif

namespace upsweep::core {
inline namespace UPSWEEP_COMPILED {

// to[i] = f(in[i])
template <class T, class In, class F>
struct making {
  In in;
  F f;
  T* to;
  UPSWEEP_HD void operator()(std::uint64_t i) const { to[i] = T(f(in[i])); }
};

inline error made_elsewhere(const char* where, backend b) {
  if (b == backend::opencl)
    return {fault::unsupported, where, "an input that is made from device memory by C++ does not run on OpenCL",
            "use a CPU or a CUDA context, or give the memory itself"};
  return {fault::unsupported, where,
          "an input that is made from device memory runs on CUDA only where nvcc compiles it",
          "move the call into a .cu file"};
}

// The elements f(in[0]), …, in the scratch memory of a CUDA device.
template <class T, class CompiledBy, class In, class F>
operand<const T> made_on_device(const context& where, const char* call, const In& in, std::uint64_t n, const F& f) {
  static_assert(std::is_trivially_copyable_v<T>,
                "upsweep: CUDA moves elements as bytes; give it a trivially copyable type");
#if defined(__CUDACC__)
  if (where.kind() == backend::cuda) {
    const operand<T> to(where.dev().scratch("core/made", std::max<std::uint64_t>(n * sizeof(T), 16)), n, false);
    cuda::for_each_index(where.dev(), n, making<T, In, F>{in, f, to.data()});
    return to;
  }
#endif
  (void)in, (void)n, (void)f;
  throw made_elsewhere(call, where.kind());
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
