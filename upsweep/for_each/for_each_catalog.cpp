// A separate object file, so that a call of this algorithm does not link the catalog.
#include "upsweep/core/catalog.hpp"
#include "upsweep/for_each/for_each_problem.hpp"

namespace upsweep::detail::for_each_impl {

algorithm listing() { return listed<problem, choose>("for-each", {primitive::for_each_index}, {variants()}); }

}  // namespace upsweep::detail::for_each_impl
