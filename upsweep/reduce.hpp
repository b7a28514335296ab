// reduce: folds a sequence into one value with an associative operator, in order.
//
//   float sum = upsweep::reduce(gpu, x.span());                    // device memory
//   float top = upsweep::reduce(cpu, values, 0.0f, upsweep::maximum{});
//   double ss = upsweep::transform_reduce(gpu, x.span(), 0.0, upsweep::plus{}, upsweep::square{});
//
// Result       init ∘ f(x_0) ∘ … ∘ f(x_{n-1}); the operator need not commute. n may be 0, and then it is init, whose
//              default is the operator's identity.
// Requires     an associative operator with an identity; elements trivially copyable off the CPU. Any alignment.
// Work         n applications (within a few per tile), every element read once: n·sizeof(T) bytes. Span O(log n) on a
//              GPU.
// Scratch      O(tiles), owned by the context, none allocated in the second call of the same shape.
// Floating point  f32 and f64 sums are grouped the same way every time on one context, so they repeat bit for bit;
//              across contexts they agree within rounding (docs/determinism.md). reproducible_sum agrees in every bit
//              everywhere.
// Asynchrony   The forms that return a value wait for it. The forms with an output span of one element are enqueued.
// Errors       upsweep::error: an output span that is not one element, an operator or type that the device cannot take.
//
// Built-in types (i32 u32 i64 u64 f32 f64) with the operators and transforms of operators.hpp work from any .cpp file.
// Anything else works on the CPU anywhere; on CUDA where nvcc compiles the call (a .cu file; include
// upsweep/reduce/cuda.cuh); on OpenCL where the operator carries its C text (opencl.hpp says how).
#pragma once

#include "upsweep/buffer.hpp"
#include "upsweep/core/custom.hpp"
#include "upsweep/reduce/cpu/reduce.hpp"
#include "upsweep/reduce/opencl/reduce.hpp"
#include "upsweep/reduce/problem.hpp"
#if defined(__CUDACC__)
#include "upsweep/reduce/cuda.cuh"
#endif

namespace upsweep {
inline namespace UPSWEEP_COMPILED {

// Enqueued: out[0] = init ∘ f(in[0]) ∘ … ; `out` must not lie inside `in`.
template <class T, class Op = plus, class F = identity, class CompiledBy = this_compiler>
void transform_reduce(const context& where, device_span<const T> in, device_span<T> out, std::type_identity_t<T> init,
                      Op op, F f) {
  require_fold<T, Op>();
  if (out.size() != 1)
    throw error(fault::bad_argument, "reduce", "the output span has " + std::to_string(out.size()) + " elements",
                "give it exactly one");
  if constexpr (builtin_problem<T, Op, F>) {
    reduce_room::run(where, fold_problem<reduce_room::problem, T, Op, F>(in.where(), out.where(), in.size(), init, f));
  } else {
    switch (where.kind()) {
      case backend::cpu: return cpu::reduce_custom(where.dev(), in.data(), in.size(), out.data(), init, op, f);
      case backend::opencl:
        return opencl::reduce_custom<T>(where.dev(), in.where(), in.size(), out.where(), init, op, f);
      case backend::cuda: break;
    }
#if defined(__CUDACC__)
    return cuda::reduce(where.dev(), in.data(), in.size(), out.data(), init, op, f);
#else
    throw needs_nvcc("reduce");
#endif
  }
}

template <class T, class Op = plus, class F = identity, class CompiledBy = this_compiler>
T transform_reduce(const context& where, device_span<T> in, std::type_identity_t<std::remove_const_t<T>> init, Op op,
                   F f) {
  using V = std::remove_const_t<T>;
  if constexpr (std::is_default_constructible_v<V>) {
    if (where.kind() == backend::cpu) {
      V value{};
      upsweep::transform_reduce<V, Op, F, CompiledBy>(where, in, device_span<V>(&value, 1), init, op, f);
      return value;
    }
  }
  // 16 bytes so that every type's result lies aligned.
  const memory result = where.dev().scratch("reduce/result", std::max<std::uint64_t>(sizeof(V), 16));
  upsweep::transform_reduce<V, Op, F, CompiledBy>(where, in, device_span<V>(result, 1), init, op, f);
  V value;
  where.dev().download(&value, result, sizeof value);
  return value;
}

// Host memory: done on return; streamed through the device in chunks when it does not fit there.
template <host_range R, class Op = plus, class F = identity, class CompiledBy = this_compiler>
std::ranges::range_value_t<R> transform_reduce(const context& where, const R& in,
                                               std::type_identity_t<std::ranges::range_value_t<R>> init, Op op, F f) {
  using T = std::ranges::range_value_t<R>;
  require_fold<T, Op>();
  const std::uint64_t n = std::ranges::size(in);
  T value = init;
  if constexpr (builtin_problem<T, Op, F>) {
    reduce_room::run_on_host(where, fold_problem<reduce_room::problem, T, Op, F>(host_memory(std::ranges::data(in)),
                                                                                 host_memory(&value), n, init, f));
  } else if (where.kind() == backend::cpu) {
    cpu::reduce_custom(where.dev(), std::ranges::data(in), n, &value, init, op, f);
  } else if constexpr (!std::is_trivially_copyable_v<T>) {
    throw needs_trivial_copies("reduce", where.kind());
  } else {
    for_each_chunk(where.dev(), n, sizeof(T), [&](std::uint64_t first, std::uint64_t count) {
      buffer<T> chunk(where, std::span<const T>(std::ranges::data(in) + first, count));
      value = upsweep::transform_reduce<T, Op, F, CompiledBy>(where, chunk.span(), value, op, f);
    });
  }
  return value;
}

// Throws what a call would throw because no variant here takes n such elements, or the one that is asked for does not;
// does nothing else. For programs that say so before they read the elements.
template <class T, class Op = plus, class F = identity>
  requires builtin_problem<T, Op, F>
void require_reduce(const context& where, std::uint64_t n, Op = {}, F f = {}) {
  require_fold<T, Op>();
  reduce_room::choose(where, fold_problem<reduce_room::problem, T, Op, F>({}, {}, n, T{}, f));
}

template <class X, class Op = plus>
  requires host_range<X> || is_device_span<X>
auto reduce(const context& where, const X& in, std::type_identity_t<element_of<X>> init, Op op = {}) {
  return upsweep::transform_reduce(where, in, init, op, identity{});
}

template <class X>
  requires host_range<X> || is_device_span<X>
auto reduce(const context& where, const X& in) {
  return upsweep::transform_reduce(where, in, identity_of<element_of<X>>(plus{}), plus{}, identity{});
}

template <class T, class Op = plus>
void reduce(const context& where, device_span<const T> in, device_span<std::type_identity_t<T>> out,
            std::type_identity_t<T> init = identity_of<T>(Op{}), Op op = {}) {
  upsweep::transform_reduce<T>(where, in, out, init, op, identity{});
}
template <class T, class Op = plus>
void reduce(const context& where, device_span<T> in, device_span<T> out,
            std::type_identity_t<T> init = identity_of<T>(Op{}), Op op = {}) {
  upsweep::transform_reduce<T>(where, in, out, init, op, identity{});
}

}  // namespace UPSWEEP_COMPILED
}  // namespace upsweep
