// An object of its own: a call of the room does not link the catalog.
#include "upsweep/core/catalog.hpp"
#include "upsweep/segmented/problem.hpp"

namespace upsweep::segmented_room {

room listing() {
  return listed<problem, choose>(
      "segmented",
      {primitive::reduce_by_key, primitive::scan_by_key, primitive::segmented_reduce, primitive::segmented_scan},
      {variants()});
}

}  // namespace upsweep::segmented_room
