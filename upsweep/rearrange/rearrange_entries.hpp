// Catalog entries: the facts that hold for the variants of every backend.
#pragma once

#include "upsweep/rearrange/rearrange_problem.hpp"

namespace upsweep::detail::rearrange_impl {

inline const char* no_words(const problem& p) {
  const bool unsigned_word = !is_signed(p.type);
  if (p.what == primitive::random_permutation)
    return p.type == dtype::u32 || p.type == dtype::u64 ? nullptr : "indices other than u32 and u64";
  return unsigned_word ? nullptr : "words other than u8, u16, u32 and u64";
}

inline variant entry(backend where, primitive what, std::string_view name, std::string_view teaches,
                     void (*run)(device&, const problem&)) {
  variant v;
  v.name = name, v.where = where, v.what = what, v.kind = variant_kind::tuned, v.year = 2026, v.source = "upsweep";
  v.teaches = teaches, v.run = run, v.cannot = no_words;
  v.work = {"n", [](double n) { return n; }};
  v.span = {"1", [](double) { return 1.0; }};
  v.launches = {"1", [](double) { return 1.0; }};
  switch (what) {
    case primitive::reverse: v.traffic = {"2n", [](double n) { return 2 * n; }}; break;
    case primitive::rotate:
      v.traffic = {"2n, in place 4n", [](double n) { return 4 * n; }};
      v.launches = {"2, in place 3", [](double) { return 3.0; }};
      break;
    case primitive::swap_ranges: v.traffic = {"4n", [](double n) { return 4 * n; }}; break;
    case primitive::shuffle:
      v.traffic = {"2n, in place 4n", [](double n) { return 4 * n; }};
      v.launches = {"1, in place 2", [](double) { return 2.0; }};
      break;
    case primitive::random_permutation: v.traffic = {"n", [](double n) { return n; }}; break;
  }
  return v;
}

}  // namespace upsweep::detail::rearrange_impl
