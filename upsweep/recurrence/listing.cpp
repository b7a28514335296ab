// An object of its own: a call of the room does not link the catalog.
#include "upsweep/core/catalog.hpp"
#include "upsweep/recurrence/problem.hpp"

namespace upsweep::recurrence_room {

room listing() {
  return listed<problem, choose>("recurrence", {primitive::recurrence, primitive::moving_average, primitive::biquad},
                                 {variants()});
}

}  // namespace upsweep::recurrence_room
