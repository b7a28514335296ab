// An object of its own: a call of the room does not link the catalog.
#include "upsweep/core/catalog.hpp"
#include "upsweep/nbody/problem.hpp"

namespace upsweep::nbody_room {

room listing() { return listed<problem, choose>("nbody", {primitive::nbody}, {variants()}); }

}  // namespace upsweep::nbody_room
