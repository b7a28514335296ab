// Sizes and offsets of a convolution, which all backends use.
#pragma once

#include <cmath>

#include "upsweep/convolve/convolve_problem.hpp"

namespace upsweep::detail::convolve_impl {

// out(x, y, z) is the sum of mask(i, j, k) · in(x + i - before.x, …), after the mask has been reversed if requested.
struct geometry {
  extent in, out, mask, before;
  std::uint64_t channels = 1, in_pitch = 0, out_pitch = 0;
  border edge = border::zero;
};

// The number of results along one axis.
constexpr std::uint64_t result_count(border edge, std::uint64_t size, std::uint64_t mask) {
  return edge != border::none ? size : size < mask ? 0 : size - mask + 1;
}

inline extent out_size(const problem& p) {
  return {result_count(p.edge, p.size.x, p.mask.x), result_count(p.edge, p.size.y, p.mask.y),
          result_count(p.edge, p.size.z, p.mask.z)};
}

inline geometry geometry_of(const problem& p) {
  geometry g;
  g.in = p.size, g.out = out_size(p), g.mask = p.mask;
  g.before = p.edge == border::none ? extent{0, 0, 0} : p.anchor;
  g.channels = p.channels;
  g.in_pitch = p.pitch ? p.pitch : g.in.x * g.channels;
  g.out_pitch = p.out_pitch ? p.out_pitch : g.out.x * g.channels;
  g.edge = p.edge;
  return g;
}

// Elements from the first to the last of a picture, gaps between rows included.
constexpr std::uint64_t span_of(extent size, std::uint64_t channels, std::uint64_t pitch) {
  return size.count() == 0 ? 0 : (size.y * size.z - 1) * pitch + size.x * channels;
}

// The type of sums; for integers the unsigned type, whose sums wrap.
template <class Mask>
using accumulator_of = std::conditional_t<std::is_same_v<Mask, std::int32_t>, std::uint32_t, Mask>;

// Valid combinations of the types of elements, mask and results.
struct type_triple {
  dtype in, mask, out;
  friend constexpr bool operator==(const type_triple&, const type_triple&) = default;
};
inline constexpr std::array all_types{
    type_triple{dtype::f32, dtype::f32, dtype::f32}, type_triple{dtype::u8, dtype::f32, dtype::u8},
    type_triple{dtype::u8, dtype::i32, dtype::u8},   type_triple{dtype::i32, dtype::i32, dtype::i32},
    type_triple{dtype::f64, dtype::f64, dtype::f64}, type_triple{dtype::f16, dtype::f32, dtype::f16},
    type_triple{dtype::f16, dtype::f32, dtype::f32}, type_triple{dtype::u8, dtype::f32, dtype::f32},
    type_triple{dtype::u8, dtype::i32, dtype::i32}};

constexpr bool go_together(dtype in, dtype mask, dtype out) {
  for (const type_triple& t : all_types)
    if (t == type_triple{in, mask, out}) return true;
  return false;
}

inline const char* wrong_types(const problem& p) {
  return go_together(p.type, p.mask_type, p.out_type) ? nullptr : "these types of elements, mask and results together";
}

// Converts an element to the type of sums.
template <class Sum, class In>
UPSWEEP_HD constexpr Sum to_accumulator(In x) {
  return static_cast<Sum>(x);
}

// Converts a sum to a result: to u8 it is rounded, half to even, and saturated; NaN becomes 0.
template <class Out, class Sum>
UPSWEEP_HD constexpr Out stored(Sum sum) {
  if constexpr (std::is_same_v<Out, std::uint8_t>) {
    if constexpr (std::is_same_v<Sum, std::uint32_t>) {
      const auto s = static_cast<std::int32_t>(sum);
      return static_cast<std::uint8_t>(s < 0 ? 0 : s > 255 ? 255 : s);
    } else {
      const Sum inside = sum > 0 ? (sum < 255 ? sum : Sum(255)) : Sum(0);
      // Adding 2^23 to a float below 2^23 rounds it to an integer, as no bits are left for a fraction.
      return static_cast<std::uint8_t>(__builtin_bit_cast(std::uint32_t, static_cast<float>(inside) + 0x1p23f));
    }
  } else {
    return static_cast<Out>(sum);
  }
}

// Calls f(type_tag<In>, type_tag<Mask>, type_tag<Out>).
template <class F>
decltype(auto) with_types(const problem& p, F&& f) {
  const auto floats = [&]<class In>(type_tag<In> in) {
    if (p.out_type == dtype::f32) return f(in, type_tag<float>{}, type_tag<float>{});
    return f(in, type_tag<float>{}, in);
  };
  if (p.type == dtype::f32) return f(type_tag<float>{}, type_tag<float>{}, type_tag<float>{});
  if (p.type == dtype::f64) return f(type_tag<double>{}, type_tag<double>{}, type_tag<double>{});
  if (p.type == dtype::f16) return floats(type_tag<half>{});
  if (p.type == dtype::i32) return f(type_tag<std::int32_t>{}, type_tag<std::int32_t>{}, type_tag<std::int32_t>{});
  if (p.mask_type == dtype::f32) return floats(type_tag<std::uint8_t>{});
  if (p.out_type == dtype::u8) return f(type_tag<std::uint8_t>{}, type_tag<std::int32_t>{}, type_tag<std::uint8_t>{});
  return f(type_tag<std::uint8_t>{}, type_tag<std::int32_t>{}, type_tag<std::int32_t>{});
}

// Elements of one product of factors.
constexpr std::uint64_t factor_elements(extent mask) { return mask.x + mask.y + mask.z; }

}  // namespace upsweep::detail::convolve_impl
