// The fold of one block. Eight vectors are accumulated independently, sixteen rows deep, then joined in a tree. The
// value of the tree is added to a carry of twice the precision. So the rounding error of a sum stays below 24 units in
// the last place of the sum of magnitudes, however long it is.
#include "upsweep/cpu/simd_targets.hpp"
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "upsweep/cpu/fold.cpp"
#include <hwy/cache_control.h>
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <cstring>

#include "upsweep/cpu/cpu_types.hpp"
#include "upsweep/cpu/fold.hpp"
#include "upsweep/cpu/vectors-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace upsweep::cpu::HWY_NAMESPACE {

// x_0 ∘ x_1 ∘ … over the lanes; every lane of the result has the value.
template <class Op, class D, class V = hn::Vec<D>>
HWY_INLINE V fold_lanes(D d, Op op, V v) {
  using Index = hwy::MakeSigned<hn::TFromD<D>>;
  constexpr int lanes = hn::MaxLanes(D());
  alignas(64) Index other[lanes];
  for (int s = lanes / 2; s > 0; s /= 2) {
    for (int i = 0; i < lanes; ++i) other[i] = i ^ s;
    v = apply(op, v, hn::TableLookupLanes(v, hn::SetTableIndices(d, other)));
  }
  return v;
}

// Folds up to 128 vectors into one: eight chains of at most sixteen, and a tree. `rest` elements follow the last whole
// vector.
template <class Op, class D, class V = hn::Vec<D>>
HWY_INLINE V fold_rows(D d, Op op, const hn::TFromD<D>* x, std::uint64_t vectors, std::uint64_t rest) {
  using T = hn::TFromD<D>;
  constexpr std::uint64_t lanes = hn::MaxLanes(D());
  const V none = hn::Set(d, identity_of<T>(op));
  V a = none, b = none, c = none, e = none, f = none, g = none, h = none, k = none;
  for (; vectors >= 8; vectors -= 8, x += 8 * lanes) {
    a = apply(op, a, hn::LoadU(d, x));
    b = apply(op, b, hn::LoadU(d, x + lanes));
    c = apply(op, c, hn::LoadU(d, x + 2 * lanes));
    e = apply(op, e, hn::LoadU(d, x + 3 * lanes));
    f = apply(op, f, hn::LoadU(d, x + 4 * lanes));
    g = apply(op, g, hn::LoadU(d, x + 5 * lanes));
    h = apply(op, h, hn::LoadU(d, x + 6 * lanes));
    k = apply(op, k, hn::LoadU(d, x + 7 * lanes));
  }
  for (; vectors > 0; --vectors, x += lanes) {
    const V first = a;  // the chains alternate
    a = b, b = c, c = e, e = f, f = g, g = h, h = k;
    k = apply(op, first, hn::LoadU(d, x));
  }
  if (rest) {
    alignas(64) T padded[lanes];
    hn::Store(none, d, padded);
    std::memcpy(padded, x, rest * sizeof(T));
    a = apply(op, a, hn::Load(d, padded));
  }
  return apply(op, apply(op, apply(op, a, b), apply(op, c, e)), apply(op, apply(op, f, g), apply(op, h, k)));
}

#if HWY_TARGET == HWY_SCALAR
template <class D>
using wide_tag = hn::Rebind<double, D>;

template <class Op, class D>
HWY_INLINE auto widened(Op, D, hn::Vec<D> v) {
  return hn::PromoteTo(wide_tag<D>(), v);
}
#else
template <class D>
using wide_tag = hn::Repartition<double, D>;

// Converts the two halves of a vector of f32 to f64 and folds them into one vector.
template <class Op, class D>
HWY_INLINE auto widened(Op op, D, hn::Vec<D> v) {
  const hn::Half<D> half;
  return apply(op, hn::PromoteTo(wide_tag<D>(), hn::LowerHalf(half, v)),
               hn::PromoteTo(wide_tag<D>(), hn::UpperHalf(half, v)));
}
#endif

// The fold of n elements one by one, with the range of a carry at each step.
template <class T, class Op>
carry_of<T, Op> fold_in_range(const T* x, std::uint64_t n) {
  carry_of<T, Op> all = to_carry<T, Op>(identity_of<T>(Op{}));
  for (std::uint64_t i = 0; i < n; ++i) all = join<T, Op>(all, to_carry<T, Op>(x[i]));
  return all;
}

