// Sums of integers come and go exactly, so that their box may lose a row by a subtraction; that of floats may not.
#include "upsweep/cpu/simd_targets.hpp"
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "upsweep/summed_area_table/cpu/summed_area_table_box_rows.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <cstring>
#include <limits>

#include "upsweep/summed_area_table/cpu/summed_area_table_box_rows.hpp"
#include "upsweep/summed_area_table/summed_area_table_box.hpp"

HWY_BEFORE_NAMESPACE();
namespace upsweep::detail::summed_area_table_impl::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

using words = hn::ScalableTag<std::uint32_t>;

template <class In>
void slide(const void* come, const void* gone, std::uint64_t n, std::uint32_t* sums) {
  constexpr words d;
  const hn::Rebind<In, words> narrow;
  const In *a = static_cast<const In*>(come), *b = static_cast<const In*>(gone);
  const std::uint64_t lanes = hn::Lanes(d);
  std::uint64_t i = 0;
  for (; i + lanes <= n; i += lanes) {
    auto v = hn::LoadU(d, sums + i);
    if (a) v = hn::Add(v, hn::PromoteTo(d, hn::LoadU(narrow, a + i)));
    if (b) v = hn::Sub(v, hn::PromoteTo(d, hn::LoadU(narrow, b + i)));
    hn::StoreU(v, d, sums + i);
  }
  for (; i < n; ++i) sums[i] += (a ? a[i] : 0u) - (b ? b[i] : 0u);
}

template <class Part>
void join(const Part* a, const Part* b, std::uint64_t n, Part* to) {
  const hn::ScalableTag<Part> d;
  const std::uint64_t lanes = hn::Lanes(d);
  std::uint64_t i = 0;
  for (; i + lanes <= n; i += lanes) hn::StoreU(hn::Add(hn::LoadU(d, a + i), hn::LoadU(d, b + i)), d, to + i);
  for (; i < n; ++i) to[i] = a[i] + b[i];
}

void keep(const std::uint32_t* sums, std::uint64_t n, std::uint64_t, void* out) {
  std::memcpy(out, sums, n * sizeof *sums);
}

// A quotient that is not exactly a half differs from one by at least 1 / 2k. So the float quotient rounds like the
// exact one if the steps of float are finer than that.
template <class Out>
bool floats_do(std::uint64_t k) {
  return k <= 1 << 15 && k * std::numeric_limits<Out>::max() <= 1 << 23;
}

template <class In, class Out>
void mean(const std::uint32_t* sums, std::uint64_t n, std::uint64_t k, void* to) {
  using rule = box_mean_of<In, Out>;
  Out* out = static_cast<Out*>(to);
  std::uint64_t i = 0;
#if HWY_TARGET != HWY_SCALAR
  if constexpr (std::is_integral_v<Out>) {
    constexpr words d;
    const hn::RebindToSigned<words> ds;
    const hn::RebindToFloat<words> df;
    const hn::Rebind<Out, words> narrow;
    const std::uint64_t lanes = hn::Lanes(d);
    const auto divisor = hn::Set(df, static_cast<float>(k));
    if (floats_do<Out>(k))
      for (; i + lanes <= n; i += lanes) {
        const auto quotient = hn::Div(hn::ConvertTo(df, hn::BitCast(ds, hn::LoadU(d, sums + i))), divisor);
        hn::StoreU(hn::DemoteTo(narrow, hn::NearestInt(quotient)), narrow, out + i);
      }
  }
#if HWY_HAVE_FLOAT64
  // In doubles, whose steps are finer than any such distance; sums of 2^31 and more are left to the loop below.
  const hn::ScalableTag<double> dd;
  const hn::Rebind<std::int32_t, hn::ScalableTag<double>> half;
  const hn::Rebind<float, hn::ScalableTag<double>> single;
  const std::uint64_t lanes = hn::Lanes(dd);
  const auto divisor = hn::Set(dd, static_cast<double>(k));
  if (k * std::numeric_limits<In>::max() < std::uint64_t{1} << 31)
    for (; i + lanes <= n; i += lanes) {
      const auto sum = hn::LoadU(half, reinterpret_cast<const std::int32_t*>(sums + i));
      const auto quotient = hn::Div(hn::PromoteTo(dd, sum), divisor);
      if constexpr (std::is_integral_v<Out>) {
        const hn::Rebind<Out, hn::ScalableTag<double>> narrow;
        hn::StoreU(hn::DemoteTo(narrow, hn::DemoteTo(half, hn::Round(quotient))), narrow, out + i);
      } else {
        hn::StoreU(hn::DemoteTo(single, quotient), single, out + i);
      }
    }
#endif
#endif
  for (; i < n; ++i) out[i] = rule::result(sums[i], k);
}

