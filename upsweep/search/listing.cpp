// An object of its own: a call of the room does not link the catalog.
#include "upsweep/core/catalog.hpp"
#include "upsweep/search/problem.hpp"

namespace upsweep::search_room {

room listing() {
  return listed<problem, choose>(
      "search", {primitive::count_if, primitive::find_if, primitive::mismatch, primitive::argmin, primitive::bounds},
      {variants()});
}

}  // namespace upsweep::search_room