// Returns m with the exponent of every normal number removed and added to e.
template <class D, class V = hn::Vec<D>, class E>
HWY_INLINE V without_exponent(D d, V m, E& e) {
  const hn::RebindToSigned<D> whole;
  const auto bits = hn::BitCast(whole, m), mask = hn::Set(whole, std::int64_t{0x7ff} << 52);
  const auto exponent = hn::And(bits, mask), one = hn::Set(whole, std::int64_t{1023} << 52);
  const auto special = hn::Or(hn::Eq(exponent, hn::Zero(whole)), hn::Eq(exponent, mask));  // 0, infinite or NaN
  e = hn::Add(e, hn::IfThenZeroElse(special, hn::ShiftRight<52>(hn::Sub(exponent, one))));
  return hn::BitCast(d, hn::IfThenElse(special, bits, hn::Or(hn::AndNot(mask, bits), one)));
}

// Products of floats: every lane has a mantissa below 2 and an exponent, so no intermediate product overflows.
template <class T>
void fold_product(const void* in, std::uint64_t n, void* carry) {
  const hn::ScalableTag<double> d;
  const hn::RebindToSigned<decltype(d)> whole;
  constexpr std::uint64_t lanes = hn::MaxLanes(d);
  const T* x = static_cast<const T*>(in);
  auto a = hn::Set(d, 1.0), b = a;
  auto e = hn::Zero(whole);
  const auto load = [&](const T* from) HWY_ATTR {
    if constexpr (std::is_same_v<T, float>) {
      return hn::PromoteTo(d, hn::LoadU(hn::Rebind<float, decltype(d)>(), from));
    } else {
      const auto v = hn::LoadU(d, from);
      const auto subnormal = hn::Lt(hn::Abs(v), hn::Set(d, 0x1p-1022));
      e = hn::Sub(e, hn::IfThenElseZero(hn::RebindMask(whole, subnormal), hn::Set(whole, 64)));
      return without_exponent(d, hn::IfThenElse(subnormal, hn::Mul(v, hn::Set(d, 0x1p64)), v), e);
    }
  };
  // The product of a mantissa and four f32 of at least 2^-149 stays in the range of f64.
  for (; n >= 8 * lanes; n -= 8 * lanes, x += 8 * lanes) {
    a = hn::Mul(hn::Mul(a, load(x)), hn::Mul(load(x + lanes), load(x + 2 * lanes)));
    b = hn::Mul(hn::Mul(b, load(x + 3 * lanes)), hn::Mul(load(x + 4 * lanes), load(x + 5 * lanes)));
    a = without_exponent(d, hn::Mul(a, load(x + 6 * lanes)), e);
    b = without_exponent(d, hn::Mul(b, load(x + 7 * lanes)), e);
  }
  for (; n >= lanes; n -= lanes, x += lanes) a = without_exponent(d, hn::Mul(a, load(x)), e);
  alignas(64) double mantissas[lanes];
  alignas(64) std::int64_t exponents[lanes];
  hn::Store(hn::Mul(a, b), d, mantissas);
  hn::Store(e, whole, exponents);
  core::scaled_product all;
  for (std::uint64_t i = 0; i < lanes; ++i) all = all * core::scaled_product::of(mantissas[i], exponents[i]);
  *static_cast<core::scaled_product*>(carry) = all * fold_in_range<T, multiplies>(x, n);
}

template <class T, class Op>
void fold(const void* in, std::uint64_t n, void* carry) {
  const hn::ScalableTag<T> d;
  constexpr std::uint64_t lanes = hn::MaxLanes(d);
  const T* x = static_cast<const T*>(in);
  const Op op;
  if constexpr (carried_wide<T, Op> && std::is_same_v<Op, multiplies>) {
    fold_product<T>(in, n, carry);
  } else if constexpr (!carried_wide<T, Op>) {
    *static_cast<T*>(carry) = hn::GetLane(fold_lanes(d, op, fold_rows(d, op, x, n / lanes, n % lanes)));
  } else {
    constexpr std::uint64_t step = 128 * lanes;
    const wide_tag<decltype(d)> wide;
    auto hi = hn::Set(wide, identity_of<double>(op)), lo = hn::Zero(wide);
    [[maybe_unused]] double apart = 0;  // for floats: the sums of steps in which a lane left the range
    for (std::uint64_t done = 0; done < n; done += step) {
      const std::uint64_t count = n - done < step ? n - done : step;
      const auto rows = fold_rows(d, op, x + done, count / lanes, count % lanes);
      if constexpr (std::is_same_v<T, float>) {
        const auto difference = hn::Sub(rows, rows);  // NaN in lanes that are not finite
        if (hn::AllTrue(d, hn::Eq(difference, difference))) [[likely]]
          hi = apply(op, hi, widened(op, d, rows));
        else if (!std::isnan(apart))
          apart += fold_in_range<T, Op>(x + done, count);
      } else {
        add_to_two(hi, lo, rows);
      }
    }
    if constexpr (std::is_same_v<T, float>) {
      *static_cast<double*>(carry) = hn::GetLane(fold_lanes(wide, op, hi)) + apart;
    } else {
      alignas(64) double his[lanes], los[lanes];
      hn::Store(hi, wide, his);
      hn::Store(lo, wide, los);
      two_doubles both[lanes];
      for (std::uint64_t i = 0; i < lanes; ++i) both[i] = {his[i], los[i]};
      for (std::uint64_t s = lanes / 2; s > 0; s /= 2)
        for (std::uint64_t i = 0; i < s; ++i) both[i] = join<T, Op>(both[i], both[i + s]);
      two_doubles all = both[0];
      if (!std::isfinite(all.hi)) [[unlikely]]
        all = fold_in_range<T, Op>(x, n);
      *static_cast<two_doubles*>(carry) = all;
    }
  }
}

