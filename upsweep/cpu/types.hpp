// From a problem's type and operator, known at run time, to C++ ones.
#pragma once

#include "upsweep/core/problem.hpp"

namespace upsweep::cpu {

// Calls f(type_tag<T>{}, op); pairs that the catalog refuses are left out.
template <class F>
void with_types(dtype type, op_kind kind, F&& f) {
  with_type(type, [&]<class T>(type_tag<T> tag) {
    with_op(kind, [&]<class Op>(Op op) {
      if constexpr (accepts(Op::kind, dtype_of<T>)) f(tag, op);
    });
  });
}

// The type whose bits fold the same: of all operators only orders read an integer's sign.
constexpr dtype folded_as(dtype type, op_kind op) {
  if (op == op_kind::minimum || op == op_kind::maximum) return type;
  return type == dtype::i32 ? dtype::u32 : type == dtype::i64 ? dtype::u64 : type;
}

// The same with the type that elements are folded as, so that half as much is compiled. Transforms read signs: they are
// the problem's own type's.
template <class F>
void with_folded_types(dtype type, op_kind kind, F&& f) {
  with_types(folded_as(type, kind), kind, [&]<class T, class Op>(type_tag<T> tag, Op op) {
    if constexpr (folded_as(dtype_of<T>, Op::kind) == dtype_of<T>) f(tag, op);
  });
}

// Calls f with the transform; with none, as a type of its own, so that loops need not ask.
template <class F>
decltype(auto) with_transform(transform_kind kind, F&& f) {
  return kind == transform_kind::identity ? f(identity{}) : f(any_transform{kind});
}

}  // namespace upsweep::cpu
