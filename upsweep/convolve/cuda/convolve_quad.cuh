// Four neighbouring elements, read or written at once; and dispatch to masks whose width is known at compile time.
#pragma once

#include "upsweep/convolve/convolve_geometry.hpp"
#include "upsweep/cuda/cuda_device.hpp"

#include <utility>

namespace upsweep::cuda {

template <class T>
struct alignas(4 * sizeof(T) > 16 ? 16 : 4 * sizeof(T)) quad {
  T at[4];
};

// Calls f(width) with the width as a constant if it is in the list; otherwise returns false.
template <const auto& list, class F>
bool with_width(std::uint64_t mask, F f) {
  return [&]<std::size_t... i>(std::index_sequence<i...>) {
    return ((mask == static_cast<std::uint64_t>(list[i]) && (f(std::integral_constant<int, list[i]>{}), true)) || ...);
  }(std::make_index_sequence<std::size(list)>{});
}

}  // namespace upsweep::cuda
