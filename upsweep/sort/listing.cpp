// An object of its own: a call of the room does not link the catalog.
#include "upsweep/core/catalog.hpp"
#include "upsweep/sort/problem.hpp"

namespace upsweep::sort_room {

room listing() {
  return listed<problem>(
      "sort", {primitive::sort, primitive::segmented_sort, primitive::top_k, primitive::merge, primitive::is_sorted},
      {variants()});
}

}  // namespace upsweep::sort_room
