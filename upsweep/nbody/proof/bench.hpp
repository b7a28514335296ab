// What was published about bodies, for `upsweep bench --table`.
#pragma once

#include "upsweep/proof/published.hpp"

namespace upsweep::nbody_room {

std::span<const published_table> published();

}  // namespace upsweep::nbody_room
