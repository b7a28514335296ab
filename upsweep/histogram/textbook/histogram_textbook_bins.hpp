// What a rung of histogram knows: samples of type T, and a function that says which of m even bins one falls into, or
// that it falls into none. Each sample's bin is one unit of work.
#pragma once

#include "upsweep/histogram/histogram_bins.hpp"
#include "upsweep/histogram/histogram_problem.hpp"

namespace upsweep::textbook::histogram_variants {

using detail::histogram_impl::no_bin;

inline const char* variant_cannot(const detail::histogram_impl::problem& p) {
  if (p.edges) return "custom bins";
  if (p.channels != 1) return "several channels";
  if (p.weighted) return "weights";
  if (p.type != dtype::u8 && p.type != dtype::u32 && p.type != dtype::f32) return "samples other than u8, u32 and f32";
  return nullptr;
}

// Calls f(type of the samples, the problem's bins).
template <class F>
void with_bins(const detail::histogram_impl::problem& p, F f) {
  const auto of = [&]<class T>(type_tag<T> type) {
    using bound = detail::histogram_impl::bound_of<T>;
    f(type, detail::histogram_impl::even_bins<T>::of(p.lower.as<bound>(), p.upper.as<bound>(), p.m));
  };
  if (p.type == dtype::u8) of(type_tag<std::uint8_t>{});
  if (p.type == dtype::u32) of(type_tag<std::uint32_t>{});
  if (p.type == dtype::f32) of(type_tag<float>{});
}

}  // namespace upsweep::textbook::histogram_variants