void fold_in_f64(const void* in, std::uint64_t n, void* carry) {
  const hn::ScalableTag<double> d;
  const hn::Rebind<float, decltype(d)> narrow;
  constexpr std::uint64_t lanes = hn::MaxLanes(d);
  const float* x = static_cast<const float*>(in);
  auto a = hn::Zero(d), b = a, c = a, e = a;
  const auto load = [&](const float* from) HWY_ATTR { return hn::PromoteTo(d, hn::LoadU(narrow, from)); };
  for (; n >= 4 * lanes; n -= 4 * lanes, x += 4 * lanes) {
    a = hn::Add(a, load(x)), b = hn::Add(b, load(x + lanes));
    c = hn::Add(c, load(x + 2 * lanes)), e = hn::Add(e, load(x + 3 * lanes));
  }
  double sum = hn::GetLane(fold_lanes(d, plus{}, hn::Add(hn::Add(a, b), hn::Add(c, e))));
  for (std::uint64_t i = 0; i < n; ++i) sum += x[i];
  *static_cast<double*>(carry) = sum;
}

fold_kernel fold_for(dtype type, op_kind kind, bool in_f64) {
  if (in_f64 && type == dtype::f32 && kind == op_kind::plus) return fold_in_f64;
  fold_kernel found = nullptr;
  with_types(type, kind, [&]<class T, class Op>(type_tag<T>, Op) {
    if constexpr (!std::is_same_v<Op, compose_affine>) found = fold<lane_of<T, Op>, accumulator_op<T, Op>>;
  });
  return found;
}

// Plain loops. They are compiled for each instruction set, and the compiler vectorizes them.
template <class T, class F, bool Logical>
void prepare(const void* in, std::uint64_t n, void* out) {
  const T* x = static_cast<const T*>(in);
  T* y = static_cast<T*>(out);
  for (std::uint64_t i = 0; i < n; ++i) {
    const T v = F{}(x[i]);
    y[i] = Logical ? T(v != T(0)) : v;
  }
}

template <class T, bool Logical>
prepare_kernel prepare_with(transform_kind f) {
  switch (f) {
    case transform_kind::identity: return prepare<T, identity, Logical>;
    case transform_kind::negate: return prepare<T, negate, Logical>;
    case transform_kind::absolute: return prepare<T, absolute, Logical>;
    case transform_kind::square: break;
  }
  return prepare<T, square, Logical>;
}

prepare_kernel prepare_for(dtype type, transform_kind f, bool logical) {
  return with_type(
      type, [&]<class T>(type_tag<T>) { return logical ? prepare_with<T, true>(f) : prepare_with<T, false>(f); });
}

void stream(const void* from, void* to, std::uint64_t bytes) {
  const hn::ScalableTag<std::uint8_t> d;
  constexpr std::uint64_t width = hn::MaxLanes(d);
  const auto* source = static_cast<const std::uint8_t*>(from);
  auto* target = static_cast<std::uint8_t*>(to);
  const std::uint64_t head = (0 - reinterpret_cast<std::uintptr_t>(target)) % width;
  std::uint64_t done = head < bytes ? head : bytes;
  std::memcpy(target, source, done);
  for (; done + width <= bytes; done += width) hn::Stream(hn::LoadU(d, source + done), d, target + done);
  std::memcpy(target + done, source + done, bytes - done);
}

}  // namespace upsweep::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace upsweep::cpu {

UPSWEEP_EXPORT(fold_for);
UPSWEEP_EXPORT(prepare_for);
UPSWEEP_EXPORT(stream);

fold_kernel find_fold(dtype type, op_kind op, bool in_f64) { return UPSWEEP_DISPATCH(fold_for)(type, op, in_f64); }
prepare_kernel find_prepare(dtype type, transform_kind f, op_kind op) {
  return UPSWEEP_DISPATCH(prepare_for)(type, f, is_logical(op));
}
void stream_copy(const void* from, void* to, std::uint64_t bytes) { UPSWEEP_DISPATCH(stream)(from, to, bytes); }
void end_stream() { hwy::FlushStream(); }

}  // namespace upsweep::cpu
#endif
