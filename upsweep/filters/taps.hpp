// resize's weights, which are the same on all backends.
#pragma once

#include <vector>

#include "upsweep/filters/problem.hpp"

namespace upsweep::filters_room {

// The pixels that make each pixel of a line of another size: of pixel i the elements [starts[i], starts[i + 1]) of
// `weights`, the first of them over pixel firsts[i].
struct line_taps {
  std::vector<std::uint32_t> firsts, starts;
  std::vector<float> weights;
};
line_taps taps_along(resampling, std::uint64_t from, std::uint64_t to);

// The same in a device's memory, for one of the two axes of a picture. They stay there: a thread's next call of the
// same shape does not wait.
struct taps_there {
  memory firsts, starts, weights;
};
taps_there taps_on(device&, int axis, resampling, std::uint64_t from, std::uint64_t to);

}  // namespace upsweep::filters_room
