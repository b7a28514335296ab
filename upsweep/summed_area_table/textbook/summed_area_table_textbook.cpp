#include "upsweep/core/catalog.hpp"
#include "upsweep/summed_area_table/summed_area_table_problem.hpp"

namespace upsweep::detail::summed_area_table_impl {

std::vector<upsweep::variant> textbook_variants() {
  std::vector<upsweep::variant> all;
  add(all, cpu_textbook());
#if UPSWEEP_WITH_CUDA
  add(all, cuda_textbook());
#endif
  return all;
}

}  // namespace upsweep::detail::summed_area_table_impl
