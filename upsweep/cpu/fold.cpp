// The fold of one block. Eight vectors add up side by side, sixteen rows deep, then in a tree; the tree's value goes
// into a carry of twice the precision. So a sum's rounding error stays below 24 units in the last place of the sum of
// magnitudes, however long it is.
#include "upsweep/cpu/targets.hpp"
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "upsweep/cpu/fold.cpp"
#include <hwy/cache_control.h>
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <cstring>

#include "upsweep/cpu/fold.hpp"
#include "upsweep/cpu/types.hpp"
#include "upsweep/cpu/vectors-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace upsweep::cpu::HWY_NAMESPACE {

// x_0 ∘ … over the lanes, in all of them.
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

// One vector for up to 128 of them: eight chains of at most sixteen, and a tree. `rest` elements follow the last whole
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
    const V first = a;  // the chains take turns
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

// The two halves of a vector of floats, in twice the precision, in one.
template <class Op, class D>
HWY_INLINE auto widened(Op op, D, hn::Vec<D> v) {
  const hn::Half<D> half;
  return apply(op, hn::PromoteTo(wide_tag<D>(), hn::LowerHalf(half, v)),
               hn::PromoteTo(wide_tag<D>(), hn::UpperHalf(half, v)));
}
#endif

template <class T, class Op>
void fold(const void* in, std::uint64_t n, void* carry) {
  const hn::ScalableTag<T> d;
  constexpr std::uint64_t lanes = hn::MaxLanes(d);
  const T* x = static_cast<const T*>(in);
  const Op op;
  if constexpr (!carried_wide<T, Op>) {
    *static_cast<T*>(carry) = hn::GetLane(fold_lanes(d, op, fold_rows(d, op, x, n / lanes, n % lanes)));
  } else {
    constexpr std::uint64_t step = 128 * lanes;
    const wide_tag<decltype(d)> wide;
    auto hi = hn::Set(wide, identity_of<double>(op)), lo = hn::Zero(wide);
    for (std::uint64_t done = 0; done < n; done += step) {
      const std::uint64_t count = n - done < step ? n - done : step;
      const auto rows = fold_rows(d, op, x + done, count / lanes, count % lanes);
      if constexpr (std::is_same_v<T, float>) {
        hi = apply(op, hi, widened(op, d, rows));
      } else {
        add_to_two(hi, lo, rows);
      }
    }
    if constexpr (std::is_same_v<T, float>) {
      *static_cast<double*>(carry) = hn::GetLane(fold_lanes(wide, op, hi));
    } else {
      alignas(64) double his[lanes], los[lanes];
      hn::Store(hi, wide, his);
      hn::Store(lo, wide, los);
      for (std::uint64_t s = lanes / 2; s > 0; s /= 2)
        for (std::uint64_t i = 0; i < s; ++i) {
          const two_doubles both = join<T, Op>({his[i], los[i]}, {his[i + s], los[i + s]});
          his[i] = both.hi, los[i] = both.lo;
        }
      *static_cast<two_doubles*>(carry) = {his[0], los[0]};
    }
  }
}

fold_kernel fold_for(dtype type, op_kind kind) {
  fold_kernel found = nullptr;
  with_types(type, kind, [&]<class T, class Op>(type_tag<T>, Op) {
    if constexpr (!std::is_same_v<Op, compose_affine>) found = fold<lane_of<T, Op>, lifted_op<T, Op>>;
  });
  return found;
}

// Plain loops: compiled for each instruction set, the compiler vectorizes them.
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

fold_kernel find_fold(dtype type, op_kind op) { return UPSWEEP_DISPATCH(fold_for)(type, op); }
prepare_kernel find_prepare(dtype type, transform_kind f, op_kind op) {
  return UPSWEEP_DISPATCH(prepare_for)(type, f, is_logical(op));
}
void stream_copy(const void* from, void* to, std::uint64_t bytes) { UPSWEEP_DISPATCH(stream)(from, to, bytes); }
void end_stream() { hwy::FlushStream(); }

}  // namespace upsweep::cpu
#endif
