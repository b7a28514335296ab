// Converts the public forms of the filters to problems: pictures as operands, in any memory.
#pragma once

#include "upsweep/core/image_shape.hpp"
#include "upsweep/core/operands.hpp"

namespace upsweep {

enum class resampling : std::uint8_t;  // filters.hpp

namespace detail::filters_impl {

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
void median(const context&, core::operand<const float> in, const image_layout&, std::uint32_t radius,
            core::operand<float> out, border);
void bilateral(const context&, core::operand<const float> in, const image_layout&, float sigma_space, float sigma_range,
               core::operand<float> out, border);
void recursive_gaussian(const context&, core::operand<const float> in, const image_layout&, float sigma,
                        core::operand<float> out, border);
void non_maximum_suppression(const context&, core::operand<const float> across, core::operand<const float> down,
                             extent size, core::operand<float> out);
void hysteresis_threshold(const context&, core::operand<const float> in, extent size, float low, float high,
                          core::operand<float> out);
void resize(const context&, core::operand<const float> in, const image_layout&, core::operand<float> out, extent to,
            resampling);

}  // namespace detail::filters_impl

}  // namespace upsweep
