// integral: summed-area tables; sums over any rectangle of a picture by four look-ups; sums, means and variances of the
// box around each place.
//
//   const upsweep::extent size{1920, 1080};
//   upsweep::integral(gpu, picture.span(), table.span(), size);                          // u8 in u32
//   upsweep::integral(cpu, rgb, sums_of_rgb, upsweep::raster{size, 3, 5888});            // f32 in f64
//   upsweep::rectangle_sums(gpu, table.span(), rectangles.span(), sums.span(), size);
//   upsweep::box_mean(gpu, picture.span(), smooth.span(), size, {2, 2});                 // 5 by 5
//
// Result       integral: table(x, y) = Σ in(i, j) for i <= x, j <= y. rectangle_sums: sums[k] = the sum over rectangle
//              k, [x0, x1) by [y0, y1), from a table; an empty one has 0. Boxes: of the elements (i, j) with |i - x| <=
//              radius.x, |j - y| <= radius.y that lie in the picture: their sum; their mean, rounded half to even where
//              it is an integer; their variance, divided by their number. Each channel by itself; sums[k · channels +
//              c]. A picture of several slices (size.z) is as many pictures; a table has one.
// Types        integral, box_sum: u8 or u16 in u32 or u64, u32 in u64, i32 in i64, f32 in f32 or f64, f64. box_mean: u8
//              in u8 or f32, u16 in u16 or f32, u32 or i32 in f64, f32, f64. box_variance: u8 or u16 in f32, u32 or i32
//              in f64, f32, f64. Tables: u32, u64, i64, f32, f64.
// Requires     1 to 4 interleaved channels. Row y begins `pitch` elements after row y - 1, 0 meaning size.x · channels;
//              slice z size.y rows after slice z - 1. What lies between the rows is neither read nor written. Spans
//              hold the picture to its last element, at least. What is written overlaps nothing.
// Overflow     Integer sums that the largest elements could overflow are refused; overflow::wrap asks for sums modulo
//              2^bits.
//              Sums over rectangles of a wrapped table are right wherever they fit themselves.
// Floats       Sums of f32 are made in f64 on devices that have it, a box's always. A sum is off by no more than (width
//              + height + 4) · eps · Σ|x| over what it is a sum of: a box's by what the box holds, whatever lies
//              elsewhere. Differences of a table's sums have the table's error: for small rectangles of large pictures
//              give an f64 table.
// Work         Tables: two additions an element, each read and written once on the CPU and CUDA. Boxes: some six
//              joinings an element, whatever the radius, none of them a subtraction; variances of f32 on CUDA end with
//              one, of sums of distances from an element of the box or from the mean of some, which loses no more than
//              the box has elements times f64's eps. Rectangles: four look-ups each.
// Scratch      Tables: two numbers a row and strip. Boxes: up to three sums an element on devices. Owned by the
//              context.
// Determinism  Integers are the same everywhere; floats repeat bit for bit on one context.
// Asynchrony   device spans: enqueued. Host memory: done on return; it must fit the device.
// Errors       upsweep::error: channels other than 1 to 4, a pitch shorter than a row, spans too short for the shape,
//              sums that may overflow, overlap, a rectangle that is none (host memory and the CPU; device memory in
//              checked calls: .checked of with(), UPSWEEP_CHECKED).
#pragma once

#include "upsweep/buffer.hpp"
#include "upsweep/integral/operands.hpp"
#include "upsweep/integral/problem.hpp"

