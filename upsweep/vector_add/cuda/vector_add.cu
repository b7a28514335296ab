// The textbook of vector-add: one rung, the first of all.
#include "upsweep/vector_add/problem.hpp"
#include "upsweep/cuda/rung_entry.cuh"
#include "upsweep/vector_add/textbook/one_thread_per_element.cuh"

namespace upsweep::vector_add_room {

std::span<const variant> cuda_textbook() {
  using rung = textbook::vector_add_rungs::one_thread_per_element<>;
  static const variant all[]{textbook::rung_entry<rung>(primitive::vector_add, textbook::run_vector_add<rung>)};
  return all;
}

}  // namespace upsweep::vector_add_room
