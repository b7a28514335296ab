// An object of its own: a call of the room does not link the catalog.
#include "upsweep/core/catalog.hpp"
#include "upsweep/select/problem.hpp"

namespace upsweep::select_room {

room listing() {
  return listed<problem, choose>("select",
                                 {primitive::select, primitive::run_lengths, primitive::expand_runs, primitive::gather,
                                  primitive::gather_if, primitive::scatter_if, primitive::copy_pieces},
                                 {variants()});
}

}  // namespace upsweep::select_room
