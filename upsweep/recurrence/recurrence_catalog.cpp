// A separate object file: calls of the algorithm do not link the catalog.
#include "upsweep/core/catalog.hpp"
#include "upsweep/recurrence/recurrence_problem.hpp"

namespace upsweep::detail::recurrence_impl {

algorithm listing() {
  return listed<problem, choose>("recurrence", {primitive::recurrence, primitive::moving_average, primitive::biquad},
                                 {variants()});
}

}  // namespace upsweep::detail::recurrence_impl
