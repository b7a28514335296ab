#include "upsweep/axis/cpu/axis_cpu_builtin.hpp"

namespace upsweep::detail::axis_impl {

void reduce_on_cpu(device& d, const problem& p) {
  if (by_vectors(p)) return fold_by_segments(d, p);
  cpu::with_folded_types(p.type, p.op, [&]<class T, class Op>(type_tag<T>, Op op) {
    const T init = p.init.as<T>();
    cpu::reduce_lines(d, transformed_elements<T>(p), p.along, p.out.as<T>(), &init, op);
  });
}

}  // namespace upsweep::detail::axis_impl
