// The only textbook variant of vector-add, the first of all.
#include "upsweep/cuda/textbook_catalog_entry.cuh"
#include "upsweep/vector_add/textbook/one_thread_per_element.cuh"
#include "upsweep/vector_add/vector_add_problem.hpp"

namespace upsweep::detail::vector_add_impl {

std::span<const variant> cuda() {
  using textbook_variant = textbook::vector_add_variants::one_thread_per_element<>;
  static const variant all[]{[] {
    variant v =
        textbook::textbook_entry<textbook_variant>(primitive::vector_add, textbook::run_vector_add<textbook_variant>);
    v.takes = [](op_kind op, dtype type) { return op == op_kind::plus && does_fold(type); };
    v.limits = "a textbook variant: plus alone; no fused transform";
    return v;
  }()};
  return all;
}

}  // namespace upsweep::detail::vector_add_impl
