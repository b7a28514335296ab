// The textbook of vector-add: one rung, the first of all.
#include "upsweep/cuda/rung_entry.cuh"
#include "upsweep/vector_add/problem.hpp"
#include "upsweep/vector_add/textbook/one_thread_per_element.cuh"

namespace upsweep::vector_add_room {

std::span<const variant> cuda() {
  using rung = textbook::vector_add_rungs::one_thread_per_element<>;
  static const variant all[]{[] {
    variant v = textbook::rung_entry<rung>(primitive::vector_add, textbook::run_vector_add<rung>);
    v.takes = [](op_kind op, dtype type) { return op == op_kind::plus && does_fold(type); };
    v.limits = "a rung for reading: plus alone; no fused transform";
    return v;
  }()};
  return all;
}

}  // namespace upsweep::vector_add_room
