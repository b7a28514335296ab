// A separate object file, so that calling sort does not link the catalog.
#include "upsweep/core/catalog.hpp"
#include "upsweep/sort/sort_implementation.hpp"
#include "upsweep/sort/sort_problem.hpp"

namespace upsweep::detail::sort_impl {

namespace {
void from_host(const target& to, const problem& p) { run_from_host(to, p); }
}  // namespace

algorithm listing() {
  return listed<problem, choose, from_host>(
      "sort", {primitive::sort, primitive::segmented_sort, primitive::top_k, primitive::merge, primitive::is_sorted},
      {variants()});
}

}  // namespace upsweep::detail::sort_impl
