// What the public templates of the rooms share: which calls the library was built for, and how the others are carried
// out.
#pragma once

#include <concepts>
#include <ranges>
#include <string>

#include "upsweep/buffer.hpp"
#include "upsweep/core/compiled.hpp"
#include "upsweep/core/dispatch.hpp"
#include "upsweep/core/streaming.hpp"

namespace upsweep {

template <class X>
inline constexpr bool is_device_span = false;
template <class T>
inline constexpr bool is_device_span<device_span<T>> = true;
template <class T>
inline constexpr bool is_device_span<buffer<T>> = true;  // where a span may stand, its buffer may

template <class X>
concept host_range = std::ranges::contiguous_range<const X> && std::ranges::sized_range<const X> && !is_device_span<X>;

namespace core {
template <class X>
struct element_type {};  // of what is no operand: a form that does not take it drops out
template <std::ranges::range X>
struct element_type<X> {
  using type = std::ranges::range_value_t<X>;
};
template <class T>
struct element_type<device_span<T>> {
  using type = std::remove_const_t<T>;
};
template <class T>
struct element_type<buffer<T>> {
  using type = T;
};
}  // namespace core

template <class X>
using element_of = typename core::element_type<std::remove_cvref_t<X>>::type;

// Whether the library itself was compiled for this type, operator and transform.
template <class T, class Op, class F>
inline constexpr bool builtin_problem = folding_type<T> && builtin_op<Op> && builtin_transform<F>;

namespace core {

// The host asks what a function returns; one that is only the device's has no answer.
template <class F>
constexpr void require_both_sides() {
#if defined(__CUDACC_EXTENDED_LAMBDA__)
  static_assert(!__nv_is_extended_device_lambda_closure_type(F) || __nv_is_extended_host_device_lambda_closure_type(F),
                "upsweep: this lambda is __device__ alone; write UPSWEEP_HD, which is __host__ __device__");
#endif
}

template <class T, class Op>
constexpr void require_operator() {
  core::require_both_sides<Op>();
  static_assert(folds<Op, T>,
                "upsweep: this operator cannot be applied to two elements; give it `T operator()(T a, T b) const` "
                "(threads share it, so that a lambda may not be mutable)");
  if constexpr (builtin_op<Op> && folding_type<T>)
    static_assert(accepts(Op::kind, dtype_of<T>),
                  "upsweep: this operator does not take this element type; bit operators want integers, compose_affine "
                  "wants u64");
}

template <class T, class Op>
constexpr void require_fold() {
  core::require_operator<T, Op>();
  static_assert(
      has_identity<Op, T>,
      "upsweep: this operator has no identity; write upsweep::monoid(op, e), or give it `static T identity()`, "
      "the element e with op(e, x) == x");
}

// A fold of a room P's, with what any of them has.
template <class P, class T, class Op, class F>
P fold_problem(memory in, memory out, std::uint64_t n, T init, F f = {}) {
  P p;
  p.type = dtype_of<T>;
  p.op = Op::kind;
  p.transform = f.kind;  // any_transform's is known at run time only
  p.in = in;
  p.out = out;
  p.n = n;
  p.init = scalar::of(init);
  return p;
}

// `room`: whose header is to be included; `call`, where it is not the room's. `by_text`: it takes texts there, too.
inline error needs_nvcc(const char* room, const char* call = nullptr, bool by_text = false) {
  return {fault::unsupported, call ? call : room,
          by_text
              ? "a type, operator or transform of your own runs on CUDA by its text, or only where nvcc compiles the "
                "call"
              : "a type, operator or transform of your own runs on CUDA only where nvcc compiles the call",
          std::string(by_text ? "give each its text (upsweep/opencl/custom.hpp), or " : "") +
              "move the call into a .cu file and include upsweep/" + room + "/cuda.cuh"};
}

inline error needs_identity(const char* where, backend b) {
  return {fault::unsupported, where,
          "an operator without an identity runs on the CPU, not on a " + std::string(name_of(b)) + " device",
          "give upsweep::monoid(op, identity)"};
}

inline error needs_trivial_copies(const char* where, backend b) {
  return {fault::unsupported, where,
          "an element type with its own copy operations cannot go to a " + std::string(name_of(b)) + " device",
          "use a trivially copyable type, or a CPU context"};
}

// Throws where a fold by a built-in operator outside the room's variants has to have the same bits on every device, and
// rounds.
template <class A, class Op>
void require_same_bits(const context& where, const char* call) {
  if constexpr (builtin_op<Op> && folding_type<A>)
    if (where.deterministic() == determinism::across_devices && rounds_by(Op::kind, dtype_of<A>))
      differs_by_device(call, where.dev());
}

template <class... T>
void require_trivial_copies(const context& where, const char* call) {
  if (where.kind() != backend::cpu && !(std::is_trivially_copyable_v<T> && ...))
    throw needs_trivial_copies(call, where.kind());
}

}  // namespace core

}  // namespace upsweep
