// What a call of this room chooses from.
#include "upsweep/core/rooms.hpp"

namespace upsweep::vector_add_room {

variant_lists variants() {
#if UPSWEEP_WITH_CUDA
  static const std::span<const variant> all[]{cuda_textbook()};
  return all;
#else
  return {};
#endif
}

}  // namespace upsweep::vector_add_room
