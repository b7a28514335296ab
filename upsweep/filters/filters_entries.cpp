// The catalog data that the entries of all backends share.
#include "upsweep/filters/filters_problem.hpp"

namespace upsweep::detail::filters_impl {

const char* unsupported_by_algorithm(const problem& p) {
  if (p.type != dtype::f32) return "elements other than f32";
  const extent out = out_size(p);
  if (p.size.x == 0 || p.size.y == 0 || out.x == 0 || out.y == 0) return "an empty picture";
  if (p.channels < 1 || p.channels > 4) return "channels other than 1 to 4";
  switch (p.what) {
    case primitive::median:
      return p.radius > most_median_radius ? "a radius above 255" : p.edge == border::none ? "border::none" : nullptr;
    case primitive::bilateral:
    case primitive::recursive_gaussian: return p.edge == border::none ? "border::none" : nullptr;
    case primitive::non_maximum_suppression:
    case primitive::hysteresis_threshold:
      return p.channels != 1                                       ? "more than one channel"
             : in_pitch(p) != p.size.x || out_pitch(p) != p.size.x ? "rows with gaps"
                                                                   : nullptr;
    default: return nullptr;
  }
}

const char* not_on_devices(const problem& p) {
  if (const char* what = unsupported_by_algorithm(p)) return what;
  return p.what == primitive::median && p.radius > most_device_median_radius ? "a radius above 32" : nullptr;
}

variant entry_for(primitive what, std::string_view name, backend where, std::string_view teaches,
                  void (*run)(device&, const problem&)) {
  struct common {
    int year;
    std::string_view source;
    formula work, span, launches, traffic;
  };
  constexpr formula once{"1", [](double) { return 1.0; }}, twice{"2", [](double) { return 2.0; }},
      there_and_back{"2n", [](double n) { return 2 * n; }};
  // For a median by ranks; forgetting() is for those that drop extremes.
  static constexpr common all[]{{2014,
                                 "suomela2014",
                                 {"4 radius * n flips of bits", [](double n) { return 4 * n; }},
                                 {"a tile: it is sorted, and a window slides over it", [](double) { return 131072.0; }},
                                 once,
                                 there_and_back},
                                {1998,
                                 "tomasi1998",
                                 {"20 sigma^2 * n", [](double n) { return 20 * n; }},
                                 {"20 sigma^2", [](double) { return 20.0; }},
                                 once,
                                 there_and_back},
                                {1993,
                                 "deriche1993",
                                 {"32n products", [](double n) { return 32 * n; }},
                                 {"8 (width + height)", [](double n) { return 16 * std::sqrt(n); }},
                                 twice,
                                 {"4n", [](double n) { return 4 * n; }}},
                                {1986,
                                 "canny1986",
                                 {"3n lengths", [](double n) { return 3 * n; }},
                                 once,
                                 once,
                                 {"3n", [](double n) { return 3 * n; }}},
                                {1986,
                                 "canny1986",
                                 {"9n looks", [](double n) { return 9 * n; }},
                                 {"9n", [](double n) { return 9 * n; }},
                                 once,
                                 there_and_back},
                                {1988,
                                 "mitchell1988",
                                 {"2 support * n; 12n for lanczos at the same size", [](double n) { return 12 * n; }},
                                 {"2 support; 12", [](double) { return 12.0; }},
                                 twice,
                                 {"4n at the same size", [](double n) { return 4 * n; }}}};
  const common& c = all[static_cast<int>(what)];
  variant v;
  v.name = name, v.where = where, v.what = what, v.kind = variant_kind::tuned, v.teaches = teaches;
  v.year = c.year, v.source = c.source, v.work = c.work, v.span = c.span, v.launches = c.launches,
  v.traffic = c.traffic;
  v.cannot = where == backend::cpu ? unsupported_by_algorithm : not_on_devices;
  if (where != backend::cpu && what == primitive::median) v.limits = "radii up to 32";
  v.run = run;
  return v;
}

variant forgetting(variant v) {
  const bool on_cpu = v.where == backend::cpu;
  v.year = 1990, v.source = "paeth1990";
  v.work = {"20n, 130n or 470n comparisons for radii 1, 2 and 3", [](double n) { return 20 * n; }};
  v.span = {"20, 130 or 470", [](double) { return 20.0; }};
  v.cannot =
      on_cpu ? [](const problem&
                      p) { return is_forgotten(p) ? unsupported_by_algorithm(p) : "a radius other than 1, 2 and 3"; }
             : [](const problem& p) { return is_forgotten(p) ? not_on_devices(p) : "a radius other than 1, 2 and 3"; };
  v.limits = "radii 1 to 3";
  return v;
}

variant by_union_find(variant v) {
  v.year = 1964, v.source = "galler1964";
  v.work = {"at most 4n unions", [](double n) { return 4 * n; }};
  v.span = {"log2 n mostly, n at worst", [](double n) { return std::log2(n + 1); }};
  v.launches = {"4", [](double) { return 4.0; }};
  v.traffic = {"12n at least", [](double n) { return 12 * n; }};
  v.max_n = 0xffffffff, v.limits = "places are numbered in 32 bits";
  return v;
}

}  // namespace upsweep::detail::filters_impl
