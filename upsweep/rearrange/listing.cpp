// An object of its own: a call of the room does not link the catalog.
#include "upsweep/core/catalog.hpp"
#include "upsweep/rearrange/problem.hpp"

namespace upsweep::rearrange_room {

room listing() {
  return listed<problem, choose>("rearrange",
                                 {primitive::reverse, primitive::rotate, primitive::swap_ranges, primitive::shuffle,
                                  primitive::random_permutation},
                                 {variants()});
}

}  // namespace upsweep::rearrange_room