box_kernels<std::uint32_t> narrow_box_for(box_result what, dtype in, dtype out) {
  const auto of = [&](auto slider, auto to_same, auto to_float) -> box_kernels<std::uint32_t> {
    if (what == box_result::sum && out == dtype::u32) return {slider, nullptr, join<std::uint32_t>, keep};
    if (what == box_result::mean && out == in) return {slider, nullptr, join<std::uint32_t>, to_same};
    if (what == box_result::mean && out == dtype::f32) return {slider, nullptr, join<std::uint32_t>, to_float};
    return {};
  };
  if (in == dtype::u8) return of(slide<std::uint8_t>, mean<std::uint8_t, std::uint8_t>, mean<std::uint8_t, float>);
  if (in == dtype::u16) return of(slide<std::uint16_t>, mean<std::uint16_t, std::uint16_t>, mean<std::uint16_t, float>);
  return {};
}

template <class In>
void to_accumulator(const void* in, std::uint64_t n, double* to) {
  const In* x = static_cast<const In*>(in);
  std::uint64_t i = 0;
#if HWY_HAVE_FLOAT64
  const hn::ScalableTag<double> d;
  const hn::Rebind<In, decltype(d)> narrow;
  for (const std::uint64_t lanes = hn::Lanes(d); i + lanes <= n; i += lanes) {
    if constexpr (sizeof(In) == 8)
      hn::StoreU(hn::LoadU(d, x + i), d, to + i);
    else
      hn::StoreU(hn::PromoteTo(d, hn::LoadU(narrow, x + i)), d, to + i);
  }
#endif
  for (; i < n; ++i) to[i] = x[i];
}

// The sum, or, of k elements, the mean.
template <box_result what, class Out>
void finish_floats(const double* sums, std::uint64_t n, std::uint64_t k, void* to) {
  Out* out = static_cast<Out*>(to);
  const double count = what == box_result::mean ? static_cast<double>(k) : 1;
  std::uint64_t i = 0;
#if HWY_HAVE_FLOAT64
  const hn::ScalableTag<double> d;
  const hn::Rebind<Out, decltype(d)> narrow;
  const auto divisor = hn::Set(d, count);
  for (const std::uint64_t lanes = hn::Lanes(d); i + lanes <= n; i += lanes) {
    auto v = hn::LoadU(d, sums + i);
    if constexpr (what == box_result::mean) v = hn::Div(v, divisor);
    if constexpr (sizeof(Out) == 8)
      hn::StoreU(v, d, out + i);
    else
      hn::StoreU(hn::DemoteTo(narrow, v), narrow, out + i);
  }
#endif
  for (; i < n; ++i) out[i] = static_cast<Out>(sums[i] / count);
}

box_kernels<double> float_box_for(box_result what, dtype in, dtype out) {
  if (!is_floating(in) || !is_floating(out) || what == box_result::variance) return {};
  box_kernels<double> k{nullptr, in == dtype::f32 ? to_accumulator<float> : to_accumulator<double>, join<double>,
                        nullptr};
  if (what == box_result::mean)
    k.finish = out == dtype::f32 ? finish_floats<box_result::mean, float> : finish_floats<box_result::mean, double>;
  else
    k.finish = out == dtype::f32 ? finish_floats<box_result::sum, float> : finish_floats<box_result::sum, double>;
  return k;
}

}  // namespace upsweep::detail::summed_area_table_impl::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace upsweep::detail::summed_area_table_impl {

UPSWEEP_EXPORT(narrow_box_for);
UPSWEEP_EXPORT(float_box_for);

box_kernels<std::uint32_t> find_narrow_box(box_result what, dtype in, dtype out) {
  return UPSWEEP_DISPATCH(narrow_box_for)(what, in, out);
}
box_kernels<double> find_float_box(box_result what, dtype in, dtype out) {
  return UPSWEEP_DISPATCH(float_box_for)(what, in, out);
}

}  // namespace upsweep::detail::summed_area_table_impl
#endif
