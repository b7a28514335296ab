// What a rung of select knows: elements of type T, and a test that some of them pass. Each test is one unit of work,
// and so is an addition in the scans that say where the passing ones go.
#pragma once

#include "upsweep/select/select_problem.hpp"

namespace upsweep::textbook::select_variants {

inline const char* variant_cannot(const detail::select_impl::problem& p) {
  if (p.how != detail::select_impl::selection::where) return "anything but a test of each element";
  if (p.value_bytes > 0) return "values";
  if (p.type != dtype::u32 && p.type != dtype::f32 && p.type != dtype::u64)
    return "elements other than u32, f32 and u64";
  return nullptr;
}

// Calls f(test) with the problem's test, compared<T>.
template <class F>
void with_test(const detail::select_impl::problem& p, F f) {
  const auto of = [&]<class T>(type_tag<T>) { f(compared<T>{p.test, p.threshold.as<T>()}); };
  if (p.type == dtype::u32) of(type_tag<std::uint32_t>{});
  if (p.type == dtype::f32) of(type_tag<float>{});
  if (p.type == dtype::u64) of(type_tag<std::uint64_t>{});
}

}  // namespace upsweep::textbook::select_variants
