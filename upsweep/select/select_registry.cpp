// The variants that a call of select chooses from.
#include <array>

#include "upsweep/select/select_problem.hpp"

namespace upsweep::detail::select_impl {

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

}  // namespace upsweep::detail::select_impl
