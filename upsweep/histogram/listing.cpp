// An object of its own: a call of the room does not link the catalog.
#include "upsweep/core/catalog.hpp"
#include "upsweep/histogram/problem.hpp"

namespace upsweep::histogram_room {

room listing() {
  return listed<problem, choose>("histogram", {primitive::histogram, primitive::range_counts}, {variants()});
}

}  // namespace upsweep::histogram_room
