// A separate object file, so that a call of this algorithm does not link the catalog.
#include "upsweep/axis/axis_problem.hpp"
#include "upsweep/core/catalog.hpp"

namespace upsweep::detail::axis_impl {

algorithm listing() {
  return listed<problem, choose>("axis", {primitive::axis_reduce, primitive::axis_scan}, {variants()});
}

}  // namespace upsweep::detail::axis_impl
