// Shared by the public templates of the algorithms: traits that decide whether the compiled library supports a call,
// and the checks and errors of all other calls.
#pragma once

#include <concepts>
#include <ranges>
#include <string>

#include "upsweep/buffer.hpp"
#include "upsweep/core/config.hpp"
#include "upsweep/core/dispatch.hpp"
#include "upsweep/core/host_chunks.hpp"

namespace upsweep {

template <class X>
inline constexpr bool is_device_span = false;
template <class T>
inline constexpr bool is_device_span<device_span<T>> = true;
template <class T>
inline constexpr bool is_device_span<buffer<T>> = true;  // calls accept a buffer in place of its span

template <class X>
concept host_range = std::ranges::contiguous_range<const X> && std::ranges::sized_range<const X> && !is_device_span<X>;

namespace core {
template <class X>
struct element_type {};  // no member `type` for other types, so that overloads for operands drop out
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

// Rejects functions that are only __device__: host code must be able to determine their result type.
template <class F>
constexpr void require_both_sides() {
#if defined(__CUDACC_EXTENDED_LAMBDA__)
  static_assert(!__nv_is_extended_device_lambda_closure_type(F) || __nv_is_extended_host_device_lambda_closure_type(F),
                "upsweep: this lambda is only __device__; write UPSWEEP_HD, which is __host__ __device__");
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
                  "upsweep: this operator does not take this element type; bit operators take integers, "
                  "compose_affine takes u64");
}

template <class T, class Op>
constexpr void require_fold() {
  core::require_operator<T, Op>();
  static_assert(
      has_identity<Op, T>,
      "upsweep: this operator has no identity; write upsweep::monoid(op, e), or give it `static T identity()`, "
      "the element e with op(e, x) == x");
}

// A problem of type P with the members that all reductions and scans have.
template <class P, class T, class Op, class F>
P fold_problem(memory in, memory out, std::uint64_t n, T init, F f = {}) {
  P p;
  p.type = dtype_of<T>;
  p.op = Op::kind;
  p.transform = f.kind;  // a member of f, because any_transform has its kind at run time only
  p.in = in;
  p.out = out;
  p.n = n;
  p.init = scalar::of(init);
  return p;
}

// `algorithm` names the algorithm whose CUDA header the message recommends; `call` names the call, if it is another
// one. `takes_source`: the call also accepts functions with device source.
inline error needs_nvcc(const char* algorithm, const char* call = nullptr, bool takes_source = false) {
  return {fault::unsupported, call ? call : algorithm,
          takes_source ? "a type, operator or transform of your own runs on CUDA by its device source, or only where "
                         "nvcc compiles the "
                         "call"
                       : "a type, operator or transform of your own runs on CUDA only where nvcc compiles the call",
          std::string(takes_source ? "give each device source (upsweep/jit/jit.hpp), or " : "") +
              "move the call into a .cu file and include upsweep/" + algorithm + "/" + algorithm + "_cuda.cuh"};
}

inline error needs_trivial_copies(const char* where, backend b) {
  return {fault::unsupported, where,
          "an element type with its own copy operations cannot be copied to a " + std::string(name_of(b)) + " device",
          "use a trivially copyable type, or a CPU context"};
}

// For reductions and scans with a built-in operator that do not run as a variant: throws if the context requires
// bitwise equal results on every device and the operator rounds.
template <class A, class Op>
void require_same_bits(const context& where, const char* call) {
  if constexpr (builtin_op<Op> && folding_type<A>)
    if (where.deterministic() == determinism::across_devices && rounds_by(Op::kind, dtype_of<A>))
      differs_by_device(call, where.device());
}

template <class... T>
void require_trivial_copies(const context& where, const char* call) {
  if (where.kind() != backend::cpu && !(std::is_trivially_copyable_v<T> && ...))
    core::throw_error(needs_trivial_copies(call, where.kind()));
}

}  // namespace core

}  // namespace upsweep
