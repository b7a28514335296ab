// In doubles: with a large sigma the poles are near the unit circle, and the rounding errors of floats grow with the
// fourth power of sigma.
#include "upsweep/cpu/simd_targets.hpp"
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "upsweep/filters/cpu/filters_recursive_lines.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "upsweep/filters/cpu/filters_recursive_lines.hpp"

HWY_BEFORE_NAMESPACE();
namespace upsweep::detail::filters_impl::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

#if HWY_HAVE_FLOAT64

using doubles = hn::ScalableTag<double>;
using values = hn::Vec<doubles>;

// The previous elements and results of one direction, for one vector of lines.
struct memory_of {
  values x[4], y[4];
  HWY_INLINE memory_of() {}  // a defaulted one would lack the target's instructions, as with g++ for Arm
};

// The next result, from x[0], the newest element, and those before it.
HWY_INLINE values next(memory_of& m, const values (&take)[4], const values (&back)[4]) {
  values sum = hn::Mul(take[0], m.x[0]);
  for (int k = 1; k < 4; ++k) sum = hn::MulAdd(take[k], m.x[k], sum);
  // The latest result is added last, because the next one depends on it.
  for (int k = 3; k >= 0; --k) sum = hn::NegMulAdd(back[k], m.y[k], sum);
  for (int k = 3; k > 0; --k) m.x[k] = m.x[k - 1], m.y[k] = m.y[k - 1];
  m.y[0] = sum;
  return sum;
}

void run(const recursion& r, const float* x, float* y, std::uint64_t n) {
  constexpr doubles d;
  constexpr hn::Rebind<float, doubles> narrow;
  constexpr std::uint64_t lanes = hn::MaxLanes(doubles()), vectors = recursive_lines / lanes;
  values ahead[4], behind[4], back[4];
  for (int k = 0; k < 4; ++k)
    ahead[k] = hn::Set(d, r.ahead[k]), behind[k] = hn::Set(d, r.behind[k]), back[k] = hn::Set(d, r.back[k]);
  memory_of m[vectors];
  const auto forget = [&]() HWY_ATTR {
    for (auto& one : m)
      for (int k = 0; k < 4; ++k) one.x[k] = one.y[k] = hn::Zero(d);
  };
  forget();
  for (std::uint64_t i = 0; i < n; ++i)
    for (std::uint64_t v = 0; v < vectors; ++v) {
      const std::uint64_t at = i * recursive_lines + v * lanes;
      m[v].x[0] = hn::PromoteTo(d, hn::LoadU(narrow, x + at));
      hn::StoreU(hn::DemoteTo(narrow, next(m[v], ahead, back)), narrow, y + at);
    }
  forget();
  for (std::uint64_t i = n; i-- > 0;)
    for (std::uint64_t v = 0; v < vectors; ++v) {
      const std::uint64_t at = i * recursive_lines + v * lanes;
      // x[0] is the element after this one: zero beyond the end.
      if (i + 1 < n) m[v].x[0] = hn::PromoteTo(d, hn::LoadU(narrow, x + at + recursive_lines));
      const auto whole = hn::Add(hn::PromoteTo(d, hn::LoadU(narrow, y + at)), next(m[v], behind, back));
      hn::StoreU(hn::DemoteTo(narrow, whole), narrow, y + at);
    }
}

#else

void run(const recursion& r, const float* x, float* y, std::uint64_t n) {
  for (std::uint64_t line = 0; line < recursive_lines; ++line) {
    const auto at = [&](std::uint64_t i) { return i * recursive_lines + line; };
    double xs[5]{}, ys[4]{};
    const auto next = [&](const double(&take)[4], double in) {
      xs[0] = in;
      double sum = 0;
      for (int k = 0; k < 4; ++k) sum += take[k] * xs[k] - r.back[k] * ys[k];
      for (int k = 3; k > 0; --k) xs[k] = xs[k - 1], ys[k] = ys[k - 1];
      return ys[0] = sum;
    };
    for (std::uint64_t i = 0; i < n; ++i) y[at(i)] = static_cast<float>(next(r.ahead, x[at(i)]));
    for (int k = 0; k < 4; ++k) xs[k] = ys[k] = 0;
    for (std::uint64_t i = n; i-- > 0;)
      y[at(i)] += static_cast<float>(next(r.behind, i + 1 < n ? static_cast<double>(x[at(i + 1)]) : 0));
  }
}

#endif

}  // namespace upsweep::detail::filters_impl::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace upsweep::detail::filters_impl {

UPSWEEP_EXPORT(run);

void run_recursion(const recursion& r, const float* x, float* y, std::uint64_t n) { UPSWEEP_DISPATCH(run)(r, x, y, n); }

}  // namespace upsweep::detail::filters_impl
#endif
