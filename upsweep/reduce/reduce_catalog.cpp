// A separate object file, so that a program that only calls the algorithm does not link the catalog.
#include "upsweep/core/catalog.hpp"
#include "upsweep/reduce/reduce_problem.hpp"

namespace upsweep::detail::reduce_impl {

algorithm listing() {
  return listed<problem, choose, run_on_host>("reduce", {primitive::reduce}, {reproducible(), variants()});
}

}  // namespace upsweep::detail::reduce_impl
