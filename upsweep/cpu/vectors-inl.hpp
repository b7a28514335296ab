// The built-in operators on vectors, compiled once per instruction set. Files that Highway compiles in this way include
// it.
#if defined(UPSWEEP_CPU_VECTORS_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef UPSWEEP_CPU_VECTORS_INL_HPP
#undef UPSWEEP_CPU_VECTORS_INL_HPP
#else
#define UPSWEEP_CPU_VECTORS_INL_HPP
#endif

#include <hwy/highway.h>

#include "upsweep/cpu/carry_chain.hpp"

HWY_BEFORE_NAMESPACE();
namespace upsweep::cpu::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// Integers are unsigned where the sign does not matter: they wrap, and one instantiation serves both.
template <class T, class Op>
using lane_of =
    std::conditional_t<std::is_integral_v<T> && !std::is_same_v<Op, minimum> && !std::is_same_v<Op, maximum>,
                       hwy::MakeUnsigned<T>, T>;

// The scalar operator that folds elements of logical operators, which are already 0 or 1.
template <class T, class Op>
using accumulator_op =
    std::conditional_t<std::is_same_v<Op, logical_and>,
                       std::conditional_t<std::is_floating_point_v<T>, minimum, bit_and>,
                       std::conditional_t<std::is_same_v<Op, logical_or>,
                                          std::conditional_t<std::is_floating_point_v<T>, maximum, bit_or>, Op>>;

template <class V>
HWY_INLINE V apply(plus, V a, V b) {
  return hn::Add(a, b);
}
template <class V>
HWY_INLINE V apply(multiplies, V a, V b) {
  return hn::Mul(a, b);
}
template <class V>
HWY_INLINE V apply(minimum, V a, V b) {
  return hn::Min(a, b);
}
template <class V>
HWY_INLINE V apply(maximum, V a, V b) {
  return hn::Max(a, b);
}
template <class V>
HWY_INLINE V apply(bit_and, V a, V b) {
  return hn::And(a, b);
}
template <class V>
HWY_INLINE V apply(bit_or, V a, V b) {
  return hn::Or(a, b);
}
template <class V>
HWY_INLINE V apply(bit_xor, V a, V b) {
  return hn::Xor(a, b);
}

// Loads elements of type T into the lanes of D. The lanes are wider than T for sums and products of f32.
template <class T, class D>
struct lanes_from {
  using narrow = hn::Rebind<T, D>;
  static HWY_INLINE hn::Vec<D> load(D d, const T* from) {
    if constexpr (std::is_same_v<T, hn::TFromD<D>>) {
      return hn::LoadU(d, from);
    } else {
      return hn::PromoteTo(d, hn::LoadU(narrow(), from));
    }
  }
  static HWY_INLINE void store(D d, hn::Vec<D> v, T* to) {
    if constexpr (std::is_same_v<T, hn::TFromD<D>>) {
      hn::StoreU(v, d, to);
    } else {
      hn::StoreU(hn::DemoteTo(narrow(), v), narrow(), to);
    }
  }
};

// hi + lo += x for vectors of unevaluated pairs. lo accumulates the rounding errors of hi.
template <class V>
HWY_INLINE void add_to_two(V& hi, V& lo, V x) {
  const V sum = hn::Add(hi, x), added = hn::Sub(sum, hi);
  lo = hn::Add(lo, hn::Add(hn::Sub(hi, hn::Sub(sum, added)), hn::Sub(x, added)));
  hi = sum;
}

}  // namespace upsweep::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
