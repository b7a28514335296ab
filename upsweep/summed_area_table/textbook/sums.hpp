// The interface of a textbook variant of integral: a picture of In, a table of T, and the addition of two T. Each
// addition is one unit of work.
//
// Work and span are those of any shape that n elements may have, so they are bounds: a line of a few elements takes as
// long as one of a tile.
#pragma once

#include "upsweep/summed_area_table/summed_area_table_problem.hpp"
#include "upsweep/summed_area_table/summed_area_table_types.hpp"

namespace upsweep::textbook::summed_area_table_variants {

inline const char* variant_cannot(const detail::summed_area_table_impl::problem& p) {
  if (p.channels != 1) return "several channels";
  if (p.size.z != 1) return "several slices";
  const detail::summed_area_table_impl::type_pair t{p.type, p.out_type};
  for (detail::summed_area_table_impl::type_pair known :
       {detail::summed_area_table_impl::type_pair{dtype::u8, dtype::u32},
        {dtype::u32, dtype::u64},
        {dtype::f32, dtype::f32},
        {dtype::f64, dtype::f64}})
    if (t == known) return nullptr;
  return "sums other than u8 in u32, u32 in u64, f32 in f32 and f64 in f64";
}

inline constexpr std::string_view textbook_limits =
    "one channel, one slice; u8 in u32, u32 in u64, f32 in f32, f64 in f64";

// Calls f(type of the elements, type of their sums).
template <class F>
void with_sums(const detail::summed_area_table_impl::problem& p, F f) {
  if (p.type == dtype::u8) f(type_tag<std::uint8_t>{}, type_tag<std::uint32_t>{});
  if (p.type == dtype::u32) f(type_tag<std::uint32_t>{}, type_tag<std::uint64_t>{});
  if (p.type == dtype::f32) f(type_tag<float>{}, type_tag<float>{});
  if (p.type == dtype::f64) f(type_tag<double>{}, type_tag<double>{});
}

}  // namespace upsweep::textbook::summed_area_table_variants
