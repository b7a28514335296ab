// Definitions for every backend: the type that elements are summed in, slices, and the numbers of a box.
#pragma once

#include <algorithm>
#include <limits>

#include "upsweep/summed_area_table/summed_area_table_problem.hpp"

namespace upsweep::detail::summed_area_table_impl {

struct type_pair {
  dtype in, out;
  friend constexpr bool operator==(type_pair, type_pair) = default;
};

// Tables, and sums over boxes.
inline constexpr type_pair sum_types[]{{dtype::u8, dtype::u32},  {dtype::u8, dtype::u64},  {dtype::u16, dtype::u32},
                                       {dtype::u16, dtype::u64}, {dtype::u32, dtype::u64}, {dtype::i32, dtype::i64},
                                       {dtype::f32, dtype::f32}, {dtype::f32, dtype::f64}, {dtype::f64, dtype::f64}};
inline constexpr type_pair mean_types[]{{dtype::u8, dtype::u8},   {dtype::u8, dtype::f32},  {dtype::u16, dtype::u16},
                                        {dtype::u16, dtype::f32}, {dtype::u32, dtype::f64}, {dtype::i32, dtype::f64},
                                        {dtype::f32, dtype::f32}, {dtype::f64, dtype::f64}};
inline constexpr type_pair variance_types[]{{dtype::u8, dtype::f32},  {dtype::u16, dtype::f32},
                                            {dtype::u32, dtype::f64}, {dtype::i32, dtype::f64},
                                            {dtype::f32, dtype::f32}, {dtype::f64, dtype::f64}};
inline constexpr dtype table_types[]{dtype::u32, dtype::u64, dtype::i64, dtype::f32, dtype::f64};

inline constexpr std::uint32_t most_channels = 4;

constexpr bool has(std::span<const type_pair> list, type_pair t) {
  return std::find(list.begin(), list.end(), t) != list.end();
}

constexpr std::span<const type_pair> types_of(box_result box) {
  return box == box_result::sum    ? std::span<const type_pair>(sum_types)
         : box == box_result::mean ? std::span<const type_pair>(mean_types)
                                   : std::span<const type_pair>(variance_types);
}

// Calls f(type_tag<In>, type_tag<Out>) for the descriptor's pair of types, unless the algorithm does not support the
// pair.
template <box_result box = box_result::sum, class F>
void with_pair(dtype in, dtype out, F&& f) {
  with_any_type(in, [&]<class In>(type_tag<In> i) {
    with_any_type(out, [&]<class Out>(type_tag<Out> o) {
      if constexpr (has(types_of(box), {dtype_of<In>, dtype_of<Out>})) f(i, o);
    });
  });
}

// The reason why no variant supports the descriptor; null if it is supported.
inline const char* unsupported_by_algorithm(const problem& p) {
  if (p.channels == 0 || p.channels > most_channels) return "channels other than 1 to 4";
  switch (p.what) {
    case primitive::summed_area_table: return has(sum_types, {p.type, p.out_type}) ? nullptr : "this pair of types";
    case primitive::box_filter: return has(types_of(p.box), {p.type, p.out_type}) ? nullptr : "this pair of types";
    default: break;
  }
  if (p.size.z != 1) return "tables of several slices";
  return p.type == p.out_type &&
                 std::find(std::begin(table_types), std::end(table_types), p.type) != std::end(table_types)
             ? nullptr
             : "this type of table";
}

inline std::uint64_t row_of(const problem& p) { return p.size.x * p.channels; }  // elements
inline std::uint64_t pitch_of(const problem& p) { return p.pitch ? p.pitch : row_of(p); }
inline std::uint64_t out_pitch_of(const problem& p) { return p.out_pitch ? p.out_pitch : row_of(p); }

// Elements from the first to behind the last of `rows` rows.
inline std::uint64_t spanned(std::uint64_t rows, std::uint64_t row, std::uint64_t pitch) {
  return rows == 0 || row == 0 ? 0 : (rows - 1) * pitch + row;
}

// Every slice is a separate picture. Calls f(descriptor of one slice, with pitches that are not 0) for each; pictures
// without elements are skipped.
template <class F>
void for_each_slice(problem p, F f) {
  if (p.size.count() == 0) return;
  const std::uint64_t slices = p.size.z;
  p.pitch = pitch_of(p), p.out_pitch = out_pitch_of(p);
  p.n /= slices, p.size.z = 1;
  for (std::uint64_t z = 0; z < slices; ++z) {
    f(p);
    p.in = p.in.plus_bytes(p.size.y * p.pitch * size_of(p.type));
    p.out = p.out.plus_bytes(p.size.y * p.out_pitch * size_of(p.out_type));
  }
}

// The number of elements of the box around place i that are in [0, n).
UPSWEEP_HD constexpr std::uint64_t window_at(std::uint64_t i, std::uint64_t radius, std::uint64_t n) {
  const std::uint64_t before = i < radius ? i : radius, after = n - 1 - i < radius ? n - 1 - i : radius;
  return before + after + 1;
}

// A radius beyond the picture's far edge is as good as one that reaches it.
constexpr std::uint64_t useful_radius(std::uint64_t radius, std::uint64_t n) {
  return n == 0 ? 0 : (std::min)(radius, n - 1);
}

}  // namespace upsweep::detail::summed_area_table_impl
