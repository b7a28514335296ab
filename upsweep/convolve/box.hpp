// A mask that is one number.
#pragma once

#include "upsweep/convolve/geometry.hpp"
#include "upsweep/convolve/problem.hpp"

namespace upsweep::convolve_room {

void convolve_box(device&, const problem&);
variant box_entry();
// What it cannot take of a problem, or null.
const char* box_cannot(const problem&);

// A window of `size` elements as windows of windows: the digits of its size to some base, of which each is so many
// windows of a power of the base.
struct window_plan {
  std::uint64_t base = 2, levels = 1;
  double loads = 0;  // for each result, and two for each line that is written
};
window_plan plan_of_window(std::uint64_t size);

}  // namespace upsweep::convolve_room
