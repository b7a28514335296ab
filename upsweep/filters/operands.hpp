// From the public forms of the filters to the room's: pictures as operands, wherever they lie.
#pragma once

#include "upsweep/core/operands.hpp"
#include "upsweep/core/shape.hpp"

namespace upsweep {

enum class resampling : std::uint8_t;  // filters.hpp

namespace filters_room {

template <class X>
core::operand<const float> read_floats(const X& x) {
  constexpr bool floats = std::same_as<element_of<X>, float>;
  static_assert(floats, "upsweep: filters take pictures of f32; convert the elements first");
  if constexpr (floats) {
    return core::read_operand(x);
  } else {
    return {};
  }
}
template <class Y>
core::operand<float> written_floats(Y&& y) {
  constexpr bool floats = std::same_as<element_of<Y>, float>;
  static_assert(floats, "upsweep: filters write pictures of f32; convert the elements afterwards");
  if constexpr (floats) {
    return core::written_operand(y);
  } else {
    return {};
  }
}

// All of filters.hpp.
void median(const context&, core::operand<const float> in, const raster&, std::uint32_t radius,
            core::operand<float> out, border);
void bilateral(const context&, core::operand<const float> in, const raster&, float sigma_space, float sigma_range,
               core::operand<float> out, border);
void recursive_gaussian(const context&, core::operand<const float> in, const raster&, float sigma,
                        core::operand<float> out, border);
void thin_edges(const context&, core::operand<const float> across, core::operand<const float> down, extent size,
                core::operand<float> out);
void linked_edges(const context&, core::operand<const float> in, extent size, float low, float high,
                  core::operand<float> out);
void resize(const context&, core::operand<const float> in, const raster&, core::operand<float> out, extent to,
            resampling);

}  // namespace filters_room

}  // namespace upsweep
