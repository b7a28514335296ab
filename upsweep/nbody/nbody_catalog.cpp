// A separate object file: calls of the algorithm do not link the catalog.
#include "upsweep/core/catalog.hpp"
#include "upsweep/nbody/nbody_problem.hpp"

namespace upsweep::detail::nbody_impl {

algorithm listing() { return listed<problem, choose>("nbody", {primitive::nbody}, {variants()}); }

}  // namespace upsweep::detail::nbody_impl
