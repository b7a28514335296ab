// An object of its own: a call of the room does not link the catalog.
#include "upsweep/core/catalog.hpp"
#include "upsweep/sort/problem.hpp"
#include "upsweep/sort/run.hpp"

namespace upsweep::sort_room {

namespace {
void from_host(const target& to, const problem& p) { run_from_host(to, p); }
}  // namespace

room listing() {
  return listed<problem, choose, from_host>(
      "sort", {primitive::sort, primitive::segmented_sort, primitive::top_k, primitive::merge, primitive::is_sorted},
      {variants()});
}

}  // namespace upsweep::sort_room