namespace upsweep {

// Integer sums that may overflow are refused, or made modulo 2^bits.
enum class overflow : std::uint8_t { refuse, wrap };

template <class X, class Y>
  requires operands<X, Y>
void integral(const context& where, const X& in, Y&& table, const raster& picture, overflow sums = overflow::refuse) {
  using In = element_of<X>;
  using Out = element_of<std::remove_cvref_t<Y>>;
  static_assert(integral_room::pair_in<In, Out>(integral_room::sum_types),
                "upsweep: tables are of u8 or u16 in u32 or u64, u32 in u64, i32 in i64, f32 in f32 or f64, f64");
  auto p = integral_room::picture<In, Out>("integral", integral_room::primitive::integral, picture);
  if (sums == overflow::refuse)
    integral_room::require_room_for_sums<In, Out>("integral", picture.size.x, picture.size.y);
  integral_room::filter<In, Out>("integral", where, p, core::read_operand(in), core::written_operand(table));
}

template <class X, class Y>
  requires operands<X, Y>
void box_sum(const context& where, const X& in, Y&& out, const raster& picture, extent radius,
             overflow sums = overflow::refuse) {
  using In = element_of<X>;
  using Out = element_of<std::remove_cvref_t<Y>>;
  static_assert(integral_room::pair_in<In, Out>(integral_room::sum_types),
                "upsweep: box sums are of u8 or u16 in u32 or u64, u32 in u64, i32 in i64, f32 in f32 or f64, f64");
  auto p = integral_room::picture<In, Out>("box_sum", integral_room::primitive::box_filter, picture);
  p.box = integral_room::box_result::sum, p.radius = radius;
  if (sums == overflow::refuse)
    integral_room::require_room_for_sums<In, Out>("box_sum", integral_room::widest_window(radius.x, picture.size.x),
                                                  integral_room::widest_window(radius.y, picture.size.y));
  integral_room::filter<In, Out>("box_sum", where, p, core::read_operand(in), core::written_operand(out));
}

template <class X, class Y>
  requires operands<X, Y>
void box_mean(const context& where, const X& in, Y&& out, const raster& picture, extent radius) {
  using In = element_of<X>;
  using Out = element_of<std::remove_cvref_t<Y>>;
  static_assert(integral_room::pair_in<In, Out>(integral_room::mean_types),
                "upsweep: box means are of u8 in u8 or f32, u16 in u16 or f32, u32 or i32 in f64, f32, f64");
  auto p = integral_room::picture<In, Out>("box_mean", integral_room::primitive::box_filter, picture);
  p.box = integral_room::box_result::mean, p.radius = radius;
  integral_room::filter<In, Out>("box_mean", where, p, core::read_operand(in), core::written_operand(out));
}

template <class X, class Y>
  requires operands<X, Y>
void box_variance(const context& where, const X& in, Y&& out, const raster& picture, extent radius) {
  using In = element_of<X>;
  using Out = element_of<std::remove_cvref_t<Y>>;
  static_assert(integral_room::pair_in<In, Out>(integral_room::variance_types),
                "upsweep: box variances are of u8 or u16 in f32, u32 or i32 in f64, f32, f64");
  auto p = integral_room::picture<In, Out>("box_variance", integral_room::primitive::box_filter, picture);
  p.box = integral_room::box_result::variance, p.radius = radius;
  integral_room::filter<In, Out>("box_variance", where, p, core::read_operand(in), core::written_operand(out));
}

inline namespace UPSWEEP_COMPILED {
// Of `size`, the table's shape; `pitch` is the table's.
template <class X, class R, class Y>
  requires operands<X, R, Y>
void rectangle_sums(const context& where, const X& table, const R& rectangles, Y&& sums, extent size,
                    std::uint32_t channels = 1, std::uint64_t pitch = 0) {
  using T = element_of<X>;
  static_assert(std::is_same_v<element_of<R>, rectangle>, "upsweep: rectangles are upsweep::rectangle{x0, y0, x1, y1}");
  static_assert(std::is_same_v<element_of<std::remove_cvref_t<Y>>, T>,
                "upsweep: sums over rectangles are of the table's type");
  static_assert(integral_room::table_type<T>, "upsweep: tables are u32, u64, i64, f32 or f64");
  auto p =
      integral_room::picture<T, T>("rectangle_sums", integral_room::primitive::rectangle_sums, {size, channels, pitch});
  integral_room::look_up<T>(where, p, core::read_operand(table), core::read_operand(rectangles),
                            core::written_operand(sums));
}

}  // namespace UPSWEEP_COMPILED

}  // namespace upsweep
