#include "upsweep/core/catalog.hpp"
#include "upsweep/histogram/histogram_problem.hpp"

namespace upsweep::detail::histogram_impl {

std::vector<upsweep::variant> textbook_variants() {
  std::vector<upsweep::variant> all;
  add(all, cpu_textbook());
#if UPSWEEP_WITH_CUDA
  add(all, cuda_textbook());
#endif
  return all;
}

}  // namespace upsweep::detail::histogram_impl
