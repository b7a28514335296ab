// An object of its own: a call of the room does not link the catalog.
#include "upsweep/core/catalog.hpp"
#include "upsweep/sets/problem.hpp"

namespace upsweep::sets_room {

room listing() {
  return listed<problem, choose>("sets",
                                 {primitive::merge_by_key, primitive::set_union, primitive::set_intersection,
                                  primitive::set_difference, primitive::set_symmetric_difference},
                                 {variants()});
}

}  // namespace upsweep::sets_room
