// A separate object file, so that calling a segmented primitive does not link the catalog.
#include "upsweep/core/catalog.hpp"
#include "upsweep/segmented/segmented_problem.hpp"

namespace upsweep::detail::segmented_impl {

algorithm listing() {
  return listed<problem, choose>(
      "segmented",
      {primitive::reduce_by_key, primitive::scan_by_key, primitive::segmented_reduce, primitive::segmented_scan},
      {variants()});
}

}  // namespace upsweep::detail::segmented_impl
