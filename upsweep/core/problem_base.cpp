#include "upsweep/core/problem_base.hpp"

namespace upsweep {

scalar identity_scalar(op_kind op, dtype type) {
  return with_type(type, [&](auto tag) {
    using T = typename decltype(tag)::type;
    return with_op(op, [&](auto o) {
      if constexpr (accepts(decltype(o)::kind, dtype_of<T>)) return scalar::of(identity_of<T>(o));
      return scalar{};
    });
  });
}

scalar folded_on(const folding& f, dtype type, scalar a, scalar element) {
  return with_type(type, [&](auto tag) {
    using T = typename decltype(tag)::type;
    return with_op(f.op, [&](auto op) {
      if constexpr (accepts(decltype(op)::kind, dtype_of<T>))
        return scalar::of<T>(op(a.as<T>(), to_accumulator(op, any_transform{f.transform}(element.as<T>()))));
      return scalar{};
    });
  });
}

}  // namespace upsweep
