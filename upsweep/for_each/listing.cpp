// An object of its own: a call of the room does not link the catalog.
#include "upsweep/core/catalog.hpp"
#include "upsweep/for_each/problem.hpp"

namespace upsweep::for_each_room {

room listing() { return listed<problem, choose>("for-each", {primitive::for_each_index}, {variants()}); }

}  // namespace upsweep::for_each_room
