// An object of its own: a call of the room does not link the catalog.
#include "upsweep/core/catalog.hpp"
#include "upsweep/vector_add/problem.hpp"

namespace upsweep::vector_add_room {

room listing() { return listed<problem, choose>("vector-add", {primitive::vector_add}, {variants()}); }

}  // namespace upsweep::vector_add_room
