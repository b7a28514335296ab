// What was published about the reductions of the textbook, for `upsweep bench --table`.
#pragma once

#include "upsweep/proof/published.hpp"

namespace upsweep::reduce_room {

std::span<const published_table> published();

}  // namespace upsweep::reduce_room
