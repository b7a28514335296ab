#include "upsweep/core/catalog.hpp"

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

scalar carry_after(const problem& p, scalar last_in, scalar last_out) {
  if (p.inclusive) return last_out;
  return with_type(p.type, [&](auto tag) {
    using T = typename decltype(tag)::type;
    return with_op(p.op, [&](auto op) {
      if constexpr (accepts(decltype(op)::kind, dtype_of<T>))
        return scalar::of<T>(op(last_out.as<T>(), lifted(op, any_transform{p.transform}(last_in.as<T>()))));
      return scalar{};
    });
  });
}

}  // namespace upsweep
