// From a problem's type and operator, known at run time, to C++ ones.
#pragma once

#include "upsweep/catalog.hpp"

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

}  // namespace upsweep::cpu
