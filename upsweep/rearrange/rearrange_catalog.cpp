// A separate object file: calls of the algorithm do not link the catalog.
#include "upsweep/core/catalog.hpp"
#include "upsweep/rearrange/rearrange_problem.hpp"

namespace upsweep::detail::rearrange_impl {

algorithm listing() {
  return listed<problem, choose>("rearrange",
                                 {primitive::reverse, primitive::rotate, primitive::swap_ranges, primitive::shuffle,
                                  primitive::random_permutation},
                                 {variants()});
}

}  // namespace upsweep::detail::rearrange_impl
