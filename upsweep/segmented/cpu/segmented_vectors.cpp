// Scans of short runs in vector registers, without branches on the ends of runs.
//
// Within a vector, step s combines each lane with the lane 2^s before it, unless a run begins between. The bits for
// this come from the heads by shifts and ands of whole words. From vector to vector one lane is carried, to the lanes
// before the first head.
#include "upsweep/cpu/simd_targets.hpp"
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "upsweep/segmented/cpu/segmented_vectors.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <algorithm>
#include <cstring>

#include "upsweep/cpu/cpu_types.hpp"
#include "upsweep/cpu/vectors-inl.hpp"
#include "upsweep/segmented/cpu/segmented_vectors.hpp"

HWY_BEFORE_NAMESPACE();
namespace upsweep::cpu::HWY_NAMESPACE {

// The lane 2^s before lane i, or lane i itself if there is none. The last row: lane i - 1, of all lanes.
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

// Sums of floats are taken in lanes of f64, as they are carried.
template <run_results Results, class T, class Op>
void scan_runs(const void* in, std::uint64_t n, const std::uint64_t* heads, const void* init, void* out, void* carry) {
  constexpr bool is_inclusive = Results != run_results::exclusive;
  using Carry = carry_of<T, Op>;
  using Out = std::conditional_t<Results == run_results::folds, Carry, T>;
  using D = hn::ScalableTag<Carry>;
  using V = hn::Vec<D>;
  using Index = hwy::MakeSigned<Carry>;
  using Mask = decltype(hn::FirstN(D(), 1));
  constexpr D d;
  constexpr int lanes = static_cast<int>(hn::MaxLanes(D())), steps = hwy::CeilLog2(lanes);
  constexpr std::uint64_t all_lanes = lanes == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << lanes) - 1;
  const Op op;
  const T* x = static_cast<const T*>(in);
  Out* y = static_cast<Out*>(out);

  static constexpr lanes_before<Index, lanes> tables;
  const auto table = [&](const Index* at) HWY_ATTR { return hn::SetTableIndices(d, at); };
  const auto one = table(tables.at[0]), two = table(tables.at[1]), four = table(tables.at[2]),
             eight = table(tables.at[3]), to_last = table(tables.last), to_next = table(tables.next);
  const Mask lane_zero = hn::FirstN(d, 1);
  const V start = hn::Set(d, *static_cast<const T*>(init));
  V before = hn::Set(d, *static_cast<const Carry*>(carry));

  const auto where = [&](std::uint64_t bits) HWY_ATTR {
    std::uint8_t bytes[8];
    std::memcpy(bytes, &bits, 8);
    return hn::LoadMaskBits(d, bytes);
  };
  const auto join = [&](V v, V with, std::uint64_t bits)
                        HWY_ATTR { return hn::IfThenElse(where(bits), apply(op, with, v), v); };
  // Scans one vector, in which `begins` marks the beginnings of runs, without the elements before it.
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
  // Adds the fold of the elements before the vector, and advances it.
  const auto result = [&](V alone, std::uint64_t begins) HWY_ATTR {
    const std::uint64_t open = ~begins & (begins - 1) & all_lanes;  // before the first head
    const V inclusive = join(alone, before, open);
    V r = inclusive;
    if constexpr (!is_inclusive) {
      r = hn::IfThenElse(lane_zero, before, hn::TableLookupLanes(inclusive, to_next));
      r = hn::IfThenElse(where(begins), start, r);
    }
    before = hn::TableLookupLanes(inclusive, to_last);
    return r;
  };

  std::uint64_t i = 0;
  for (; i + lanes <= n; i += lanes) {
    const std::uint64_t begins = heads[i / 64] >> i % 64 & all_lanes;
    lanes_from<Out, D>::store(d, result(within(lanes_from<T, D>::load(d, x + i), begins), begins), y + i);
  }
  if (i < n) {
    const std::uint64_t count = n - i, begins = heads[i / 64] >> i % 64 & ((std::uint64_t{1} << count) - 1);
    alignas(64) T padded[lanes];
    alignas(64) Out results[lanes];
    std::fill_n(padded, lanes, identity_of<T>(op));
    std::memcpy(padded, x + i, count * sizeof(T));
    lanes_from<Out, D>::store(d, result(within(lanes_from<T, D>::load(d, padded), begins), begins), results);
    std::memcpy(y + i, results, count * sizeof(Out));
  }
  *static_cast<Carry*>(carry) = hn::GetLane(before);
}

template <class T, class Op>
runs_scan_kernel runs_scan_of(run_results results) {
  if (results == run_results::exclusive) return scan_runs<run_results::exclusive, T, Op>;
  if (std::is_same_v<T, carry_of<T, Op>> || results == run_results::inclusive)
    return scan_runs<run_results::inclusive, T, Op>;
  return scan_runs<run_results::folds, T, Op>;
}

runs_scan_kernel runs_scan_for(dtype type, op_kind kind, run_results results) {
  runs_scan_kernel found = nullptr;
  with_types(type, kind, [&]<class T, class Op>(type_tag<T>, Op) {
    constexpr bool as_it_is = std::is_same_v<Op, accumulator_op<T, Op>> && !std::is_same_v<Op, compose_affine>;
    constexpr bool sums_of_floats = std::is_same_v<T, float> && std::is_same_v<Op, plus>;
    if constexpr ((std::is_integral_v<T> && as_it_is) || sums_of_floats)
      found = runs_scan_of<lane_of<T, Op>, Op>(results);
  });
  return found;
}

}  // namespace upsweep::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace upsweep::cpu {

UPSWEEP_EXPORT(runs_scan_for);

runs_scan_kernel find_runs_scan(dtype type, op_kind op, run_results results) {
  return UPSWEEP_DISPATCH(runs_scan_for)(type, op, results);
}

}  // namespace upsweep::cpu
#endif
