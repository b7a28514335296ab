// An object of its own: a call of the room does not link the catalog.
#include "upsweep/compact/problem.hpp"
#include "upsweep/core/catalog.hpp"

namespace upsweep::compact_room {

room listing() {
  return listed<problem, choose>(
      "compact", {primitive::stencil_select, primitive::stencil_partition, primitive::run_offsets}, {variants()});
}

}  // namespace upsweep::compact_room
