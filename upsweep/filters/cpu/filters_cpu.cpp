// The CPU's entries.
#include "upsweep/filters/cpu/filters_cpu.hpp"

#include <array>

namespace upsweep::detail::filters_impl {

std::span<const variant> cpu() {
  constexpr backend here = backend::cpu;
  static const std::array list{
      entry_for(primitive::median, "median/rank-bitmap", here,
                "The elements of a tile are sorted once, and a window is a set of ranks, a bit each: as it slides by a "
                "pixel a column of bits goes, one comes, and the middle one is near where it was.",
                median_by_rank),
      forgetting(entry_for(
          primitive::median, "median/forgetful-selection", here,
          "Of half a window and two elements more neither the smallest nor the largest can be the middle one: "
          "they are forgotten, and the next element comes; a vector of windows at once.",
          median_by_forgetting)),
      entry_for(primitive::bilateral, "bilateral/simd-tiles", here,
                "Every pixel of the disc, for a vector of pixels at once, on planes of tiles that stay in a cache.",
                bilateral_by_tiles),
      entry_for(primitive::recursive_gaussian, "recursive-gaussian/deriche", here,
                "Half a Gaussian is nearly two damped waves, each a recurrence of second order: the same work whatever "
                "sigma is. Sixteen lines at once, in doubles.",
                deriches_gaussian),
      entry_for(primitive::non_maximum_suppression, "thin-edges/non-maximum-suppression", here,
                "A gradient stays where neither neighbour along it is longer.", thin),
      entry_for(primitive::hysteresis_threshold, "linked-edges/flood-fill", here,
                "One thread follows each edge from where it is strong, with a stack of places still to look at.",
                link_by_flooding),
      entry_for(primitive::resize, "resize/separable", here,
                "Whole lines first where there will be fewer, else pixels: a line's weights are found once.",
                resize_by_lines),
  };
  return list;
}

}  // namespace upsweep::detail::filters_impl
