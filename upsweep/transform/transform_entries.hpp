// Catalog entries: the facts that hold for the variants of every backend: one launch, one element per work-item.
#pragma once

#include "upsweep/transform/transform_problem.hpp"

namespace upsweep::detail::transform_impl {

inline const char* no_pair_of_these(const problem& p) {
  if (!does_fold(p.type)) return "elements other than i32, u32, i64, u64, f32 and f64";
  if (p.what == primitive::transform_if) return nullptr;
  const bool op = p.what == primitive::transform ? p.two_inputs && !p.subtracts : p.neighbours == between::op;
  return op && !accepts(p.op, p.type) ? "an operator that its type has not" : nullptr;
}
inline const char* no_numbers(const problem& p) { return p.type == dtype::f16 ? "elements of f16" : nullptr; }
inline const char* not_u32(const problem& p) { return p.type == dtype::u32 ? nullptr : "elements other than u32"; }

inline variant entry(backend where, primitive what, std::string_view name, std::string_view teaches,
                     void (*run)(device&, const problem&)) {
  variant v;
  v.name = name, v.where = where, v.what = what, v.kind = variant_kind::tuned, v.year = 2026, v.source = "upsweep";
  v.teaches = teaches, v.run = run;
  v.work = {"n", [](double n) { return n; }};
  v.span = {"1", [](double) { return 1.0; }};
  v.launches = {"1", [](double) { return 1.0; }};
  switch (what) {
    case primitive::transform:
    case primitive::transform_if: v.traffic = {"3n of two inputs, 2n of one", [](double n) { return 3 * n; }}; break;
    case primitive::replace: v.traffic = {"3n with a stencil, else 2n", [](double n) { return 3 * n; }}; break;
    case primitive::copy:
    case primitive::adjacent_difference: v.traffic = {"2n", [](double n) { return 2 * n; }}; break;
    default: v.traffic = {"n", [](double n) { return n; }}; break;
  }
  if (what == primitive::transform || what == primitive::transform_if || what == primitive::adjacent_difference)
    v.cannot = no_pair_of_these;
  if (what == primitive::iota || what == primitive::replace) v.cannot = no_numbers;
  if (what == primitive::tabulate) v.cannot = not_u32;
  return v;
}

}  // namespace upsweep::detail::transform_impl
