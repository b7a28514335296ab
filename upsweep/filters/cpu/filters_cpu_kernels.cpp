#include "upsweep/cpu/simd_targets.hpp"
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "upsweep/filters/cpu/filters_cpu_kernels.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <hwy/contrib/math/math-inl.h>

#include "upsweep/filters/cpu/filters_cpu_kernels.hpp"

HWY_BEFORE_NAMESPACE();
namespace upsweep::cpu::HWY_NAMESPACE {
namespace filters {

namespace hn = hwy::HWY_NAMESPACE;

// At most sixteen lanes, so that a line's last step is a whole number of vectors.
using floats_tag = hn::CappedTag<float, 16>;
using orders_tag = hn::RebindToSigned<floats_tag>;
using floats = hn::Vec<floats_tag>;
using orders = hn::Vec<orders_tag>;

// ---- median

// Maps floats to integers of the same order, NaN last, and back.
HWY_INLINE orders order_of(floats v) {
  const orders_tag d;
  const orders bits = hn::BitCast(d, v);
  const orders order = hn::Xor(bits, hn::And(hn::BroadcastSignBit(bits), hn::Set(d, 0x7fffffff)));
  return hn::IfThenElse(hn::RebindMask(d, hn::IsNaN(v)), hn::Set(d, 0x7fffffff), order);
}
HWY_INLINE floats value_of(orders order) {
  const orders_tag d;
  return hn::BitCast(floats_tag(), hn::Xor(order, hn::And(hn::BroadcastSignBit(order), hn::Set(d, 0x7fffffff))));
}

HWY_INLINE void exchange(orders& a, orders& b) {
  const orders smaller = hn::Min(a, b);
  b = hn::Max(a, b);
  a = smaller;
}

// Of half a window and two more elements neither the smallest nor the largest can be the median; both are dropped,
// another element is added, and so on.
template <int n, int size>
HWY_INLINE void put_extremes_outside(orders (&v)[size]) {
  for (int i = 0; i < n / 2; ++i) exchange(v[i], v[n - 1 - i]);
  for (int i = 1; i < (n + 1) / 2; ++i) exchange(v[0], v[i]);
  for (int i = n / 2; i < n - 1; ++i) exchange(v[i], v[n - 1]);
}
template <int n, int wide, int size>
HWY_INLINE orders middle_of(orders (&v)[size], const float* const* lines, std::uint64_t x) {
  put_extremes_outside<n>(v);
  if constexpr (n > 3) {
    constexpr int next = size + size - n;
    v[0] = order_of(hn::LoadU(floats_tag(), lines[next / wide] + x + next % wide));
    return middle_of<n - 1, wide>(v, lines, x);
  } else {
    return v[1];
  }
}

template <int radius>
void medians(const median_row& row) {
  constexpr int wide = 2 * radius + 1, kept = wide * wide / 2 + 2;
  for (std::uint64_t x = 0; x < row.count; x += hn::Lanes(floats_tag())) {
    orders some[kept];
    for (int i = 0; i < kept; ++i) some[i] = order_of(hn::LoadU(floats_tag(), row.lines[i / wide] + x + i % wide));
    hn::StoreU(value_of(middle_of<kept, wide>(some, row.lines, x)), floats_tag(), row.out + x);
  }
}

void median(const median_row& row) {
  switch (row.radius) {
    case 1: return medians<1>(row);
    case 2: return medians<2>(row);
    default: return medians<3>(row);
  }
}

// ---- bilateral

template <int channels>
void means(const bilateral_row& row) {
  const floats_tag d;
  const floats per_colour = hn::Set(d, row.per_colour), most = hn::Set(d, 17.0f);
  for (std::uint64_t x = 0; x < row.count; x += hn::Lanes(d)) {
    floats here[channels], sums[channels], weights = hn::Zero(d);
    for (int c = 0; c < channels; ++c) here[c] = hn::LoadU(d, row.planes[c] + x), sums[c] = hn::Zero(d);
    for (std::uint64_t i = 0; i < row.pixels; ++i) {
      floats there[channels], distance = hn::Zero(d);
      for (int c = 0; c < channels; ++c) {
        there[c] = hn::LoadU(d, row.planes[c] + static_cast<std::ptrdiff_t>(x) + row.offsets[i]);
        const floats by = hn::Sub(there[c], here[c]);
        distance = hn::MulAdd(by, by, distance);
      }
      const floats far = hn::Mul(distance, per_colour);
      const floats weight =
          hn::IfThenElseZero(hn::Lt(far, most), hn::Exp(d, hn::Neg(hn::Add(far, hn::Set(d, row.exponents[i])))));
      for (int c = 0; c < channels; ++c) sums[c] = hn::MulAdd(weight, there[c], sums[c]);
      weights = hn::Add(weights, weight);
    }
    // The pixel itself has the weight 1, unless it is NaN.
    for (int c = 0; c < channels; ++c) hn::StoreU(hn::Div(sums[c], weights), d, row.out[c] + x);
  }
}

void bilateral(const bilateral_row& row) {
  switch (row.channels) {
    case 1: return means<1>(row);
    case 2: return means<2>(row);
    case 3: return means<3>(row);
    default: return means<4>(row);
  }
}

}  // namespace filters

median_kernel filters_median() { return filters::median; }
bilateral_kernel filters_bilateral() { return filters::bilateral; }

}  // namespace upsweep::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace upsweep::cpu {

UPSWEEP_EXPORT(filters_median);
UPSWEEP_EXPORT(filters_bilateral);

median_kernel median_by_forgetting() { return UPSWEEP_DISPATCH(filters_median)(); }
bilateral_kernel bilateral_means() { return UPSWEEP_DISPATCH(filters_bilateral)(); }

}  // namespace upsweep::cpu
#endif
