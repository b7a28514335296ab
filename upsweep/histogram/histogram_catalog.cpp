// A separate object file, so that a call of this algorithm does not link the catalog.
#include "upsweep/core/catalog.hpp"
#include "upsweep/histogram/histogram_problem.hpp"

namespace upsweep::detail::histogram_impl {

algorithm listing() {
  return listed<problem, choose>("histogram", {primitive::histogram, primitive::range_count}, {variants()});
}

}  // namespace upsweep::detail::histogram_impl
