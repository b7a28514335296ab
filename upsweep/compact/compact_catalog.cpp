// A separate object file, so that a call of this algorithm does not link the catalog.
#include "upsweep/compact/compact_problem.hpp"
#include "upsweep/core/catalog.hpp"

namespace upsweep::detail::compact_impl {

algorithm listing() {
  return listed<problem, choose>(
      "compact", {primitive::stencil_select, primitive::stencil_partition, primitive::run_offsets}, {variants()});
}

}  // namespace upsweep::detail::compact_impl
