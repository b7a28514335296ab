// An object of its own: a call of the room does not link the catalog.
#include "upsweep/axis/problem.hpp"
#include "upsweep/core/catalog.hpp"

namespace upsweep::axis_room {

room listing() { return listed<problem, choose>("axis", {primitive::axis_reduce, primitive::axis_scan}, {variants()}); }

}  // namespace upsweep::axis_room
