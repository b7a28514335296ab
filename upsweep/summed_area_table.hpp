// summed_area_table: the sums of all rectangles that begin at the origin of an image (an integral image, as OpenCV's
// integral()); the sum over any rectangle from four elements of the table; and the sum, mean and variance of the box
// around each pixel.
//
//   const upsweep::extent size{1920, 1080};
//   upsweep::summed_area_table(gpu, picture.span(), table.span(), size);                 // u8 in u32
//   upsweep::summed_area_table(cpu, rgb, sums_of_rgb, upsweep::image_layout{size, 3, 5888});   // f32 in f64
//   upsweep::rectangle_sums(gpu, table.span(), rectangles.span(), sums.span(), size);
//   upsweep::box_mean(gpu, picture.span(), smooth.span(), size, {2, 2});                 // 5 by 5
//
// Result       summed_area_table: table(x, y) = Σ in(i, j) for i <= x, j <= y. rectangle_sums: sums[k] = the sum over
//              rectangle k, [x0, x1) by [y0, y1), from a table; 0 for an empty rectangle. The box of (x, y) holds the
//              elements (i, j) of the image with |i - x| <= radius.x and |j - y| <= radius.y. box_sum: their sum.
//              box_mean: their mean, rounded half to even if the result is an integer. box_variance: their variance,
//              divided by their number. Channels are independent: sums[k · channels + c]. An image of several slices
//              (size.z) is processed as that many images; a table has one slice.
// Types        summed_area_table, box_sum: u8 or u16 in u32 or u64, u32 in u64, i32 in i64, f32 in f32 or f64, f64.
//              box_mean: u8 in u8 or f32, u16 in u16 or f32, u32 or i32 in f64, f32, f64. box_variance: u8 or u16 in
//              f32, u32 or i32 in f64, f32, f64. Tables: u32, u64, i64, f32, f64.
// Requires     1 to 4 interleaved channels. Row y begins `pitch` elements after row y - 1, where 0 means size.x ·
//              channels; slice z begins size.y rows after slice z - 1. Elements in the gaps between rows are neither
//              read nor written. Spans reach at least to the last element of the image. Outputs overlap neither inputs
//              nor other outputs.
// Overflow     The call throws if the largest elements could overflow an integer sum. With overflow::wrap, sums are
//              computed modulo 2^bits instead. Rectangle sums from a wrapped table are correct wherever they fit the
//              type themselves.
// Floats       Sums of f32 are computed in f64 on devices that support it; sums of boxes always. The error of a sum is
//              at most (width + height + 4) · eps · Σ|x| over the elements that it adds: the error of a box sum depends
//              on the elements of the box alone. Differences of table elements have the error of the table: use an f64
//              table for small rectangles of large images.
// Work         Tables: two additions an element, with each element read and written once on the CPU and CUDA. Boxes:
//              about six combinations of partial results an element, whatever the radius, and no subtraction.
//              Rectangles: four reads each.
//              Exception: box variances of f32 on CUDA end with one subtraction, of sums of distances from an element
//              of the box or from the mean of some elements. Its error is at most the number of elements in the box
//              times f64's eps.
// Scratch      Tables: two numbers for each row and strip. Boxes: up to three sums an element on devices. The context
//              owns the scratch.
// Determinism  Integer results are equal on every device; results in floats repeat bit for bit on one context.
// Asynchrony   Device spans: enqueued. Host memory: done on return; it must fit the device.
// Errors       upsweep::error: channels other than 1 to 4, a pitch shorter than a row, spans too short for the shape,
//              sums that may overflow, overlap, an invalid rectangle (in host memory and on the CPU; in device memory
//              only in checked calls: .checked of with(), UPSWEEP_CHECKED).
#pragma once

#include "upsweep/buffer.hpp"
#include "upsweep/summed_area_table/summed_area_table_operands.hpp"
#include "upsweep/summed_area_table/summed_area_table_problem.hpp"

