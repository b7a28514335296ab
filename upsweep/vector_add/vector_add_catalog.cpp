// A separate object file: calls of the algorithm do not link the catalog.
#include "upsweep/core/catalog.hpp"
#include "upsweep/vector_add/vector_add_problem.hpp"

namespace upsweep::detail::vector_add_impl {

algorithm listing() { return listed<problem, choose>("vector-add", {primitive::vector_add}, {variants()}); }

}  // namespace upsweep::detail::vector_add_impl
