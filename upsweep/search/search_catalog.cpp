// A separate object file, so that calling a search does not link the catalog.
#include "upsweep/core/catalog.hpp"
#include "upsweep/search/search_problem.hpp"

namespace upsweep::detail::search_impl {

algorithm listing() {
  return listed<problem, choose>(
      "search", {primitive::count_if, primitive::find_if, primitive::mismatch, primitive::argmin, primitive::bounds},
      {variants()});
}

}  // namespace upsweep::detail::search_impl
