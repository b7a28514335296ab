// Tables, boxes and rectangles on the CPU: rectangles, and the entries in the catalog. The library's tables are in
// cpu_table.cpp, its boxes in cpu_box.cpp.
#include <array>
#include <string>

#include "upsweep/cpu/block_partition.hpp"
#include "upsweep/summed_area_table/cpu/summed_area_table_cpu.hpp"
#include "upsweep/summed_area_table/summed_area_table_look_up.hpp"
#include "upsweep/summed_area_table/summed_area_table_problem.hpp"

namespace upsweep::detail::summed_area_table_impl {

namespace {

using cpu::stop_flag;

inline constexpr std::uint64_t rectangles_at_once = 1 << 13;  // that a thread takes at a time

void rectangles(device& d, const problem& p) {
  const auto* all = p.in2.as<const std::uint64_t>();
  cpu::for_each_block(d, cpu::block_count(p.m, rectangles_at_once), [&](std::uint64_t b, const stop_flag&) {
    const std::uint64_t first = b * rectangles_at_once, last = std::min(p.m, first + rectangles_at_once);
    for (std::uint64_t i = first; i < last; ++i) {
      const std::uint64_t* r = all + 4 * i;
      if (r[0] > r[2] || r[1] > r[3] || r[2] > p.size.x || r[3] > p.size.y) [[unlikely]]
        throw error(fault::bad_argument, "rectangle_sums",
                    "rectangle " + std::to_string(i) + ", [" + std::to_string(r[0]) + ", " + std::to_string(r[2]) +
                        ") by [" + std::to_string(r[1]) + ", " + std::to_string(r[3]) + "), is none of a table of " +
                        std::to_string(p.size.x) + " by " + std::to_string(p.size.y),
                    "give the first column and row, and those behind the last");
    }
    with_type(p.type, [&]<class T>(type_tag<T>) { look_up<T>(p, first, last); });
  });
}

constexpr formula one{"1", [](double) { return 1.0; }};
constexpr formula linear{"n", [](double n) { return n; }};
constexpr formula twice{"2n", [](double n) { return 2 * n; }};
constexpr formula slices{"one a slice", [](double) { return 1.0; }};

variant entry(std::string_view name, primitive what, std::string_view source, int year, std::string_view teaches,
              formula work, formula span, formula traffic, void (*run)(device&, const problem&)) {
  variant v;
  v.name = name, v.what = what, v.source = source, v.year = year, v.teaches = teaches;
  v.kind = variant_kind::tuned;
  v.work = work, v.span = span, v.launches = slices, v.traffic = traffic, v.run = run;
  v.cannot = unsupported_by_algorithm;
  return v;
}

}  // namespace

std::span<const variant> cpu() {
  static const std::array list{
      entry("integral/strips", primitive::summed_area_table, "upsweep", 2026,
            "One pass: strips of columns walk downward, each a few rows behind its left neighbour; rows by vectors, "
            "sums of f32 in f64, large "
            "tables stored past the caches.",
            twice, linear, twice, table_in_strips),
      entry("box-filter/van-herk", primitive::box_filter, "upsweep", 2026,
            "The end of one block of rows and the beginning of the next make any window: three joinings an element, "
            "and no subtraction; "
            "along the rows windows are doubled.",
            {"at least 6n", [](double n) { return 6 * n; }}, linear, twice, box_in_bands),
      entry("rectangle-sums/blocked", primitive::rectangle_sums, "upsweep", 2026,
            "Each core answers blocks of rectangles, all of them checked.",
            {"3 a rectangle", [](double n) { return n; }}, one,
            {"n at least, as a measure: 4 look-ups a rectangle", [](double n) { return n; }}, rectangles),
  };
  return list;
}

}  // namespace upsweep::detail::summed_area_table_impl
