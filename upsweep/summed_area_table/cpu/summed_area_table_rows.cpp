// A row's running sums in vector registers.
//
// With c channels a lane's left neighbour is c lanes away: within a vector the sums run by Hillis and Steele's steps of
// c, 2c, 4c, … lanes. The sums of all earlier vectors are in the last c lanes of the previous vector, repeated. This
// holds for any c, also if vectors do not begin with the first channel.
#include "upsweep/cpu/simd_targets.hpp"
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "upsweep/summed_area_table/cpu/summed_area_table_rows.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "upsweep/summed_area_table/cpu/summed_area_table_rows.hpp"

HWY_BEFORE_NAMESPACE();
namespace upsweep::detail::summed_area_table_impl::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

template <class In, class D>
HWY_INLINE hn::Vec<D> load_wide(D d, const In* from) {
  using Sum = hn::TFromD<D>;
  if constexpr (std::is_same_v<In, Sum>) {
    return hn::LoadU(d, from);
  } else if constexpr (std::is_same_v<In, std::int32_t>) {
    const hn::Rebind<std::int64_t, D> is_signed;
    return hn::BitCast(d, hn::PromoteTo(is_signed, hn::LoadU(hn::Rebind<In, D>(), from)));
  } else if constexpr (sizeof(Sum) == 8 && sizeof(In) < 4) {
    const hn::Rebind<std::uint32_t, D> between;
    return hn::PromoteTo(d, hn::PromoteTo(between, hn::LoadU(hn::Rebind<In, D>(), from)));
  } else {
    return hn::PromoteTo(d, hn::LoadU(hn::Rebind<In, D>(), from));
  }
}

template <bool streams, class D>
HWY_INLINE void store(D d, hn::Vec<D> v, hn::TFromD<D>* to) {
  if constexpr (streams)
    hn::Stream(v, d, to);
  else
    hn::StoreU(v, d, to);
}

template <bool streams, class Out, class D>
HWY_INLINE void store_as(D d, hn::Vec<D> v, Out* to) {
  if constexpr (sizeof(Out) == sizeof(hn::TFromD<D>)) {
    store<streams>(d, v, reinterpret_cast<hn::TFromD<D>*>(to));
  } else {
    const hn::Rebind<Out, D> narrow;
    store<streams>(narrow, hn::DemoteTo(narrow, v), to);
  }
}

template <int steps, bool streams, class In, class Out>
void row_in_steps(const In* in, std::uint64_t n, std::uint32_t channels, sum_type<In, Out>* left,
                  sum_type<In, Out>* above, Out* out) {
  using Sum = sum_type<In, Out>;
  using D = hn::ScalableTag<Sum>;
  using V = hn::Vec<D>;
  using Index = hwy::MakeSigned<Sum>;
  constexpr D d;
  constexpr std::uint32_t lanes = static_cast<std::uint32_t>(hn::MaxLanes(D()));
  std::uint64_t i = 0;
  if (n >= lanes && channels <= lanes) {
    using Table = decltype(hn::SetTableIndices(d, static_cast<const Index*>(nullptr)));
    using Mask = decltype(hn::FirstN(d, 1));
    alignas(64) Index at[lanes];
    const auto table_of = [&](std::uint32_t distance) HWY_ATTR {
      for (std::uint32_t l = 0; l < lanes; ++l) at[l] = static_cast<Index>(l >= distance ? l - distance : l);
      return hn::SetTableIndices(d, at);
    };
    const auto beyond = [&](std::uint32_t distance) HWY_ATTR { return hn::Not(hn::FirstN(d, distance)); };
    const Table table0 = table_of(channels), table1 = table_of(2 * channels), table2 = table_of(4 * channels),
                table3 = table_of(8 * channels);
    const Mask mask0 = beyond(channels), mask1 = beyond(2 * channels), mask2 = beyond(4 * channels),
               mask3 = beyond(8 * channels);
    for (std::uint32_t l = 0; l < lanes; ++l) at[l] = static_cast<Index>(lanes - channels + l % channels);
    const Table from_before = hn::SetTableIndices(d, at);
    alignas(64) Sum ends[lanes] = {};
    for (std::uint32_t k = 0; k < channels; ++k) ends[lanes - channels + k] = left[k];
    V before = hn::Load(d, ends);
    const auto step = [&](V v, Table table, Mask mask)
                          HWY_ATTR { return hn::Add(v, hn::IfThenElseZero(mask, hn::TableLookupLanes(v, table))); };
    for (; i + lanes <= n; i += lanes) {
      V v = load_wide(d, in + i);
      if constexpr (steps > 0) v = step(v, table0, mask0);
      if constexpr (steps > 1) v = step(v, table1, mask1);
      if constexpr (steps > 2) v = step(v, table2, mask2);
      if constexpr (steps > 3) v = step(v, table3, mask3);
      before = hn::Add(hn::TableLookupLanes(before, from_before), v);
      const V sum = hn::Add(hn::Load(d, above + i), before);
      hn::Store(sum, d, above + i);
      store_as<streams>(d, sum, out + i);
    }
    hn::Store(before, d, ends);
    for (std::uint32_t k = 0; k < channels; ++k) left[(i + k) % channels] = ends[lanes - channels + k];
  }
  for (; i < n; ++i) {
    const Sum sum = left[i % channels] += widened<Sum>(in[i]);
    above[i] += sum;
    out[i] = static_cast<Out>(above[i]);
  }
}

template <class In, class Out>
void row(const void* in, std::uint64_t n, std::uint32_t channels, void* left, void* above, void* out, bool streams) {
  using Sum = sum_type<In, Out>;
  const auto run = [&]<int steps>() {
    (streams ? row_in_steps<steps, true, In, Out>
             : row_in_steps<steps, false, In, Out>)(static_cast<const In*>(in), n, channels, static_cast<Sum*>(left),
                                                    static_cast<Sum*>(above), static_cast<Out*>(out));
  };
  int steps = 0;
  while (channels << steps < hn::MaxLanes(hn::ScalableTag<Sum>())) ++steps;
  switch (steps) {
    case 0: return run.template operator()<0>();
    case 1: return run.template operator()<1>();
    case 2: return run.template operator()<2>();
    case 3: return run.template operator()<3>();
    default: return run.template operator()<4>();
  }
}

row_kernel row_for(dtype in, dtype out) {
  row_kernel found = nullptr;
  with_pair(in, out, [&]<class In, class Out>(type_tag<In>, type_tag<Out>) { found = row<In, Out>; });
  return found;
}

}  // namespace upsweep::detail::summed_area_table_impl::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace upsweep::detail::summed_area_table_impl {

UPSWEEP_EXPORT(row_for);

row_kernel find_row(dtype in, dtype out) { return UPSWEEP_DISPATCH(row_for)(in, out); }

}  // namespace upsweep::detail::summed_area_table_impl
#endif
