// Rectangles of a table, by four look-ups each.
#pragma once

#include "upsweep/summed_area_table/summed_area_table_problem.hpp"
#include "upsweep/summed_area_table/summed_area_table_types.hpp"

namespace upsweep::detail::summed_area_table_impl {

// The sum over [x0, x1) by [y0, y1), which is not empty. The table's rows begin `pitch` elements after each other.
template <class T>
T looked_up(const T* table, std::uint64_t pitch, std::uint32_t channels, std::uint32_t channel, std::uint64_t x0,
            std::uint64_t y0, std::uint64_t x1, std::uint64_t y1) {
  const auto at = [&](std::uint64_t x, std::uint64_t y) {
    return x && y ? table[(y - 1) * pitch + (x - 1) * channels + channel] : T{};
  };
  // Differences of one row first: where rows are alike nothing large is left to cancel.
  if constexpr (std::is_integral_v<T>) {
    using U = std::make_unsigned_t<T>;
    return static_cast<T>((U(at(x1, y1)) - U(at(x0, y1))) - (U(at(x1, y0)) - U(at(x0, y0))));
  } else {
    return (at(x1, y1) - at(x0, y1)) - (at(x1, y0) - at(x0, y0));
  }
}

template <class T>
void look_up(const problem& p, std::uint64_t first, std::uint64_t last) {
  const std::uint64_t pitch = pitch_of(p);
  for (std::uint64_t i = first; i < last; ++i) {
    const std::uint64_t* r = p.in2.as<const std::uint64_t>() + 4 * i;
    for (std::uint32_t c = 0; c < p.channels; ++c)
      p.out.as<T>()[i * p.channels + c] =
          r[0] < r[2] && r[1] < r[3] ? looked_up(p.in.as<const T>(), pitch, p.channels, c, r[0], r[1], r[2], r[3])
                                     : T{};
  }
}

}  // namespace upsweep::detail::summed_area_table_impl
