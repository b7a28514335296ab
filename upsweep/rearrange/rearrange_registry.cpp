// Lists the algorithm's variants, and chooses and runs one for a call.
#include <array>

#include "upsweep/rearrange/rearrange_problem.hpp"

namespace upsweep::detail::rearrange_impl {

variant_lists variants() {
  static const std::array all{
      cpu(),
#if UPSWEEP_WITH_OPENCL
      opencl(),
#endif
#if UPSWEEP_WITH_CUDA
      cuda(),
#endif
  };
  return all;
}

const variant& choose(const target& to, const problem& p) { return upsweep::choose<problem>(variants(), to, p); }
bool can_run(const target& to, const problem& p) { return upsweep::can_run<problem>(variants(), to, p); }
void run(const target& to, const problem& p) { upsweep::run<problem>(variants(), to, p); }

}  // namespace upsweep::detail::rearrange_impl
