// A separate object file, so that a call of this algorithm does not link the catalog.
#include "upsweep/core/catalog.hpp"
#include "upsweep/filters/filters_problem.hpp"

namespace upsweep::detail::filters_impl {

algorithm listing() {
  return listed<problem, choose>(
      "filters",
      {primitive::median, primitive::bilateral, primitive::recursive_gaussian, primitive::non_maximum_suppression,
       primitive::hysteresis_threshold, primitive::resize},
      {variants()});
}

}  // namespace upsweep::detail::filters_impl
