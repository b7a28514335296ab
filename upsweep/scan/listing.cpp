// An object of its own: a call of the room does not link the catalog.
#include "upsweep/core/catalog.hpp"
#include "upsweep/scan/problem.hpp"

namespace upsweep::scan_room {

room listing() { return listed<problem, choose, run_on_host>("scan", {primitive::scan}, {variants()}); }

}  // namespace upsweep::scan_room
