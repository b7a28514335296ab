// An object of its own: a call of the room does not link the catalog.
#include "upsweep/core/catalog.hpp"
#include "upsweep/integral/problem.hpp"

namespace upsweep::integral_room {

room listing() {
  return listed<problem, choose>("integral", {primitive::integral, primitive::box_filter, primitive::rectangle_sums},
                                 {variants()});
}

}  // namespace upsweep::integral_room
