// A separate object file, so that a call of this algorithm does not link the catalog.
#include "upsweep/convolve/convolve_problem.hpp"
#include "upsweep/core/catalog.hpp"

namespace upsweep::detail::convolve_impl {

algorithm listing() { return listed<problem, choose>("convolve", {primitive::convolve}, {variants()}); }

}  // namespace upsweep::detail::convolve_impl
