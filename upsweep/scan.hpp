// scan: every prefix of a fold, inclusive or exclusive; also called prefix sum.
//
//   upsweep::exclusive_scan(gpu, counts.span(), offsets.span());
//   upsweep::inclusive_scan(cpu, values, running, upsweep::maximum{});
//   upsweep::transform_inclusive_scan(gpu, x.span(), y.span(), upsweep::plus{}, upsweep::square{});
//
// Result       exclusive: out[i] = init ∘ f(x_0) ∘ … ∘ f(x_{i-1}), so out[0] is init;
//              inclusive: out[i] = init ∘ f(x_0) ∘ … ∘ f(x_i). The default init is the operator's identity; the
//              operator need not commute.
// Requires     `out` as large as `in`. In place is allowed (the same memory exactly); any other overlap is an error.
//              Any size, any alignment.
// Work         about 2n applications, every element read once and written once: 2n·sizeof(T) bytes. Span O(log n) on a
//              GPU within a tile, plus one application per wave of tiles.
// Scratch      O(tiles), owned by the context, none allocated in the second call of the same shape.
// Floating point  grouped the same way every time on one context, so bitwise repeatable there (docs/determinism.md).
// Asynchrony   device spans: enqueued. Host memory: done on return.
// Errors       upsweep::error: sizes that differ, overlap, an operator or type that the device cannot take.
//
// What runs where is as in reduce.hpp: built-in types, operators and transforms from any .cpp file; others on the CPU
// anywhere, on CUDA where nvcc compiles the call, on OpenCL with C text.
#pragma once

#include "upsweep/buffer.hpp"
#include "upsweep/core/custom.hpp"
#include "upsweep/scan/cpu/scan.hpp"
#include "upsweep/scan/opencl/scan.hpp"
#include "upsweep/scan/problem.hpp"
#if defined(__CUDACC__)
#include "upsweep/scan/cuda.cuh"
#endif

