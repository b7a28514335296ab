// Problems made of a picture's operands; host memory goes to the device without the gaps between its rows.
#pragma once

#include "upsweep/core/image_shape.hpp"
#include "upsweep/core/operands.hpp"
#include "upsweep/summed_area_table/summed_area_table_problem.hpp"
#include "upsweep/summed_area_table/summed_area_table_types.hpp"

namespace upsweep {

// Columns x0 to x1 - 1 of rows y0 to y1 - 1.
struct rectangle {
  std::uint64_t x0 = 0, y0 = 0, x1 = 0, y1 = 0;
  friend bool operator==(const rectangle&, const rectangle&) = default;
};

namespace detail::summed_area_table_impl {

using namespace core;

template <class In, class Out>
constexpr bool pair_in(std::span<const type_pair> list) {
  if constexpr (builtin_type<In> && builtin_type<Out>)
    return has(list, {dtype_of<In>, dtype_of<Out>});
  else
    return false;
}

template <class T>
inline constexpr bool table_type = [] {
  if constexpr (builtin_type<T>)
    return std::find(std::begin(table_types), std::end(table_types), dtype_of<T>) != std::end(table_types);
  return false;
}();

// Throws fault::bad_argument for invalid channels, shapes and pitches.
void require_layout(const char* where, extent size, std::uint32_t channels, std::uint64_t pitch,
                    std::uint64_t out_pitch);
// Throws fault::bad_argument if `rows` rows of `row` elements do not fit a span.
void require_picture(const char* where, const char* what, std::uint64_t span, std::uint64_t rows, std::uint64_t row,
                     std::uint64_t pitch);
// Throws fault::bad_argument if the sum of width · height elements as large as `largest` exceeds `most`.
void require_sums_below(const char* where, std::uint64_t width, std::uint64_t height, std::uint64_t largest,
                        std::uint64_t most, dtype in, dtype out);
void require_rectangles(const rectangle* all, std::uint64_t count, extent size);

constexpr std::uint64_t widest_window(std::uint64_t radius, std::uint64_t n) {
  return (std::min)(2 * useful_radius(radius, n) + 1, n);
}

template <class In, class Out>
void require_sums_fit(const char* where, std::uint64_t width, std::uint64_t height) {
  if constexpr (std::is_integral_v<In>) {
    // For signed elements the lowest is the one furthest from zero; a sum of lowest ones may be exactly the lowest sum.
    const auto largest = static_cast<std::uint64_t>((std::numeric_limits<In>::max)()) + std::is_signed_v<In>;
    const auto most = static_cast<std::uint64_t>((std::numeric_limits<Out>::max)());
    require_sums_below(where, width, height, largest, most, dtype_of<In>, dtype_of<Out>);
  }
}

// p.n elements of In, whose results are Out.
template <class In, class Out>
problem picture(const char* where, primitive what, const image_layout& r) {
  require_layout(where, r.size, r.channels, r.pitch, r.out_pitch);
  problem p;
  p.what = what, p.type = dtype_of<In>, p.out_type = dtype_of<Out>;
  p.size = r.size, p.channels = r.channels, p.pitch = r.pitch, p.out_pitch = r.out_pitch;
  p.n = r.size.count() * r.channels;
  return p;
}

// Rows of `row` elements, `pitch` apart, side by side, and back.
template <class T>
std::vector<T> without_gaps(operand<const T> from, std::uint64_t rows, std::uint64_t row, std::uint64_t pitch) {
  std::vector<T> to(rows * row);
  for (std::uint64_t y = 0; y < rows; ++y) std::copy_n(from.data() + y * pitch, row, to.data() + y * row);
  return to;
}
template <class T>
void with_gaps(const std::vector<T>& from, operand<T> to, std::uint64_t rows, std::uint64_t row, std::uint64_t pitch) {
  for (std::uint64_t y = 0; y < rows; ++y) std::copy_n(from.data() + y * row, row, to.data() + y * pitch);
}

template <class In, class Out>
void filter(const char* name, const context& where, problem p, operand<const In> in, operand<Out> out) {
  const std::uint64_t rows = p.size.y * p.size.z, row = row_of(p), pitch = pitch_of(p), out_pitch = out_pitch_of(p);
  require_picture(name, "the picture", in.size(), rows, row, pitch);
  require_picture(name, "the output", out.size(), rows, row, out_pitch);
  require_no_overlap(name, where, {{"the picture", in}, {"the output", out}});
  if (in.accessible_from(where)) {
    p.in = in.where(), p.out = out.where();
    return detail::summed_area_table_impl::run(where, p);
  }
  if (p.n == 0) return;
  const buffer<In> there(where, without_gaps(in, rows, row, pitch));
  buffer<Out> result(where, p.n);
  p.pitch = p.out_pitch = 0;
  filter<In, Out>(name, where, p, there.span(), result.span());
  with_gaps(result.download(), out, rows, row, out_pitch);
}

inline namespace UPSWEEP_COMPILED {

template <class T>
void look_up(const context& where, problem p, operand<const T> table, operand<const rectangle> rectangles,
             operand<T> sums) {
  static_assert(sizeof(rectangle) == 4 * sizeof(std::uint64_t));
  const char* const name = "rectangle_sums";
  require_picture(name, "the table", table.size(), p.size.y, row_of(p), pitch_of(p));
  require_same_size(name, "the rectangles' channels have # elements and the sums #", rectangles.size() * p.channels,
                    sums.size());
  require_no_overlap(name, where, {{"the table", table}, {"the rectangles", rectangles}, {"the sums", sums}});
  if (rectangles.on_host() || (core::checks_places(where) && where.kind() != backend::cpu))
    require_rectangles(readable<rectangle>(where, rectangles).data(), rectangles.size(), p.size);
  p.m = rectangles.size();
  if (table.accessible_from(where)) {
    p.in = table.where(), p.in2 = rectangles.where(), p.out = sums.where();
    return detail::summed_area_table_impl::run(where, p);
  }
  const buffer<T> there(where, without_gaps(table, p.size.y, row_of(p), pitch_of(p)));
  const buffer<rectangle> asked(where, rectangles.host());
  buffer<T> answers(where, sums.size());
  p.pitch = 0;
  look_up<T>(where, p, there.span(), asked.span(), answers.span());
  answers.download(sums.host());
}

}  // namespace UPSWEEP_COMPILED

}  // namespace detail::summed_area_table_impl

}  // namespace upsweep
