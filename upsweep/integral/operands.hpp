// Problems made of a picture's operands; host memory goes to the device without the gaps between its rows.
#pragma once

#include "upsweep/integral/problem.hpp"
#include "upsweep/integral/types.hpp"
#include "upsweep/select/operands.hpp"

namespace upsweep {

// Columns x0 to x1 - 1 of rows y0 to y1 - 1.
struct rectangle {
  std::uint64_t x0 = 0, y0 = 0, x1 = 0, y1 = 0;
  friend bool operator==(const rectangle&, const rectangle&) = default;
};

namespace integral_room {

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

// Throws fault::bad_argument for channels, shapes and pitches that are none.
void require_layout(const char* where, extent size, std::uint32_t channels, std::uint64_t pitch,
                    std::uint64_t out_pitch);
// ... where `rows` rows of `row` elements do not fit a span.
void require_picture(const char* where, const char* what, std::uint64_t span, std::uint64_t rows, std::uint64_t row,
                     std::uint64_t pitch);
// ... where the sum of width · height elements as large as `largest` passes `most`.
void require_sums_below(const char* where, std::uint64_t width, std::uint64_t height, std::uint64_t largest,
                        std::uint64_t most, dtype in, dtype out);
void require_rectangles(const rectangle* all, std::uint64_t count, extent size);

constexpr std::uint64_t widest_window(std::uint64_t radius, std::uint64_t n) {
  return std::min(2 * useful_radius(radius, n) + 1, n);
}

template <class In, class Out>
void require_room_for_sums(const char* where, std::uint64_t width, std::uint64_t height) {
  if constexpr (std::is_integral_v<In>) {
    // Of signed elements the lowest is the one furthest from zero; a sum of lowest ones may be just the lowest.
    const auto largest = static_cast<std::uint64_t>(std::numeric_limits<In>::max()) + std::is_signed_v<In>;
    const auto most = static_cast<std::uint64_t>(std::numeric_limits<Out>::max());
    require_sums_below(where, width, height, largest, most, dtype_of<In>, dtype_of<Out>);
  }
}

template <class In, class Out>
problem picture(const char* where, primitive what, extent size, std::uint32_t channels, std::uint64_t pitch,
                std::uint64_t out_pitch) {
  require_layout(where, size, channels, pitch, out_pitch);
  problem p;
  p.what = what, p.type = dtype_of<In>, p.out_type = dtype_of<Out>;
  p.size = size, p.channels = channels, p.pitch = pitch, p.out_pitch = out_pitch;
  p.n = size.count() * channels;
  return p;
}

template <class In, class Out>
void filter(const char* name, const context& where, problem p, device_span<const In> in, device_span<Out> out) {
  const std::uint64_t rows = p.size.y * p.size.z;
  require_picture(name, "the picture", in.size(), rows, row_of(p), pitch_of(p));
  require_picture(name, "the output", out.size(), rows, row_of(p), out_pitch_of(p));
  require_apart(name, where.kind(), {read_from("the picture", in), written_to("the output", out)});
  p.in = in.where(), p.out = out.where();
  integral_room::run(where, p);
}

// Rows of `row` elements, `pitch` apart, side by side, and back.
template <class T>
std::vector<T> without_gaps(std::span<const T> from, std::uint64_t rows, std::uint64_t row, std::uint64_t pitch) {
  std::vector<T> to(rows * row);
  for (std::uint64_t y = 0; y < rows; ++y)
    std::copy_n(from.begin() + static_cast<std::ptrdiff_t>(y * pitch), row,
                to.begin() + static_cast<std::ptrdiff_t>(y * row));
  return to;
}
template <class T>
void with_gaps(const std::vector<T>& from, std::span<T> to, std::uint64_t rows, std::uint64_t row,
               std::uint64_t pitch) {
  for (std::uint64_t y = 0; y < rows; ++y)
    std::copy_n(from.begin() + static_cast<std::ptrdiff_t>(y * row), row,
                to.begin() + static_cast<std::ptrdiff_t>(y * pitch));
}

template <class In, class Out>
void filter(const char* name, const context& where, problem p, std::span<const In> in, std::span<Out> out) {
  if (where.kind() == backend::cpu) return filter<In, Out>(name, where, p, in_place(in), in_place(out));
  const std::uint64_t rows = p.size.y * p.size.z, row = row_of(p), pitch = pitch_of(p), out_pitch = out_pitch_of(p);
  require_picture(name, "the picture", in.size(), rows, row, pitch);
  require_picture(name, "the output", out.size(), rows, row, out_pitch);
  if (p.n == 0) return;
  const buffer<In> there(where, without_gaps(in, rows, row, pitch));
  buffer<Out> result(where, p.n);
  p.pitch = p.out_pitch = 0;
  filter<In, Out>(name, where, p, there.span(), result.span());
  with_gaps(result.download(), out, rows, row, out_pitch);
}

inline namespace UPSWEEP_COMPILED {

template <class T>
void look_up(const context& where, problem p, device_span<const T> table, device_span<const rectangle> rectangles,
             device_span<T> sums) {
  static_assert(sizeof(rectangle) == 4 * sizeof(std::uint64_t));
  require_picture("rectangle_sums", "the table", table.size(), p.size.y, row_of(p), pitch_of(p));
  require_same_size("rectangle_sums", "the rectangles' channels", rectangles.size() * p.channels, "the sums",
                    sums.size());
  require_apart("rectangle_sums", where.kind(),
                {read_from("the table", table), read_from("the rectangles", rectangles), written_to("the sums", sums)});
  if (checking && where.kind() != backend::cpu) {
    std::vector<rectangle> copy(rectangles.size());
    fetch(where, copy.data(), rectangles);
    require_rectangles(copy.data(), copy.size(), p.size);
  }
  p.in = table.where(), p.in2 = rectangles.where(), p.out = sums.where();
  p.m = rectangles.size();
  integral_room::run(where, p);
}

template <class T>
void look_up(const context& where, problem p, std::span<const T> table, std::span<const rectangle> rectangles,
             std::span<T> sums) {
  require_rectangles(rectangles.data(), rectangles.size(), p.size);
  if (where.kind() == backend::cpu) return look_up<T>(where, p, in_place(table), in_place(rectangles), in_place(sums));
  require_picture("rectangle_sums", "the table", table.size(), p.size.y, row_of(p), pitch_of(p));
  require_same_size("rectangle_sums", "the rectangles' channels", rectangles.size() * p.channels, "the sums",
                    sums.size());
  const buffer<T> there(where, without_gaps(table, p.size.y, row_of(p), pitch_of(p)));
  const buffer<rectangle> asked(where, rectangles);
  buffer<T> answers(where, sums.size());
  p.pitch = 0;
  look_up<T>(where, p, there.span(), asked.span(), answers.span());
  answers.download(sums);
}

}  // namespace UPSWEEP_COMPILED

}  // namespace integral_room

}  // namespace upsweep
