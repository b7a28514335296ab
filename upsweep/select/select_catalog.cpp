// A separate object file, so that calling select does not link the catalog.
#include "upsweep/core/catalog.hpp"
#include "upsweep/select/select_problem.hpp"

namespace upsweep::detail::select_impl {

algorithm listing() {
  return listed<problem, choose>("select",
                                 {primitive::select, primitive::run_lengths, primitive::expand_runs, primitive::gather,
                                  primitive::gather_if, primitive::scatter_if, primitive::batched_copy},
                                 {variants()});
}

}  // namespace upsweep::detail::select_impl
