// What a call of this room chooses from.
#include <array>

#include "upsweep/core/rooms.hpp"

namespace upsweep::convolve_room {

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

}  // namespace upsweep::convolve_room
