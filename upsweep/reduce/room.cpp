// What a call of this room chooses from.
#include <array>

#include "upsweep/reduce/problem.hpp"

namespace upsweep::reduce_room {

variant_lists variants() {
  static const std::array all{
      cpu(),
#if UPSWEEP_WITH_CUDA
      cuda(),
#endif
#if UPSWEEP_WITH_OPENCL
      opencl(),
#endif
  };
  return all;
}

variant_lists reproducible() {
  static const std::array all{
      reproducible_cpu(),
#if UPSWEEP_WITH_CUDA
      reproducible_cuda(),
#endif
#if UPSWEEP_WITH_OPENCL
      reproducible_opencl(),
#endif
  };
  return all;
}

const variant& choose(const target& to, const problem& p) { return upsweep::choose<problem>(variants(), to, p); }
bool can_run(const target& to, const problem& p) { return upsweep::can_run<problem>(variants(), to, p); }
void run(const target& to, const problem& p) { upsweep::run<problem>(variants(), to, p); }

}  // namespace upsweep::reduce_room
