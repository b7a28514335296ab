// The lines of a shape that C gives, along one of its axes.
#pragma once

#include "c/call.hpp"
#include "upsweep/axis/axis_layout.hpp"

namespace upsweep::c {

inline detail::axis_impl::lines lines_of(const call& k, const std::uint64_t* host_shape, int axes, int axis) {
  if (axes < 1 || axes > shape::most_axes)
    throw error(fault::bad_argument, k.name, "the shape has " + std::to_string(axes) + " axes",
                "give 1 to " + std::to_string(shape::most_axes));
  require_given(k.name, "the shape", host_shape);
  const std::span<const std::uint64_t> lengths(host_shape, static_cast<std::size_t>(axes));
  std::uint64_t elements = 1;
  bool none = false, more = false;
  for (const std::uint64_t length : lengths) {
    none |= length == 0;
    more |= __builtin_mul_overflow(elements, length, &elements);
  }
  if (more && !none)
    throw error(fault::bad_argument, k.name, "the shape has more elements than 64 bits count",
                "give one that memory holds");
  return lines_along(shape(lengths), axis).of(k.name, none ? 0 : elements);
}

}  // namespace upsweep::c
