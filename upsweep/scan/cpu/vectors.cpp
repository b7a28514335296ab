// The scan of a run of elements in vector registers.
//
// Within a vector the lanes are scanned by Sklansky's network: log2(lanes) steps of one shuffle and one operation, each
// step giving the upper half of every group the last value of the lower. Four vectors at a time are joined in the same
// way, so that the only chain from one group to the next is one operation on the running value.
#include "upsweep/cpu/targets.hpp"
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "upsweep/scan/cpu/vectors.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <cstring>

#include "upsweep/cpu/types.hpp"
#include "upsweep/cpu/vectors-inl.hpp"
#include "upsweep/scan/cpu/vectors.hpp"

HWY_BEFORE_NAMESPACE();
namespace upsweep::cpu::HWY_NAMESPACE {

// The running value, in every lane of a vector, as the elements' type and as it is carried.
template <class T, class Op, class D>
class running {
 public:
  HWY_INLINE explicit running(D, const void* carry) : value_(hn::Set(D(), *static_cast<const T*>(carry))) {}
  HWY_INLINE hn::Vec<D> get() const { return value_; }
  HWY_INLINE void add(hn::Vec<D> total) { value_ = apply(Op{}, value_, total); }
  HWY_INLINE void leave(void* carry) const { *static_cast<T*>(carry) = hn::GetLane(value_); }

 private:
  hn::Vec<D> value_;
};

#if HWY_TARGET == HWY_SCALAR
template <class D>
using half_of = D;
template <class D>
HWY_INLINE hn::Vec<D> both_halves(D, hn::Vec<D> v) {
  return v;
}
#else
template <class D>
using half_of = hn::Half<D>;
template <class D>
HWY_INLINE hn::Vec<D> both_halves(D d, hn::Vec<hn::Half<D>> v) {
  return hn::Combine(d, v, v);
}
#endif

template <class D>
class running_double {
  using half = half_of<D>;
  using wide = hn::Rebind<double, half>;

 public:
  HWY_INLINE running_double(D, const void* carry) : value_(hn::Set(wide(), *static_cast<const double*>(carry))) {}
  HWY_INLINE hn::Vec<D> get() const { return both_halves(D(), hn::DemoteTo(half(), value_)); }
  HWY_INLINE void add(hn::Vec<D> total) {
    value_ = hn::Add(value_, hn::PromoteTo(wide(), hn::LowerHalf(half(), total)));
  }
  HWY_INLINE void leave(void* carry) const { *static_cast<double*>(carry) = hn::GetLane(value_); }

 private:
  hn::Vec<wide> value_;
};

template <class D>
class running_two_doubles {
 public:
  HWY_INLINE running_two_doubles(D d, const void* carry)
      : hi_(hn::Set(d, static_cast<const two_doubles*>(carry)->hi)),
        lo_(hn::Set(d, static_cast<const two_doubles*>(carry)->lo)) {}
  HWY_INLINE hn::Vec<D> get() const {
    const auto finite = hn::Lt(hn::Abs(hi_), hn::Set(D(), std::numeric_limits<double>::infinity()));
    return hn::IfThenElse(finite, hn::Add(hi_, lo_), hi_);
  }
  HWY_INLINE void add(hn::Vec<D> total) { add_to_two(hi_, lo_, total); }
  HWY_INLINE void leave(void* carry) const { *static_cast<two_doubles*>(carry) = {hn::GetLane(hi_), hn::GetLane(lo_)}; }

 private:
  hn::Vec<D> hi_, lo_;
};

template <class T, class Op, class D>
using running_for =
    std::conditional_t<!carried_wide<T, Op>, running<T, Op, D>,
                       std::conditional_t<std::is_same_v<T, float>, running_double<D>, running_two_doubles<D>>>;

// Step s: a lane whose bit s is set takes the last value of the 2^s lanes before its own 2^s. Known before the program
// runs: a short run would spend more on making it than on its elements.
template <class Index, int lanes>
struct network {
  // Rows are as long as a vector, so each is aligned as the first.
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

template <bool Inclusive, class T, class Op>
void scan(const void* in, std::uint64_t n, void* out, void* carry) {
  using D = hn::ScalableTag<T>;
  using V = hn::Vec<D>;
  using Index = hwy::MakeSigned<T>;
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
  // Moves up by one lane and lets in the last lane of `before`, which is moved up already.
  const auto enter = [&](V before, V moved) HWY_ATTR { return hn::IfThenElse(first, before, moved); };
  const auto up = [&](V v) HWY_ATTR { return hn::TableLookupLanes(v, to_next); };

  running_for<T, Op, D> run(d, carry);
  std::uint64_t i = 0;
  for (; i + 4 * lanes <= n; i += 4 * lanes) {
    V a = within(hn::LoadU(d, x + i)), b = within(hn::LoadU(d, x + i + lanes));
    V c = within(hn::LoadU(d, x + i + 2 * lanes)), e = within(hn::LoadU(d, x + i + 3 * lanes));
    b = apply(op, last(a), b);
    e = apply(op, last(c), e);
    const V half = last(b);
    c = apply(op, half, c);
    e = apply(op, half, e);
    const V before = run.get();
    run.add(last(e));
    a = apply(op, before, a);
    b = apply(op, before, b);
    c = apply(op, before, c);
    e = apply(op, before, e);
    if constexpr (!Inclusive) {
      const V ua = up(a), ub = up(b), uc = up(c), ue = up(e);
      a = enter(before, ua);
      b = enter(ua, ub);
      c = enter(ub, uc);
      e = enter(uc, ue);
    }
    hn::StoreU(a, d, y + i);
    hn::StoreU(b, d, y + i + lanes);
    hn::StoreU(c, d, y + i + 2 * lanes);
    hn::StoreU(e, d, y + i + 3 * lanes);
  }
  for (; i < n; i += lanes) {
    const std::uint64_t count = n - i < lanes ? n - i : lanes;
    alignas(64) T padded[lanes];
    hn::Store(hn::Set(d, identity_of<T>(op)), d, padded);
    std::memcpy(padded, x + i, count * sizeof(T));
    V a = within(hn::Load(d, padded));
    const V before = run.get();
    run.add(last(a));
    a = apply(op, before, a);
    if constexpr (!Inclusive) a = enter(before, up(a));
    hn::Store(a, d, padded);
    std::memcpy(y + i, padded, count * sizeof(T));
  }
  run.leave(carry);
}

scan_kernel scan_for(dtype type, op_kind kind, bool inclusive) {
  scan_kernel found = nullptr;
  with_types(type, kind, [&]<class T, class Op>(type_tag<T>, Op) {
    if constexpr (!std::is_same_v<Op, compose_affine>)
      found = inclusive ? scan<true, lane_of<T, Op>, lifted_op<T, Op>> : scan<false, lane_of<T, Op>, lifted_op<T, Op>>;
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
