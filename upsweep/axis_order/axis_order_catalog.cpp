// A separate object file, so that a call of this algorithm does not link the catalog.
#include "upsweep/axis_order/axis_order_problem.hpp"
#include "upsweep/core/catalog.hpp"

namespace upsweep::detail::axis_order_impl {

algorithm listing() {
  return listed<problem, choose>("axis-order", {primitive::axis_sort, primitive::axis_argsort, primitive::axis_top_k},
                                 {variants()});
}

}  // namespace upsweep::detail::axis_order_impl
