// The scan of a run of elements in vector registers.
//
// Within a vector the lanes are scanned by Sklansky's network: log2(lanes) steps of one shuffle and one operation. Each
// step gives the upper half of every group the last value of the lower half. Four vectors at a time are joined in the
// same way, so the only dependency from one group to the next is one operation on the running value.
//
// Sums and products of f32 are computed in lanes of f64 and rounded once, when they are stored. So a scan of
// nonnegative elements never decreases within a run: Sklansky's network and the running value add to a lane only
// elements before it.
#include "upsweep/cpu/simd_targets.hpp"
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "upsweep/scan/cpu/scan_vectors.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <algorithm>
#include <cstring>

#include "upsweep/cpu/cpu_types.hpp"
#include "upsweep/cpu/vectors-inl.hpp"
#include "upsweep/scan/cpu/scan_vectors.hpp"

HWY_BEFORE_NAMESPACE();
namespace upsweep::cpu::HWY_NAMESPACE {

// The running value, in every lane of a vector, in the type of the lanes and in the type of the carry. The range is
// checked before anything is written: `local` is the result of the network for a group of vectors, `after` is the
// result after the running value. If fits() returns false, the elements of the group are scanned one by one, in the
// range of the carry.
template <class T, class Op, class D>
class running {
  using W = hn::TFromD<D>;
  using V = hn::Vec<D>;

 public:
  static constexpr bool checks = false;
  HWY_INLINE explicit running(D d, const void* carry) : value_(hn::Set(d, *static_cast<const W*>(carry))) {}
  HWY_INLINE V get() const { return value_; }
  HWY_INLINE void add(V total) { value_ = apply(Op{}, value_, total); }
  HWY_INLINE W leave() const { return hn::GetLane(value_); }

 private:
  V value_;
};

// The running value of sums of f64.
template <class D>
class running_two_doubles {
  using V = hn::Vec<D>;

 public:
  static constexpr bool checks = true;
  HWY_INLINE explicit running_two_doubles(D d, const void* carry) { begin(d, *static_cast<const two_doubles*>(carry)); }
  HWY_INLINE void begin(D d, const two_doubles& c) { hi_ = hn::Set(d, c.hi), lo_ = hn::Set(d, c.lo), far_ = c.far; }
  HWY_INLINE V get() const {
    const auto finite = hn::Lt(hn::Abs(hi_), hn::Set(D(), std::numeric_limits<double>::infinity()));
    return hn::IfThenElse(finite, hn::Add(hi_, lo_), hi_);
  }
  HWY_INLINE void add(V total) { add_to_two(hi_, lo_, total); }
  HWY_INLINE two_doubles leave() const { return {hn::GetLane(hi_), hn::GetLane(lo_), far_}; }
  template <class... Vs>
  HWY_INLINE bool fits(D d, V after, Vs... more) const {
    V sum = hn::Sub(after, after);  // NaN in lanes that are not finite
    ((sum = hn::Add(sum, hn::Sub(more, more))), ...);
    return !far_ && hn::AllTrue(d, hn::Eq(sum, sum));
  }
  template <class... Vs>
  HWY_INLINE bool fits_alone(D, V, Vs...) const {
    return true;
  }

 private:
  V hi_, lo_;
  bool far_;
};

// The running value of products of floats of type T.
template <class T, class D>
class running_product {
  using V = hn::Vec<D>;

 public:
  static constexpr bool checks = true;
  HWY_INLINE explicit running_product(D d, const void* carry) {
    begin(d, *static_cast<const core::scaled_product*>(carry));
  }
  HWY_INLINE void begin(D, const core::scaled_product& c) { value_ = c; }
  HWY_INLINE V get() const { return hn::Set(D(), static_cast<double>(value_)); }
  HWY_INLINE void add(V total) { value_ = value_ * core::scaled_product(hn::GetLane(total)); }
  HWY_INLINE core::scaled_product leave() const { return value_; }
  template <class... Vs>
  HWY_INLINE bool fits(D, V, Vs...) const {
    return true;
  }
  // If all lanes fit, the quotient of any two is in range, so no intermediate product of the network left the range.
  // The product of the running value and a lane is then in range, or 0 or infinite in any case.
  template <class... Vs>
  HWY_INLINE bool fits_alone(D d, V local, Vs... more) const {
    constexpr int beyond = std::is_same_v<T, float> ? 1500 : 2500;
    V least = hn::Abs(local), most = least;
    ((least = hn::Min(least, hn::Abs(more)), most = hn::Max(most, hn::Abs(more))), ...);
    const auto stays_in_range = hn::And(hn::Ge(least, hn::Set(d, core::scaled_product::low)),
                                        hn::Le(most, hn::Set(d, core::scaled_product::high)));
    const bool special = !(value_.m - value_.m == 0) || value_.m == 0;
    return (special || value_.e == 0 || value_.e >= beyond || value_.e <= -beyond) && hn::AllTrue(d, stays_in_range);
  }

