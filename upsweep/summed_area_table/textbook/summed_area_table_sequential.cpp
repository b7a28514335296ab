// The textbook's loops.
#include <array>

#include "upsweep/summed_area_table/summed_area_table_box.hpp"
#include "upsweep/summed_area_table/summed_area_table_look_up.hpp"
#include "upsweep/summed_area_table/summed_area_table_problem.hpp"

namespace upsweep::detail::summed_area_table_impl {

namespace {

void table_sequentially(device&, const problem& all) {
  for_each_slice(all, [](const problem& p) {
    with_pair(p.type, p.out_type, [&]<class In, class Out>(type_tag<In>, type_tag<Out>) {
      using Sum = std::conditional_t<std::is_floating_point_v<Out>, Out, std::uint64_t>;
      const std::uint64_t row = row_of(p);
      for (std::uint64_t y = 0; y < p.size.y; ++y) {
        const In* in = p.in.as<const In>() + y * p.pitch;
        Out* out = p.out.as<Out>() + y * p.out_pitch;
        Sum left[most_channels] = {};
        for (std::uint64_t x = 0; x < row; ++x) {
          Sum& sum = left[x % p.channels];
          sum += widened<Sum>(in[x]);
          out[x] = static_cast<Out>(y == 0 ? sum : sum + static_cast<Sum>(*(out + x - p.out_pitch)));
        }
      }
    });
  });
}

// Additions for every place.
std::uint64_t box_area(const problem& p) {
  const std::uint64_t rx = useful_radius(p.radius.x, p.size.x), ry = useful_radius(p.radius.y, p.size.y);
  return std::min(2 * rx + 1, p.size.x) * std::min(2 * ry + 1, p.size.y);
}

void box_by_definition(device&, const problem& all) {
  for_each_slice(all, [](const problem& p) {
    with_box(p, [&]<class Rule, class In, class Out>(Rule, type_tag<In>, type_tag<Out>) {
      const std::uint64_t rx = useful_radius(p.radius.x, p.size.x), ry = useful_radius(p.radius.y, p.size.y);
      for (std::uint64_t y = 0; y < p.size.y; ++y)
        for (std::uint64_t x = 0; x < row_of(p); ++x) {
          const std::uint64_t pixel = x / p.channels, first_row = y - std::min(y, ry),
                              first = pixel - std::min(pixel, rx);
          const std::uint64_t rows = window_at(y, ry, p.size.y), columns = window_at(pixel, rx, p.size.x);
          typename Rule::part sum{};
          double known = 0;
          for (std::uint64_t j = first_row; j < first_row + rows; ++j)
            for (std::uint64_t i = first; i < first + columns; ++i, known += 1)
              sum = Rule::joined(
                  sum, Rule::to_accumulator(p.in.as<const In>()[j * p.pitch + i * p.channels + x % p.channels]), known,
                  1);
          p.out.as<Out>()[y * p.out_pitch + x] = Rule::result(sum, rows * columns);
        }
    });
  });
}

// A table of the elements that `to_accumulator` returns, modulo 2^64, without a first row and column of zeros.
template <class In, class Lift>
void make_table(const problem& p, std::uint64_t* table, Lift to_accumulator) {
  const std::uint64_t row = row_of(p);
  for (std::uint64_t y = 0; y < p.size.y; ++y) {
    std::uint64_t left[most_channels] = {};
    for (std::uint64_t x = 0; x < row; ++x) {
      left[x % p.channels] += to_accumulator(p.in.as<const In>()[y * p.pitch + x]);
      table[y * row + x] = left[x % p.channels] + (y ? table[(y - 1) * row + x] : 0);
    }
  }
}

const char* no_look_ups(const problem& p) {
  if (const char* what = unsupported_by_algorithm(p)) return what;
  if (is_floating(p.type)) return "floats: what the box holds is lost in the rounding of the whole table";
  if (p.box == box_result::variance && size_of(p.type) > 2)
    return "variances of 32-bit elements: their squares' sums do not fit 64 bits";
  return nullptr;
}

void box_by_look_ups(device& d, const problem& all) {
  for_each_slice(all, [&](const problem& p) {
    with_box(p, [&]<class Rule, class In, class Out>(Rule, type_tag<In>, type_tag<Out>) {
      if constexpr (std::is_integral_v<In> && !Rule::counts) {
        constexpr bool squares = std::is_same_v<typename Rule::part, exact_moments>;
        auto* table = d.scratch("integral/four look-ups", (squares ? 2 : 1) * p.n * 8).template as<std::uint64_t>();
        make_table<In>(p, table, [](In x) { return widened<std::uint64_t>(x); });
        if constexpr (squares) make_table<In>(p, table + p.n, [](In x) { return std::uint64_t{x} * x; });
        const std::uint64_t rx = useful_radius(p.radius.x, p.size.x), ry = useful_radius(p.radius.y, p.size.y);
        for (std::uint64_t y = 0; y < p.size.y; ++y)
          for (std::uint64_t x = 0; x < row_of(p); ++x) {
            const std::uint64_t pixel = x / p.channels, y0 = y - std::min(y, ry), x0 = pixel - std::min(pixel, rx);
            const std::uint64_t rows = window_at(y, ry, p.size.y), columns = window_at(pixel, rx, p.size.x);
            const auto sum_of = [&](const std::uint64_t* t) {
              return looked_up(t, row_of(p), p.channels, static_cast<std::uint32_t>(x % p.channels), x0, y0,
                               x0 + columns, y0 + rows);
            };
            typename Rule::part sum;
            if constexpr (squares)
              sum = {sum_of(table), sum_of(table + p.n)};
            else
              sum = static_cast<typename Rule::part>(sum_of(table));
            p.out.as<Out>()[y * p.out_pitch + x] = Rule::result(sum, rows * columns);
          }
      }
    });
  });
}

void rectangles_sequentially(device&, const problem& p) {
  with_type(p.type, [&]<class T>(type_tag<T>) { look_up<T>(p, 0, p.m); });
}

constexpr formula one{"1", [](double) { return 1.0; }};
constexpr formula linear{"n", [](double n) { return n; }};
constexpr formula twice{"2n", [](double n) { return 2 * n; }};
constexpr formula slices{"one a slice", [](double) { return 1.0; }};

variant entry(std::string_view name, primitive what, std::string_view source, int year, std::string_view teaches,
              formula work, formula span, formula traffic, void (*run)(device&, const problem&)) {
  variant v;
  v.name = name, v.what = what, v.source = source, v.year = year, v.teaches = teaches;
  v.work = work, v.span = span, v.launches = slices, v.traffic = traffic, v.run = run;
  v.cannot = unsupported_by_algorithm;
  return v;
}

}  // namespace

std::span<const variant> cpu_textbook() {
  static const std::array list{
      entry("integral/sequential", primitive::summed_area_table, "Crow", 1984,
            "One thread, two additions an element: the row so far, and the table above. Floats round in the table's "
            "own type.",
            twice, linear, twice, table_sequentially),
      [] {
        variant v = entry("box-filter/sequential", primitive::box_filter, "textbook", 1960,
                          "By the definition: every element of every box is added up anew.",
                          {"n times the box", [](double n) { return n; }}, linear, twice, box_by_definition);
        v.cannot = [](const problem& p) -> const char* {
          if (const char* what = unsupported_by_algorithm(p)) return what;
          return p.n && box_area(p) > (std::uint64_t{1} << 30) / p.n ? "more than 2^30 additions" : nullptr;
        };
        v.limits = "at most 2^30 additions";
        return v;
      }(),
      [] {
        variant v = entry("box-filter/four-look-ups", primitive::box_filter, "Crow; Viola and Jones", 1984,
                          "A table, and for variances one of squares; then four look-ups a place, whatever the box's "
                          "size. Integers may wrap: "
                          "differences of wrapped sums are right.",
                          {"at least 5n", [](double n) { return 5 * n; }}, linear,
                          {"at least 7n", [](double n) { return 7 * n; }}, box_by_look_ups);
        v.cannot = no_look_ups;
        v.limits = "integers; variances of up to 16 bits";
        return v;
      }(),
      entry("rectangle-sums/sequential", primitive::rectangle_sums, "Crow", 1984,
            "Four look-ups and three subtractions a rectangle, one after the other.",
            {"3 a rectangle", [](double n) { return n; }}, one,
            {"n at least, as a measure: 4 look-ups a rectangle", [](double n) { return n; }}, rectangles_sequentially),
  };
  return list;
}

}  // namespace upsweep::detail::summed_area_table_impl
