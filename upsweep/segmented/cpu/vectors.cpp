// Scans of short runs in vector registers: where a run ends decides no branch.
//
// Within a vector, step s joins to a lane what stands 2^s lanes before it, unless a run begins between; the bits that
// say so come from the heads by shifts and ands of whole words. From vector to vector goes one lane, to those before
// the first head.
#include "upsweep/cpu/targets.hpp"
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "upsweep/segmented/cpu/vectors.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <cstring>

#include "upsweep/cpu/types.hpp"
#include "upsweep/cpu/vectors-inl.hpp"
#include "upsweep/segmented/cpu/vectors.hpp"

HWY_BEFORE_NAMESPACE();
namespace upsweep::cpu::HWY_NAMESPACE {

// Where lane i finds the one 2^s before it; lanes that have none find themselves. The last row: lane i - 1, of all.
template <class Index, int lanes>
struct lanes_before {
  alignas(64) Index at[4][lanes]{}, last[lanes]{}, next[lanes]{};

  constexpr lanes_before() {
    for (int i = 0; i < lanes; ++i) {
      for (int s = 0; s < 4; ++s) at[s][i] = static_cast<Index>(i < 1 << s ? i : i - (1 << s));
      last[i] = static_cast<Index>(lanes - 1);
      next[i] = static_cast<Index>((i + lanes - 1) % lanes);
    }
  }
};

template <bool Inclusive, class T, class Op>
void scan_runs(const void* in, std::uint64_t n, const std::uint64_t* heads, const void* init, void* out, void* carry) {
  using D = hn::ScalableTag<T>;
  using V = hn::Vec<D>;
  using Index = hwy::MakeSigned<T>;
  using Mask = decltype(hn::FirstN(D(), 1));
  using Carry = carry_of<T, Op>;
  constexpr D d;
  constexpr int lanes = static_cast<int>(hn::MaxLanes(D())), steps = hwy::CeilLog2(lanes);
  constexpr std::uint64_t all_lanes = lanes == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << lanes) - 1;
  const Op op;
  const T* x = static_cast<const T*>(in);
  T* y = static_cast<T*>(out);

  static constexpr lanes_before<Index, lanes> tables;
  const auto table = [&](const Index* at) HWY_ATTR { return hn::SetTableIndices(d, at); };
  const auto one = table(tables.at[0]), two = table(tables.at[1]), four = table(tables.at[2]),
             eight = table(tables.at[3]), to_last = table(tables.last), to_next = table(tables.next);
  const Mask lane_zero = hn::FirstN(d, 1);
  const V start = hn::Set(d, *static_cast<const T*>(init));
  Carry running = *static_cast<const Carry*>(carry);
  V before = hn::Set(d, static_cast<T>(running));

  const auto where = [&](std::uint64_t bits) HWY_ATTR {
    std::uint8_t bytes[8];
    std::memcpy(bytes, &bits, 8);
    return hn::LoadMaskBits(d, bytes);
  };
  const auto join = [&](V v, V with, std::uint64_t bits)
                        HWY_ATTR { return hn::IfThenElse(where(bits), apply(op, with, v), v); };
  // One vector, of which `begins` says where runs begin: its inclusive values but for what is before it.
  const auto within = [&](V v, std::uint64_t begins) HWY_ATTR {
    v = join(v, start, begins);
    std::uint64_t joined = ~begins & all_lanes & ~std::uint64_t{1};  // to the lane before
    if constexpr (steps > 0) v = join(v, hn::TableLookupLanes(v, one), joined);
    joined &= joined << 1;
    if constexpr (steps > 1) v = join(v, hn::TableLookupLanes(v, two), joined);
    joined &= joined << 2;
    if constexpr (steps > 2) v = join(v, hn::TableLookupLanes(v, four), joined);
    joined &= joined << 4;
    if constexpr (steps > 3) v = join(v, hn::TableLookupLanes(v, eight), joined);
    return v;
  };
  // After what is before it, which moves on.
  const auto result = [&](V alone, std::uint64_t begins) HWY_ATTR {
    const std::uint64_t open = ~begins & (begins - 1) & all_lanes;  // before the first head
    const V inclusive = join(alone, before, open);
    V r = inclusive;
    if constexpr (!Inclusive) {
      r = hn::IfThenElse(lane_zero, before, hn::TableLookupLanes(inclusive, to_next));
      r = hn::IfThenElse(where(begins), start, r);
    }
    if constexpr (std::is_same_v<Carry, T>) {
      before = hn::TableLookupLanes(inclusive, to_last);
    } else {
      running = (begins ? Carry{0} : running) + static_cast<Carry>(hn::GetLane(hn::TableLookupLanes(alone, to_last)));
      before = hn::Set(d, static_cast<T>(running));
    }
    return r;
  };

  std::uint64_t i = 0;
  for (; i + lanes <= n; i += lanes) {
    const std::uint64_t begins = heads[i / 64] >> i % 64 & all_lanes;
    hn::StoreU(result(within(hn::LoadU(d, x + i), begins), begins), d, y + i);
  }
  if (i < n) {
    const std::uint64_t count = n - i, begins = heads[i / 64] >> i % 64 & ((std::uint64_t{1} << count) - 1);
    alignas(64) T padded[lanes];
    hn::Store(hn::Set(d, identity_of<T>(op)), d, padded);
    std::memcpy(padded, x + i, count * sizeof(T));
    hn::Store(result(within(hn::Load(d, padded), begins), begins), d, padded);
    std::memcpy(y + i, padded, count * sizeof(T));
  }
  if constexpr (std::is_same_v<Carry, T>) running = hn::GetLane(before);
  *static_cast<Carry*>(carry) = running;
}

runs_scan_kernel runs_scan_for(dtype type, op_kind kind, bool inclusive) {
  runs_scan_kernel found = nullptr;
  with_types(type, kind, [&]<class T, class Op>(type_tag<T>, Op) {
    constexpr bool as_it_is = std::is_same_v<Op, lifted_op<T, Op>> && !std::is_same_v<Op, compose_affine>;
    constexpr bool sums_of_floats = std::is_same_v<T, float> && std::is_same_v<Op, plus>;
    if constexpr ((std::is_integral_v<T> && as_it_is) || sums_of_floats)
      found = inclusive ? scan_runs<true, lane_of<T, Op>, Op> : scan_runs<false, lane_of<T, Op>, Op>;
  });
  return found;
}

}  // namespace upsweep::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace upsweep::cpu {

UPSWEEP_EXPORT(runs_scan_for);

runs_scan_kernel find_runs_scan(dtype type, op_kind op, bool inclusive) {
  return UPSWEEP_DISPATCH(runs_scan_for)(type, op, inclusive);
}

}  // namespace upsweep::cpu
#endif
