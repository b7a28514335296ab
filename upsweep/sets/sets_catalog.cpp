// A separate object file, so that calling a set operation does not link the catalog.
#include "upsweep/core/catalog.hpp"
#include "upsweep/sets/sets_problem.hpp"

namespace upsweep::detail::sets_impl {

algorithm listing() {
  return listed<problem, choose>("sets",
                                 {primitive::merge_by_key, primitive::set_union, primitive::set_intersection,
                                  primitive::set_difference, primitive::set_symmetric_difference},
                                 {variants()});
}

}  // namespace upsweep::detail::sets_impl
