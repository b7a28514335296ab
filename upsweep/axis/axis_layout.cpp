#include "upsweep/axis/axis_layout.hpp"

#include <string>

#include "upsweep/core/size_checks.hpp"

namespace upsweep {

namespace {

std::string text(const shape& s) {
  std::string all;
  for (int i = 0; i < s.axes(); ++i) all += (i ? ", " : "") + std::to_string(s[i]);
  return "{" + all + "}";
}

// The product of the lengths of axes [first, last). Throws where it does not fit.
std::uint64_t product(const char* call, const shape& s, int first, int last) {
  std::uint64_t all = 1;
  bool overflows = false;
  for (int i = first; i < last; ++i)
    if (s[i] == 0) return 0;
  for (int i = first; i < last; ++i) overflows = overflows || __builtin_mul_overflow(all, s[i], &all);
  if (overflows)
    throw error(fault::bad_argument, call, "the shape " + text(s) + " has more elements than 64 bits count",
                "give the lengths of the axes, the slowest first");
  return all;
}

detail::axis_impl::lines rows(const char* call, std::uint64_t length, std::uint64_t elements) {
  if (length == 0 ? elements != 0 : elements % length != 0)
    throw error(fault::bad_argument, call,
                std::to_string(elements) + " elements are not a whole number of rows of " + std::to_string(length),
                "give a length that divides them, or offsets of segments");
  return {length == 0 ? 0 : elements / length, length, 1};
}

}  // namespace

void shape::add(std::uint64_t length, bool negative) {
  if (negative)
    throw error(fault::bad_argument, "shape", "axis " + std::to_string(axes_) + " has a negative length",
                "give the number of elements along it");
  if (axes_ == most_axes)
    throw error(fault::bad_argument, "shape", "there are more than 8 axes",
                "merge adjacent axes that the call does not work along; their product is one axis");
  lengths_[static_cast<std::size_t>(axes_++)] = length;
}

detail::axis_impl::lines lines_along::of(const char* call, std::uint64_t elements) const {
  if (rows_) return rows(call, shape_[0], elements);
  const int axes = shape_.axes(), axis = axis_ < 0 ? axis_ + axes : axis_;
  if (axis < 0 || axis >= axes)
    throw error(fault::bad_argument, call,
                "there is no axis " + std::to_string(axis_) + " in the shape " + text(shape_),
                "count axes from 0, or from -1 backwards");
  const detail::axis_impl::lines all{product(call, shape_, 0, axis), shape_[axis],
                                     product(call, shape_, axis + 1, axes)};
  const std::uint64_t whole = product(call, shape_, 0, axes);
  if (whole != elements)
    throw error(fault::bad_argument, call,
                "the shape " + text(shape_) + " has " + std::to_string(whole) + " elements and the input " +
                    std::to_string(elements),
                "give the lengths of all axes of the input, the slowest first");
  if (std::uint64_t count; __builtin_mul_overflow(all.outer, all.inner, &count))
    throw error(fault::bad_argument, call, "the shape " + text(shape_) + " has more lines than 64 bits count",
                "give the lengths of the axes, the slowest first");
  return all;
}

}  // namespace upsweep
