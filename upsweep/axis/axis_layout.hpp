// A matrix or volume of any number of axes as the lines that run along one of them: outer x length x inner, in
// row-major order, so that consecutive elements of a line are `inner` elements apart.
#pragma once

#include <array>
#include <concepts>
#include <cstdint>
#include <ranges>
#include <type_traits>

#include "upsweep/types.hpp"

namespace upsweep {

namespace detail::axis_impl {

struct lines {
  std::uint64_t outer = 0, length = 0, inner = 1;

  UPSWEEP_HD constexpr std::uint64_t count() const { return outer * inner; }
  UPSWEEP_HD constexpr std::uint64_t elements() const { return outer * length * inner; }
  // The index in memory of element j of a line.
  UPSWEEP_HD constexpr std::uint64_t place(std::uint64_t line, std::uint64_t j) const {
    return inner == 1 ? line * length + j : (line / inner * length + j) * inner + line % inner;
  }
  friend constexpr bool operator==(const lines&, const lines&) = default;
};

}  // namespace detail::axis_impl

// The lengths of up to 8 axes, the slowest first: {slices, rows, columns}.
class shape {
 public:
  static constexpr int most_axes = 8;

  shape() = default;
  template <std::integral... Lengths>
    requires(sizeof...(Lengths) > 0 && !(std::same_as<Lengths, bool> || ...))
  shape(Lengths... lengths) {
    (add(static_cast<std::uint64_t>(lengths), is_negative(lengths)), ...);
  }
  template <std::ranges::input_range R>
    requires std::integral<std::ranges::range_value_t<R>>
  shape(const R& lengths) {
    for (const auto length : lengths) add(static_cast<std::uint64_t>(length), is_negative(length));
  }

  int axes() const { return axes_; }
  std::uint64_t operator[](int axis) const { return lengths_[static_cast<std::size_t>(axis)]; }

 private:
  template <class L>
  static constexpr bool is_negative(L length) {
    if constexpr (std::is_signed_v<L>) return length < 0;
    return false;
  }
  void add(std::uint64_t length, bool negative);  // throws fault::bad_argument

  std::array<std::uint64_t, most_axes> lengths_{};
  int axes_ = 0;
};

// The lines of a call: along an axis of a shape, or rows of one length.
class lines_along {
 public:
  // The axis is counted from 0, or from -1 backwards.
  lines_along(const shape& of, int axis) : shape_(of), axis_(axis) {}

  // The lines for this number of elements. Throws fault::bad_argument in the name of `call` where the axis does not
  // exist, or the shape has another number of elements.
  detail::axis_impl::lines of(const char* call, std::uint64_t elements) const;

  template <std::integral L>
  friend lines_along rows_of(L length);

 private:
  shape shape_;
  int axis_ = 0;
  bool rows_ = false;
};

// Rows of `length` elements, as many as fit: segments of one size, without offsets.
template <std::integral L>
lines_along rows_of(L length) {
  lines_along rows(shape(length), 0);
  rows.rows_ = true;
  return rows;
}

}  // namespace upsweep
