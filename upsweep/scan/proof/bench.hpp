// What was published about the scans of the textbook, for `upsweep bench --table`.
#pragma once

#include "upsweep/proof/published.hpp"

namespace upsweep::scan_room {

std::span<const published_table> published();

}  // namespace upsweep::scan_room
