// The reproducible sum is asked for by its own call, or by name; no other call chooses it.
#include <array>

#include "upsweep/core/rooms.hpp"

namespace upsweep::reduce_room {

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

}  // namespace upsweep::reduce_room
