// A separate object file: calls of the algorithm do not link the catalog.
#include "upsweep/core/catalog.hpp"
#include "upsweep/summed_area_table/summed_area_table_problem.hpp"

namespace upsweep::detail::summed_area_table_impl {

algorithm listing() {
  return listed<problem, choose>(
      "integral", {primitive::summed_area_table, primitive::box_filter, primitive::rectangle_sums}, {variants()});
}

}  // namespace upsweep::detail::summed_area_table_impl
