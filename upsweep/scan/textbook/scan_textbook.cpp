#include "upsweep/core/catalog.hpp"
#include "upsweep/scan/scan_problem.hpp"

namespace upsweep::detail::scan_impl {

std::vector<upsweep::variant> textbook_variants() {
  std::vector<upsweep::variant> all;
  add(all, cpu_textbook());
#if UPSWEEP_WITH_CUDA
  add(all, cuda_textbook());
#endif
#if UPSWEEP_WITH_OPENCL
  add(all, opencl_textbook());
#endif
  return all;
}

}  // namespace upsweep::detail::scan_impl
