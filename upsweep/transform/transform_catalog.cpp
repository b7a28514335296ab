// A separate object file: calls of the algorithm do not link the catalog.
#include "upsweep/core/catalog.hpp"
#include "upsweep/transform/transform_problem.hpp"

namespace upsweep::detail::transform_impl {

algorithm listing() {
  return listed<problem, choose>(
      "transform",
      {primitive::transform, primitive::transform_if, primitive::fill, primitive::iota, primitive::copy,
       primitive::replace, primitive::tabulate, primitive::adjacent_difference},
      {variants()});
}

}  // namespace upsweep::detail::transform_impl
