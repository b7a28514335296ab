#include "upsweep/core/rooms.hpp"

namespace upsweep {

std::vector<variant_lists> room_variants() {
  return {vector_add_room::variants(), reduce_room::reproducible(), reduce_room::variants(),
          scan_room::variants(),       sort_room::variants(),       select_room::variants(),
          histogram_room::variants(),  segmented_room::variants(),  integral_room::variants(),
          convolve_room::variants(),   nbody_room::variants()};
}

}  // namespace upsweep
