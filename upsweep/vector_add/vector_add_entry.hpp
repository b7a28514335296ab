// Catalog entry of the tuned vector sums.
#pragma once

#include "upsweep/vector_add/vector_add_problem.hpp"

namespace upsweep::detail::vector_add_impl {

inline variant entry(backend where, std::string_view name, std::string_view teaches,
                     void (*run)(device&, const problem&)) {
  variant v;
  v.name = name, v.where = where, v.kind = variant_kind::tuned, v.year = 2026, v.source = "upsweep",
  v.teaches = teaches;
  v.work = {"n", [](double n) { return n; }};
  v.span = {"1", [](double) { return 1.0; }};
  v.launches = {"1", [](double) { return 1.0; }};
  v.traffic = {"3n", [](double n) { return 3 * n; }};
  v.takes = [](op_kind op, dtype type) { return op == op_kind::plus && does_fold(type); };
  v.transforms = false;
  v.limits = "plus alone; no fused transform";
  v.run = run;
  return v;
}

}  // namespace upsweep::detail::vector_add_impl