namespace upsweep {

// For integer sums that may overflow: throw an error, or compute modulo 2^bits.
enum class overflow : std::uint8_t { error, wrap };

template <class X, class Y>
  requires operands<X, Y>
void summed_area_table(const context& where, const X& in, Y&& table, const image_layout& picture,
                       overflow sums = overflow::error) {
  using In = element_of<X>;
  using Out = element_of<std::remove_cvref_t<Y>>;
  static_assert(
      detail::summed_area_table_impl::pair_in<In, Out>(detail::summed_area_table_impl::sum_types),
      "upsweep: summed_area_table takes u8 or u16 in u32 or u64, u32 in u64, i32 in i64, f32 in f32 or f64, f64");
  auto p = detail::summed_area_table_impl::picture<In, Out>(
      "summed_area_table", detail::summed_area_table_impl::primitive::summed_area_table, picture);
  if (sums == overflow::error)
    detail::summed_area_table_impl::require_sums_fit<In, Out>("summed_area_table", picture.size.x, picture.size.y);
  detail::summed_area_table_impl::filter<In, Out>("summed_area_table", where, p, core::read_operand(in),
                                                  core::written_operand(table));
}

template <class X, class Y>
  requires operands<X, Y>
void box_sum(const context& where, const X& in, Y&& out, const image_layout& picture, extent radius,
             overflow sums = overflow::error) {
  using In = element_of<X>;
  using Out = element_of<std::remove_cvref_t<Y>>;
  static_assert(detail::summed_area_table_impl::pair_in<In, Out>(detail::summed_area_table_impl::sum_types),
                "upsweep: box_sum takes u8 or u16 in u32 or u64, u32 in u64, i32 in i64, f32 in f32 or f64, f64");
  auto p = detail::summed_area_table_impl::picture<In, Out>(
      "box_sum", detail::summed_area_table_impl::primitive::box_filter, picture);
  p.box = detail::summed_area_table_impl::box_result::sum, p.radius = radius;
  if (sums == overflow::error)
    detail::summed_area_table_impl::require_sums_fit<In, Out>(
        "box_sum", detail::summed_area_table_impl::widest_window(radius.x, picture.size.x),
        detail::summed_area_table_impl::widest_window(radius.y, picture.size.y));
  detail::summed_area_table_impl::filter<In, Out>("box_sum", where, p, core::read_operand(in),
                                                  core::written_operand(out));
}

template <class X, class Y>
  requires operands<X, Y>
void box_mean(const context& where, const X& in, Y&& out, const image_layout& picture, extent radius) {
  using In = element_of<X>;
  using Out = element_of<std::remove_cvref_t<Y>>;
  static_assert(detail::summed_area_table_impl::pair_in<In, Out>(detail::summed_area_table_impl::mean_types),
                "upsweep: box_mean takes u8 in u8 or f32, u16 in u16 or f32, u32 or i32 in f64, f32, f64");
  auto p = detail::summed_area_table_impl::picture<In, Out>(
      "box_mean", detail::summed_area_table_impl::primitive::box_filter, picture);
  p.box = detail::summed_area_table_impl::box_result::mean, p.radius = radius;
  detail::summed_area_table_impl::filter<In, Out>("box_mean", where, p, core::read_operand(in),
                                                  core::written_operand(out));
}

template <class X, class Y>
  requires operands<X, Y>
void box_variance(const context& where, const X& in, Y&& out, const image_layout& picture, extent radius) {
  using In = element_of<X>;
  using Out = element_of<std::remove_cvref_t<Y>>;
  static_assert(detail::summed_area_table_impl::pair_in<In, Out>(detail::summed_area_table_impl::variance_types),
                "upsweep: box_variance takes u8 or u16 in f32, u32 or i32 in f64, f32, f64");
  auto p = detail::summed_area_table_impl::picture<In, Out>(
      "box_variance", detail::summed_area_table_impl::primitive::box_filter, picture);
  p.box = detail::summed_area_table_impl::box_result::variance, p.radius = radius;
  detail::summed_area_table_impl::filter<In, Out>("box_variance", where, p, core::read_operand(in),
                                                  core::written_operand(out));
}

inline namespace UPSWEEP_COMPILED {
// `size`, `channels` and `pitch` describe the table.
template <class X, class R, class Y>
  requires operands<X, R, Y>
void rectangle_sums(const context& where, const X& table, const R& rectangles, Y&& sums, extent size,
                    std::uint32_t channels = 1, std::uint64_t pitch = 0) {
  using T = element_of<X>;
  static_assert(std::is_same_v<element_of<R>, rectangle>,
                "upsweep: the rectangles must be upsweep::rectangle{x0, y0, x1, y1}");
  static_assert(std::is_same_v<element_of<std::remove_cvref_t<Y>>, T>,
                "upsweep: rectangle sums must have the type of the table");
  static_assert(detail::summed_area_table_impl::table_type<T>, "upsweep: the table must be u32, u64, i64, f32 or f64");
  auto p = detail::summed_area_table_impl::picture<T, T>(
      "rectangle_sums", detail::summed_area_table_impl::primitive::rectangle_sums, {size, channels, pitch});
  detail::summed_area_table_impl::look_up<T>(where, p, core::read_operand(table), core::read_operand(rectangles),
                                             core::written_operand(sums));
}

}  // namespace UPSWEEP_COMPILED

}  // namespace upsweep
