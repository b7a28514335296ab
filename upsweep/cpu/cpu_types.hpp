// Dispatches from the type and operator of a problem, known at run time, to C++ types.
#pragma once

#include "upsweep/core/problem_base.hpp"

namespace upsweep::cpu {

// Calls f(type_tag<T>{}, op). Combinations that the catalog rejects are not instantiated.
template <class F>
void with_types(dtype type, op_kind kind, F&& f) {
  with_type(type, [&]<class T>(type_tag<T> tag) {
    with_op(kind, [&]<class Op>(Op op) {
      if constexpr (accepts(Op::kind, dtype_of<T>)) f(tag, op);
    });
  });
}

// A type of the same size whose fold has the same bits. Only minimum and maximum depend on the sign of an integer.
constexpr dtype folded_as(dtype type, op_kind op) {
  if (op == op_kind::minimum || op == op_kind::maximum) return type;
  return type == dtype::i32 ? dtype::u32 : type == dtype::i64 ? dtype::u64 : type;
}

// Calls f with the type folded_as(type, kind), which halves the compiled code. Transforms depend on signs: apply them
// in the type of the problem.
template <class F>
void with_folded_types(dtype type, op_kind kind, F&& f) {
  with_types(folded_as(type, kind), kind, [&]<class T, class Op>(type_tag<T> tag, Op op) {
    if constexpr (folded_as(dtype_of<T>, Op::kind) == dtype_of<T>) f(tag, op);
  });
}

// Calls f with the transform. The identity has a type of its own, so loops need not test for it.
template <class F>
decltype(auto) with_transform(transform_kind kind, F&& f) {
  return kind == transform_kind::identity ? f(identity{}) : f(any_transform{kind});
}

}  // namespace upsweep::cpu
