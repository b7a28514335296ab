// What a rung of integral knows: a picture of In, a table of T, and the addition of two T. Each addition is one unit of
// work.
//
// Work and span are those of any shape that n elements may have, so they are bounds: a line of a few elements takes as
// long as one of a tile.
#pragma once

#include "upsweep/integral/problem.hpp"
#include "upsweep/integral/types.hpp"

namespace upsweep::textbook::integral_rungs {

inline const char* rung_cannot(const integral_room::problem& p) {
  if (p.channels != 1) return "several channels";
  if (p.size.z != 1) return "several slices";
  const integral_room::type_pair t{p.type, p.out_type};
  for (integral_room::type_pair known : {integral_room::type_pair{dtype::u8, dtype::u32},
                                         {dtype::u32, dtype::u64},
                                         {dtype::f32, dtype::f32},
                                         {dtype::f64, dtype::f64}})
    if (t == known) return nullptr;
  return "sums other than u8 in u32, u32 in u64, f32 in f32 and f64 in f64";
}

inline constexpr std::string_view rung_limits = "one channel, one slice; u8 in u32, u32 in u64, f32 in f32, f64 in f64";

// Calls f(type of the elements, type of their sums).
template <class F>
void with_sums(const integral_room::problem& p, F f) {
  if (p.type == dtype::u8) f(type_tag<std::uint8_t>{}, type_tag<std::uint32_t>{});
  if (p.type == dtype::u32) f(type_tag<std::uint32_t>{}, type_tag<std::uint64_t>{});
  if (p.type == dtype::f32) f(type_tag<float>{}, type_tag<float>{});
  if (p.type == dtype::f64) f(type_tag<double>{}, type_tag<double>{});
}

}  // namespace upsweep::textbook::integral_rungs
