// What was published about convolution, for `upsweep bench --table`.
#pragma once

#include "upsweep/proof/published.hpp"

namespace upsweep::convolve_room {

std::span<const published_table> published();

}  // namespace upsweep::convolve_room
