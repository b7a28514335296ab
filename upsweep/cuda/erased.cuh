// From a problem with its types erased to the kernel template it names: the types and operators that the library is
// compiled for.
#pragma once

#include "upsweep/core/catalog.hpp"
#include "upsweep/cuda/items.cuh"

namespace upsweep::cuda {

// Where sign does not matter to an operator, signed elements run as unsigned ones, and a third of the kernels need not
// be compiled.
constexpr dtype kernel_type(op_kind op, dtype t) {
  if (op == op_kind::minimum || op == op_kind::maximum) return t;
  return t == dtype::i32 ? dtype::u32 : t == dtype::i64 ? dtype::u64 : t;
}

// A built-in transform chosen at run time, of elements that may be signed ones run as unsigned.
struct kernel_transform {
  transform_kind kind;
  bool negative_halves;  // an unsigned element stands for a signed one

  template <class T>
  __device__ T operator()(T x) const {
    switch (kind) {
      case transform_kind::identity: return x;
      case transform_kind::negate: return negate{}(x);
      case transform_kind::square: return square{}(x);
      case transform_kind::absolute: break;
    }
    if constexpr (std::is_unsigned_v<T>) return negative_halves && x >> (8 * sizeof(T) - 1) ? negate{}(x) : x;
    return absolute{}(x);
  }
};

template <int Items, class T, class Op>
__device__ void transform_items(T (&x)[Items], const Op& op, const kernel_transform& f) {
  if (f.kind == transform_kind::identity) return transform_items(x, op, identity{});
#pragma unroll
  for (int i = 0; i < Items; ++i) x[i] = upsweep::lifted(op, f(x[i]));
}

// Calls f(type_tag<T>{}, op, transform) for the problem's operator where it is one of `Ops`; otherwise returns false.
template <class... Ops, class F>
bool with_kernel(const problem& p, F&& f) {
  const bool is_signed = p.type == dtype::i32 || p.type == dtype::i64;
  const auto try_op = [&](auto op) {
    using Op = decltype(op);
    if (Op::kind != p.op) return false;
    with_type(kernel_type(p.op, p.type), [&](auto tag) {
      constexpr dtype type = dtype_of<typename decltype(tag)::type>;
      if constexpr (accepts(Op::kind, type) && kernel_type(Op::kind, type) == type)
        f(tag, op, kernel_transform{p.transform, is_signed});
    });
    return true;
  };
  return (try_op(Ops{}) || ...);
}

}  // namespace upsweep::cuda
