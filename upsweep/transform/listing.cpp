// An object of its own: a call of the room does not link the catalog.
#include "upsweep/core/catalog.hpp"
#include "upsweep/transform/problem.hpp"

namespace upsweep::transform_room {

room listing() {
  return listed<problem, choose>(
      "transform",
      {primitive::transform, primitive::transform_if, primitive::fill, primitive::iota, primitive::copy,
       primitive::replace, primitive::tabulate, primitive::adjacent_difference},
      {variants()});
}

}  // namespace upsweep::transform_room
