// An object of its own: a call of the room does not link the catalog.
#include "upsweep/core/catalog.hpp"
#include "upsweep/filters/problem.hpp"

namespace upsweep::filters_room {

room listing() {
  return listed<problem, choose>("filters",
                                 {primitive::median, primitive::bilateral, primitive::recursive_gaussian,
                                  primitive::thin_edges, primitive::linked_edges, primitive::resize},
                                 {variants()});
}

}  // namespace upsweep::filters_room
