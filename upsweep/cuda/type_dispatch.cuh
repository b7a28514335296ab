// From a problem with its types erased to the kernel template it names: the types and operators that the library is
// compiled for.
#pragma once

#include "upsweep/core/problem_base.hpp"
#include "upsweep/cuda/thread_items.cuh"

namespace upsweep::cuda {

// Signed elements run as unsigned ones, which saves compiling a third of the kernels. The sign does not matter to
// most operators, and extreme_op takes it as a parameter.
constexpr dtype kernel_type(dtype t) { return t == dtype::i32 ? dtype::u32 : t == dtype::i64 ? dtype::u64 : t; }

// A built-in transform chosen at run time, of elements that may be signed ones run as unsigned.
struct kernel_transform {
  transform_kind kind;
  bool negative_halves;  // the unsigned elements represent signed ones

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
  for (int i = 0; i < Items; ++i) x[i] = upsweep::to_accumulator(op, f(x[i]));
}

// Rarely used operators: bitwise and logical ones, and products of integers.
constexpr bool is_rare(op_kind op, dtype t) {
  switch (op) {
    case op_kind::plus:
    case op_kind::minimum:
    case op_kind::maximum:
    case op_kind::compose_affine: return false;
    case op_kind::multiplies: return !is_floating(t);
    default: return true;
  }
}

// All rare operators as one operator that is chosen at run time, on words of the element's size: two kernels serve
// twenty combinations. It does not branch.
//
// a | b is (a & b) combined with (a ^ b). The logical operators are the bitwise ones on two words that represent
// false and true, 0 and `one`, and also serve floats. Only an initial value is not converted, and it is the left
// operand.
template <class U>
struct runtime_operator {
  static constexpr bool commutes = true, seldom_asked_for = true;
  U of_and, of_xor;  // all ones or none
  U nothing;         // the identity
  U magnitude, one;  // of the logical ones: the bits that make an element true, and the value of true
  bool logical, product;

  static runtime_operator of(op_kind op, dtype type) {
    constexpr U all = static_cast<U>(~U{0});
    const U one = type == dtype::f32 ? U{0x3f800000} : type == dtype::f64 ? static_cast<U>(0x3ff0000000000000) : U{1};
    const U magnitude = is_floating(type) ? all >> 1 : all;
    switch (op) {
      case op_kind::bit_and: return {all, 0, all, magnitude, one, false, false};
      case op_kind::bit_or: return {all, all, 0, magnitude, one, false, false};
      case op_kind::bit_xor: return {0, all, 0, magnitude, one, false, false};
      case op_kind::logical_and: return {all, 0, one, magnitude, one, true, false};
      case op_kind::logical_or: return {all, all, 0, magnitude, one, true, false};
      default: return {0, 0, 1, magnitude, one, false, true};  // multiplies
    }
  }
  UPSWEEP_HD constexpr U identity() const { return nothing; }
  UPSWEEP_HD constexpr U operator()(U a, U b) const {
    if (logical) a = a & magnitude ? one : 0;
    return product ? a * b : (a & b & of_and) ^ ((a ^ b) & of_xor);
  }
};

// An element as the operator reads it, after the transform. For a logical operator only whether a float is 0 matters;
// a square is also 0 if it rounds to 0.
template <class U>
struct rare_transform {
  kernel_transform transform;  // of integers
  U magnitude, largest_zero, one;
  bool logical;

  static rare_transform of(transform_kind kind, dtype type, const runtime_operator<U>& op) {
    rare_transform f{{kind, is_signed(type)}, op.magnitude, 0, op.one, op.logical};
    if (!is_floating(type)) return f;
    f.transform.kind = transform_kind::identity;
    // 2^-75, and 2^-537.5 rounded down: their squares are half of the least number and less, and no greater one's are.
    if (kind == transform_kind::square)
      f.largest_zero = type == dtype::f32 ? U{0x1a000000} : static_cast<U>(0x1e56a09e667f3bcc);
    return f;
  }
  UPSWEEP_HD constexpr U as_read(U x) const { return !logical ? x : (x & magnitude) > largest_zero ? one : 0; }
  __device__ U operator()(U x) const { return as_read(transform(x)); }
};

template <int Items, class U>
__device__ void transform_items(U (&x)[Items], const runtime_operator<U>& op, const rare_transform<U>& f) {
  transform_items(x, op, f.transform);
#pragma unroll
  for (int i = 0; i < Items; ++i) x[i] = f.as_read(x[i]);
}

// The least and the greatest of integers, signed or not.
constexpr bool is_extreme(op_kind op, dtype t) {
  return (op == op_kind::minimum || op == op_kind::maximum) && !is_floating(t);
}

// Minimum and maximum of signed and unsigned integers as one operator, chosen at run time, on words of the element's
// size. After flipping the bits of `flip`, the result is the minimum. Along a chain the flips cancel, except one for
// each element.
template <class U>
struct extreme_op {
  static constexpr bool commutes = true, seldom_by_key = true;
  U flip;

  static extreme_op of(op_kind op, dtype type) {
    const U sign = is_signed(type) ? static_cast<U>(U{1} << (8 * sizeof(U) - 1)) : U{0};
    return {op == op_kind::minimum ? sign : static_cast<U>(~sign)};
  }
  UPSWEEP_HD constexpr U identity() const { return ~flip; }
  UPSWEEP_HD constexpr U operator()(U a, U b) const {
    const U x = a ^ flip, y = b ^ flip;
    return (y < x ? y : x) ^ flip;
  }
};

constexpr bool is_chosen_at_run_time(op_kind op, dtype t) { return is_rare(op, t) || is_extreme(op, t); }

// Calls f(type_tag<U>{}, op, transform) for a problem whose operator is one of those chosen at run time.
template <class P, class F>
void with_chosen_kernel(const P& p, F&& f) {
  const auto call = [&]<class U>(type_tag<U> tag) {
    if (is_extreme(p.op, p.type))
      return f(tag, extreme_op<U>::of(p.op, p.type), kernel_transform{p.transform, is_signed(p.type)});
    const auto op = runtime_operator<U>::of(p.op, p.type);
    f(tag, op, rare_transform<U>::of(p.transform, p.type, op));
  };
  size_of(p.type) == 4 ? call(type_tag<std::uint32_t>{}) : call(type_tag<std::uint64_t>{});
}

// Calls f(type_tag<T>{}, op, transform) for the problem's operator where it is one of `Ops` and not chosen at run time;
// otherwise returns false.
template <class... Ops, class P, class F>
bool with_kernel(const P& p, F&& f) {
  const bool is_signed = p.type == dtype::i32 || p.type == dtype::i64;
  const auto try_op = [&](auto op) {
    using Op = decltype(op);
    if (Op::kind != p.op || is_chosen_at_run_time(p.op, p.type)) return false;
    with_type(kernel_type(p.type), [&](auto tag) {
      constexpr dtype type = dtype_of<typename decltype(tag)::type>;
      if constexpr (accepts(Op::kind, type) && kernel_type(type) == type && !is_chosen_at_run_time(Op::kind, type))
        f(tag, op, kernel_transform{p.transform, is_signed});
    });
    return true;
  };
  return (try_op(Ops{}) || ...);
}

// Like with_kernel(), for every built-in operator.
template <class P, class F>
void with_any_kernel(const P& p, F&& f) {
  if (!with_kernel<plus, multiplies, minimum, maximum, compose_affine>(p, f)) with_chosen_kernel(p, f);
}

}  // namespace upsweep::cuda