 private:
  core::scaled_product value_;
};

template <class T, class Op, class D>
using running_for = std::conditional_t<
    carried_wide<T, Op> && std::is_same_v<Op, multiplies>, running_product<T, D>,
    std::conditional_t<std::is_same_v<carry_of<T, Op>, two_doubles>, running_two_doubles<D>, running<T, Op, D>>>;

// The indices of the network. In step s a lane whose bit s is set takes the last of the 2^s lanes before its own group
// of 2^s. They are constants, because a short run would spend more time on computing them than on its elements.
template <class Index, int lanes>
struct network {
  // Rows are as long as a vector, so every row has the alignment of the first.
  alignas(64) Index at[4][lanes]{}, member[4][lanes]{}, last[lanes]{}, next[lanes]{};

  constexpr network() {
    for (int i = 0; i < lanes; ++i) {
      for (int s = 0; s < 4; ++s) {
        member[s][i] = static_cast<Index>(i >> s & 1);
        at[s][i] = static_cast<Index>(member[s][i] ? (i >> s << s) - 1 : i);
      }
      last[i] = static_cast<Index>(lanes - 1);
      next[i] = static_cast<Index>((i + lanes - 1) % lanes);
    }
  }
};

// Scans elements one by one, in the range of the carry.
template <bool Inclusive, class T, class Op>
carry_of<T, Op> scan_in_range(const T* x, std::uint64_t n, T* y, carry_of<T, Op> all) {
  for (std::uint64_t i = 0; i < n; ++i) {
    const auto next = join<T, Op>(all, to_carry<T, Op>(x[i]));
    y[i] = from_carry<T, Op>(Inclusive ? next : all);
    all = next;
  }
  return all;
}

template <bool Inclusive, class T, class Op>
void scan(const void* in, std::uint64_t n, void* out, void* carry) {
  using W = std::conditional_t<carried_wide<T, Op>, double, T>;
  using D = hn::ScalableTag<W>;
  using V = hn::Vec<D>;
  using Index = hwy::MakeSigned<W>;
  using Carry = carry_of<T, Op>;
  using moved = lanes_from<T, D>;
  constexpr D d;
  constexpr int lanes = static_cast<int>(hn::MaxLanes(D())), steps = hwy::CeilLog2(lanes);
  const Op op;
  const T* x = static_cast<const T*>(in);
  T* y = static_cast<T*>(out);

  using Table = decltype(hn::SetTableIndices(d, static_cast<const Index*>(nullptr)));
  using Mask = decltype(hn::FirstN(d, 1));
  static constexpr network<Index, lanes> net;
  const auto table = [&](const Index* at) HWY_ATTR { return hn::SetTableIndices(d, at); };
  const auto mask = [&](const Index* member) HWY_ATTR {
    return hn::RebindMask(d, hn::Ne(hn::Load(hn::Rebind<Index, D>(), member), hn::Zero(hn::Rebind<Index, D>())));
  };
  const Table table0 = table(net.at[0]), table1 = table(net.at[1]), table2 = table(net.at[2]),
              table3 = table(net.at[3]);
  const Mask mask0 = mask(net.member[0]), mask1 = mask(net.member[1]), mask2 = mask(net.member[2]),
             mask3 = mask(net.member[3]);
  const Table to_last = table(net.last), to_next = table(net.next);
  const Mask first = hn::FirstN(d, 1);

  const auto take = [&](V v, Table from, Mask who)
                        HWY_ATTR { return hn::IfThenElse(who, apply(op, hn::TableLookupLanes(v, from), v), v); };
  const auto within = [&](V v) HWY_ATTR {
    if constexpr (steps > 0) v = take(v, table0, mask0);
    if constexpr (steps > 1) v = take(v, table1, mask1);
    if constexpr (steps > 2) v = take(v, table2, mask2);
    if constexpr (steps > 3) v = take(v, table3, mask3);
    return v;
  };
  const auto last = [&](V v) HWY_ATTR { return hn::TableLookupLanes(v, to_last); };
  // Shifts up by one lane and inserts the last lane of `before`, which has already been shifted.
  const auto enter = [&](V before, V moved) HWY_ATTR { return hn::IfThenElse(first, before, moved); };
  const auto up = [&](V v) HWY_ATTR { return hn::TableLookupLanes(v, to_next); };

  running_for<T, Op, D> run(d, carry);
  // Returns false if the group must be scanned one by one; the running value is then unchanged.
  const auto finish = [&](auto&... group) HWY_ATTR {
    if constexpr (decltype(run)::checks)
      if (!run.fits_alone(d, group...)) [[unlikely]]
        return false;
    const V before = run.get();
    V total = before;
    ((total = group), ...);  // the last
    ((group = apply(op, before, group)), ...);
    if constexpr (decltype(run)::checks)
      if (!run.fits(d, group...)) [[unlikely]]
        return false;
    run.add(last(total));
    if constexpr (!Inclusive) {
      V moved_in = before;
      const auto shift = [&](V& v) HWY_ATTR {
        const V moved_up = up(v);
        v = enter(moved_in, moved_up);
        moved_in = moved_up;
      };
      (shift(group), ...);
    }
    return true;
  };
  const auto one_by_one = [&](std::uint64_t first, std::uint64_t count) HWY_ATTR {
    if constexpr (decltype(run)::checks)
      run.begin(d, scan_in_range<Inclusive, T, Op>(x + first, count, y + first, run.leave()));
  };
  std::uint64_t i = 0;
  for (; i + 4 * lanes <= n; i += 4 * lanes) {
    V a = within(moved::load(d, x + i)), b = within(moved::load(d, x + i + lanes));
    V c = within(moved::load(d, x + i + 2 * lanes)), e = within(moved::load(d, x + i + 3 * lanes));
    b = apply(op, last(a), b);
    e = apply(op, last(c), e);
    const V half = last(b);
    c = apply(op, half, c);
    e = apply(op, half, e);
    if (!finish(a, b, c, e)) {
      one_by_one(i, 4 * lanes);
      continue;
    }
    moved::store(d, a, y + i);
    moved::store(d, b, y + i + lanes);
    moved::store(d, c, y + i + 2 * lanes);
    moved::store(d, e, y + i + 3 * lanes);
  }
  for (; i < n; i += lanes) {
    const std::uint64_t count = n - i < lanes ? n - i : lanes;
    alignas(64) T padded[lanes];
    std::fill_n(padded, lanes, identity_of<T>(op));
    std::memcpy(padded, x + i, count * sizeof(T));
    V a = within(moved::load(d, padded));
    if (!finish(a)) {
      one_by_one(i, count);
      continue;
    }
    moved::store(d, a, padded);
    std::memcpy(y + i, padded, count * sizeof(T));
  }
  *static_cast<Carry*>(carry) = run.leave();
}

scan_kernel scan_for(dtype type, op_kind kind, bool inclusive) {
  scan_kernel found = nullptr;
  with_types(type, kind, [&]<class T, class Op>(type_tag<T>, Op) {
    if constexpr (!std::is_same_v<Op, compose_affine>)
      found = inclusive ? scan<true, lane_of<T, Op>, accumulator_op<T, Op>>
                        : scan<false, lane_of<T, Op>, accumulator_op<T, Op>>;
  });
  return found;
}

}  // namespace upsweep::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace upsweep::cpu {

UPSWEEP_EXPORT(scan_for);

scan_kernel find_scan(dtype type, op_kind op, bool inclusive) {
  return UPSWEEP_DISPATCH(scan_for)(type, op, inclusive);
}

}  // namespace upsweep::cpu
#endif
