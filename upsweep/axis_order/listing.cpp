// An object of its own: a call of the room does not link the catalog.
#include "upsweep/axis_order/problem.hpp"
#include "upsweep/core/catalog.hpp"

namespace upsweep::axis_order_room {

room listing() {
  return listed<problem, choose>("axis-order", {primitive::axis_sort, primitive::axis_argsort, primitive::axis_top_k},
                                 {variants()});
}

}  // namespace upsweep::axis_order_room
