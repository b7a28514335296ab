// The weights of resize, equal on all backends.
#pragma once

#include <vector>

#include "upsweep/filters/filters_problem.hpp"

namespace upsweep::detail::filters_impl {

// The pixels that contribute to each pixel of a line of another size: pixel i has the weights [starts[i], starts[i +
// 1]), the first of them for pixel firsts[i].
struct line_taps {
  std::vector<std::uint32_t> firsts, starts;
  std::vector<float> weights;
};
line_taps taps_along(resampling, std::uint64_t from, std::uint64_t to);

// As above in a device's memory, for one of the two axes of a picture. They are kept there, so that a thread's next
// call of the same shape does not wait.
struct taps_there {
  memory firsts, starts, weights;
};
taps_there taps_on(device&, int axis, resampling, std::uint64_t from, std::uint64_t to);

}  // namespace upsweep::detail::filters_impl