namespace upsweep {
inline namespace UPSWEEP_COMPILED {

// Both forms of scan end here; device memory, enqueued.
template <bool Inclusive, class T, class Op, class F, class CompiledBy = this_compiler>
void scan(const context& where, device_span<const T> in, device_span<T> out, T init, Op op, F f) {
  require_fold<T, Op>();
  check_scan_spans(in.where(), in.size(), out.where(), out.size(), sizeof(T), where.kind() != backend::opencl);
  if constexpr (builtin_problem<T, Op, F>) {
    auto p = fold_problem<scan_room::problem, T, Op, F>(in.where(), out.where(), in.size(), init, f);
    p.inclusive = Inclusive;
    scan_room::run(where, p);
  } else {
    switch (where.kind()) {
      case backend::cpu: return cpu::scan_custom<Inclusive>(where.dev(), in.data(), in.size(), out.data(), init, op, f);
      case backend::opencl:
        return opencl::scan_custom<Inclusive, T>(where.dev(), in.where(), in.size(), out.where(), init, op, f);
      case backend::cuda: break;
    }
#if defined(__CUDACC__)
    return cuda::scan<Inclusive>(where.dev(), in.data(), in.size(), out.data(), init, op, f);
#else
    throw needs_nvcc("scan");
#endif
  }
}

// Both forms on host memory: done on return; streamed through the device in chunks when they do not fit there.
template <bool Inclusive, class T, class Op, class F, class CompiledBy = this_compiler>
void scan(const context& where, std::span<const T> in, std::span<T> out, T init, Op op, F f) {
  require_fold<T, Op>();
  check_scan_spans(host_memory(in.data()), in.size(), host_memory(out.data()), out.size(), sizeof(T));
  if constexpr (builtin_problem<T, Op, F>) {
    auto p =
        fold_problem<scan_room::problem, T, Op, F>(host_memory(in.data()), host_memory(out.data()), in.size(), init, f);
    p.inclusive = Inclusive;
    scan_room::run_on_host(where, p);
  } else if (where.kind() == backend::cpu) {
    cpu::scan_custom<Inclusive>(where.dev(), in.data(), in.size(), out.data(), init, op, f);
  } else if constexpr (!std::is_trivially_copyable_v<T>) {
    throw needs_trivial_copies("scan", where.kind());
  } else {
    T carry = init;
    for_each_chunk(where, in.size(), 2 * sizeof(T), [&](std::uint64_t first, std::uint64_t count) {
      const T last = in[first + count - 1];  // read before an in-place scan overwrites it
      buffer<T> chunk(where, in.subspan(first, count));
      scan<Inclusive, T, Op, F, CompiledBy>(where, chunk.span(), chunk.span(), carry, op, f);
      chunk.download(out.subspan(first, count));
      carry = Inclusive ? out[first + count - 1] : op(out[first + count - 1], upsweep::lifted(op, f(last)));
    });
  }
}

// Throws what a call would throw because no variant here takes n such elements, or the one that is asked for does not;
// does nothing else. For programs that say so before they read the elements.
template <bool Inclusive, class T, class Op = plus, class F = identity>
  requires builtin_problem<T, Op, F>
void require_scan(const context& where, std::uint64_t n, Op = {}, F f = {}) {
  require_fold<T, Op>();
  auto p = fold_problem<scan_room::problem, T, Op, F>({}, {}, n, T{}, f);
  p.inclusive = Inclusive;
  scan_room::choose(where, p);
}

template <class X>
auto scan_input(const X& in) {
  using T = element_of<X>;
  if constexpr (is_device_span<X>) {
    return device_span<const T>(in.where(), in.size());
  } else {
    return std::span<const T>(std::ranges::data(in), std::ranges::size(in));
  }
}

template <class Y>
auto scan_output(Y&& out) {
  using T = element_of<std::remove_cvref_t<Y>>;
  if constexpr (is_device_span<std::remove_cvref_t<Y>>) {
    return device_span<T>(out.where(), out.size());
  } else {
    return std::span<T>(std::ranges::data(out), std::ranges::size(out));
  }
}

template <class X, class Y>
concept scan_operands = (is_device_span<X> && is_device_span<std::remove_cvref_t<Y>>) ||
                        (host_range<X> && host_range<std::remove_cvref_t<Y>>);

template <class X, class Y, class Op, class F>
  requires scan_operands<X, Y>
void transform_exclusive_scan(const context& where, const X& in, Y&& out, std::type_identity_t<element_of<X>> init,
                              Op op, F f) {
  scan<false, element_of<X>, Op, F>(where, scan_input(in), scan_output(out), init, op, f);
}

template <class X, class Y, class Op, class F>
  requires scan_operands<X, Y>
void transform_inclusive_scan(const context& where, const X& in, Y&& out, Op op, F f,
                              std::type_identity_t<element_of<X>> init) {
  scan<true, element_of<X>, Op, F>(where, scan_input(in), scan_output(out), init, op, f);
}
template <class X, class Y, class Op, class F>
  requires scan_operands<X, Y>
void transform_inclusive_scan(const context& where, const X& in, Y&& out, Op op, F f) {
  upsweep::transform_inclusive_scan(where, in, out, op, f, identity_of<element_of<X>>(op));
}

template <class X, class Y, class Op = plus>
  requires scan_operands<X, Y>
void exclusive_scan(const context& where, const X& in, Y&& out, std::type_identity_t<element_of<X>> init, Op op = {}) {
  upsweep::transform_exclusive_scan(where, in, out, init, op, identity{});
}
template <class X, class Y>
  requires scan_operands<X, Y>
void exclusive_scan(const context& where, const X& in, Y&& out) {
  upsweep::transform_exclusive_scan(where, in, out, identity_of<element_of<X>>(plus{}), plus{}, identity{});
}

template <class X, class Y, class Op = plus>
  requires scan_operands<X, Y>
void inclusive_scan(const context& where, const X& in, Y&& out, Op op = {}) {
  upsweep::transform_inclusive_scan(where, in, out, op, identity{}, identity_of<element_of<X>>(op));
}
template <class X, class Y, class Op>
  requires scan_operands<X, Y>
void inclusive_scan(const context& where, const X& in, Y&& out, Op op, std::type_identity_t<element_of<X>> init) {
  upsweep::transform_inclusive_scan(where, in, out, op, identity{}, init);
}

}  // namespace UPSWEEP_COMPILED
}  // namespace upsweep
