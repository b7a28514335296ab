// An object of its own: a call of the room does not link the catalog.
#include "upsweep/convolve/problem.hpp"
#include "upsweep/core/catalog.hpp"

namespace upsweep::convolve_room {

room listing() { return listed<problem, choose>("convolve", {primitive::convolve}, {variants()}); }

}  // namespace upsweep::convolve_room
