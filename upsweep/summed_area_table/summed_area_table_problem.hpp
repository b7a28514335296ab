// summed-area tables: the typed descriptor of a computation, and the variants that a call chooses from.
#pragma once

#include "upsweep/core/dispatch.hpp"
#include "upsweep/core/image_shape.hpp"

namespace upsweep::detail::summed_area_table_impl {

enum class primitive : std::uint8_t { summed_area_table, box_filter, rectangle_sums };

constexpr std::string_view name_of(primitive p) {
  constexpr std::string_view names[]{"integral", "box-filter", "rectangle-sums"};
  return names[static_cast<int>(p)];
}

// The result of a box filter for the elements in the box around each place.
enum class box_result : std::uint8_t { sum, mean, variance };

// Pictures have `size` pixels of `channels` interleaved elements; row y of slice z begins `pitch` (of out: out_pitch)
// elements after row y - 1, slice z size.y rows after slice z - 1; 0 means rows without gaps. Gaps are neither read nor
// written. n is the number of elements in `in`, gaps not counted. `out` is of out_type.
//   integral        out(x, y) = the sum of in(i, j) for i <= x, j <= y, for each channel, in out_type (integers wrap)
//   box-filter      out(x, y) = `box`, of the elements (i, j) with |i - x| <= radius.x, |j - y| <= radius.y that are in
//                   the picture, for each channel
//   rectangle-sums  out[i] (out_type) = the sum over the i-th rectangle {x0, y0, x1, y1} of in2 (u64), [x0, x1) by
//                   [y0, y1), for each channel; in is an integral's table, of `type` = out_type, m rectangles
struct problem : problem_head {
  primitive what = primitive::summed_area_table;
  memory in, in2, out;
  std::uint64_t m = 0;
  std::uint32_t channels = 1;
  extent size, radius{0, 0, 0};
  std::uint64_t pitch = 0, out_pitch = 0;
  dtype out_type = dtype::u32;
  box_result box = box_result::sum;
};

inline bool rounds(const problem& p) { return is_floating(p.out_type); }

using variant = variant_of<problem>;
using variant_lists = lists_of<problem>;

// The algorithm's variants, a list for each backend, and how a call chooses and runs one.
variant_lists variants();
const variant& choose(const target&, const problem&);
bool can_run(const target&, const problem&);
void run(const target&, const problem&);

std::span<const variant> cpu();
std::span<const variant> opencl();
std::span<const variant> cuda();

std::span<const variant> cpu_textbook();   // upsweep_textbook
std::span<const variant> cuda_textbook();  // upsweep_textbook

}  // namespace upsweep::detail::summed_area_table_impl
