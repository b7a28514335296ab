// The catalog data that this algorithm's variants share on every backend.
#pragma once

#include "upsweep/axis/axis_problem.hpp"

namespace upsweep::detail::axis_impl {

inline variant entry(backend where, primitive what, std::string_view name, std::string_view teaches, formula span,
                     void (*run)(device&, const problem&)) {
  const bool scans = what == primitive::axis_scan;
  variant v;
  v.name = name, v.where = where, v.what = what, v.kind = variant_kind::tuned, v.year = 2026, v.source = "upsweep";
  v.teaches = teaches, v.span = span, v.run = run;
  v.work = scans ? formula{"about 2n", [](double n) { return 2 * n; }} : formula{"n", [](double n) { return n; }};
  v.launches = scans ? formula{"1 to 6", [](double) { return 3.0; }} : formula{"1 to 5", [](double) { return 2.0; }};
  v.traffic = scans ? formula{"2n; few lines across rows 6n", [](double n) { return 2 * n; }}
                    : formula{"n; few lines across rows 3n", [](double n) { return n; }};
  return v;
}

}  // namespace upsweep::detail::axis_impl
