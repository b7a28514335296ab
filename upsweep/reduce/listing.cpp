// An object of its own: a call of the room does not link the catalog.
#include "upsweep/core/catalog.hpp"
#include "upsweep/reduce/problem.hpp"

namespace upsweep::reduce_room {

room listing() {
  return listed<problem, choose, run_on_host>("reduce", {primitive::reduce}, {reproducible(), variants()});
}

}  // namespace upsweep::reduce_room
