// Convolution with a box: a mask whose elements are all one number.
#pragma once

#include "upsweep/convolve/convolve_geometry.hpp"
#include "upsweep/convolve/convolve_problem.hpp"

namespace upsweep::detail::convolve_impl {

void convolve_box(device&, const problem&);
variant box_entry();
// The reason why it cannot run a problem, or null.
const char* box_cannot(const problem&);

// A window of `size` elements, built from smaller windows: the digits of its size in some base, each of which counts
// windows whose size is a power of the base.
struct window_plan {
  std::uint64_t base = 2, levels = 1;
  double loads = 0;  // for each result, and two for each line that is written
};
window_plan plan_of_window(std::uint64_t size);

}  // namespace upsweep::detail::convolve_impl
