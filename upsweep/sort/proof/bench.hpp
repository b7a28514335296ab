// What was published about the sorts of the textbook, for `upsweep bench --table`.
#pragma once

#include "upsweep/proof/published.hpp"

namespace upsweep::sort_room {

std::span<const published_table> published();

}  // namespace upsweep::sort_room
