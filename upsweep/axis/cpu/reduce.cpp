#include "upsweep/axis/cpu/builtin.hpp"

namespace upsweep::axis_room {

void reduce_on_cpu(device& d, const problem& p) {
  if (by_vectors(p)) return fold_by_segments(d, p);
  cpu::with_types(p.type, p.op, [&]<class T, class Op>(type_tag<T>, Op op) {
    cpu::with_transform(p.transform, [&](auto f) {
      const T init = p.init.as<T>();
      cpu::reduce_lines<T>(d, p.in.as<const T>(), p.along, p.out.as<T>(), &init, op, f);
    });
  });
}

}  // namespace upsweep::axis_room
