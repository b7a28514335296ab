// Convolution: the typed description of a call, and the variants that it chooses from.
#pragma once

#include "upsweep/core/dispatch.hpp"
#include "upsweep/core/image_shape.hpp"

namespace upsweep::detail::convolve_impl {

enum class primitive : std::uint8_t { convolve };

constexpr std::string_view name_of(primitive p) {
  constexpr std::string_view names[]{"convolve"};
  return names[static_cast<int>(p)];
}

// Pictures as in summed_area_table/summed_area_table_problem.hpp. out(x, y, z) = Σ mask(i, j, k) · in(x + i - anchor.x,
// y + j - anchor.y, z + k - anchor.z), the mask being in2 (mask_type, `mask` of them, x fastest), for each channel
// alike; `edge` defines `in` beyond its edges. `flipped`: the mask is turned about its middle first, which makes it a
// convolution; else it is a correlation. edge none: out has only the size.x - mask.x + 1 by … results that need no
// element beyond the edges. Sums are made in mask_type; integers of less than 32 bits are rounded (half to even) and
// saturated. rank > 0: the mask is the sum of `rank` products of a row, a column and a pillar, stored contiguously in
// in3 (mask_type). constant: the mask's elements are all one number.
struct problem : problem_head {
  primitive what = primitive::convolve;
  memory in, in2, in3, out;
  std::uint32_t channels = 1;
  extent size, mask, anchor{0, 0, 0};
  std::uint64_t pitch = 0, out_pitch = 0;
  dtype out_type = dtype::u32, mask_type = dtype::f32;
  border edge = border::zero;
  bool flipped = false;
  std::uint32_t rank = 0;
  bool constant = false;
};

inline bool rounds(const problem& p) { return is_floating(p.mask_type); }

using variant = variant_of<problem>;
using variant_lists = lists_of<problem>;

// This algorithm's variants, all and by backend, and the functions that choose and run one.
variant_lists variants();
const variant& choose(const target&, const problem&);
bool can_run(const target&, const problem&);
void run(const target&, const problem&);

std::span<const variant> cpu();
std::span<const variant> opencl();
std::span<const variant> cuda();

std::span<const variant> cpu_textbook();   // upsweep_textbook
std::span<const variant> cuda_textbook();  // upsweep_textbook

}  // namespace upsweep::detail::convolve_impl
