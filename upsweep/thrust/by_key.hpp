// reduce_by_key and the scans by key. Keys of a run are equal by == or by a user-defined equality.
#pragma once

#include <thrust/pair.h>

#include "upsweep/compact.hpp"
#include "upsweep/core/user_call.hpp"
#include "upsweep/segmented.hpp"
#include "upsweep/thrust/any_operator.hpp"
#include "upsweep/thrust/folds.hpp"

namespace upsweep {
inline namespace UPSWEEP_COMPILED {
namespace thrust_calls {

template <class Equal>
inline constexpr bool is_equality = is_any<::cuda::std::equal_to, Equal> || is_any<std::equal_to, Equal>;

template <class K, class Equal>
struct begins_run {
  K keys;
  Equal equal;
  UPSWEEP_HD bool operator()(std::uint64_t i) const {
    const element_at<K> at{keys};
    return i == 0 || !core::call(equal, at(i - 1), at(i));
  }
};

// The keys. For a user-defined equality, the number of the run of each key instead, in temporary memory.
template <class K, class Equal>
class run_keys {
 public:
  run_keys(const policy& p, K keys, std::uint64_t n, const Equal& equal) : keys_(keys), n_(n) {
    if constexpr (!is_equality<Equal>) {
      runs_.emplace(p.where, n);
      upsweep::transform_inclusive_scan(p.where, upsweep::views::iota(std::uint64_t{0}, n), runs_->span(),
                                        upsweep::plus{}, converted<std::uint64_t, begins_run<K, Equal>>{{keys, equal}});
    }
  }
  auto input() {
    if constexpr (is_equality<Equal>) {
      return thrust_calls::input(keys_, n_);
    } else {
      return device_span<const std::uint64_t>(runs_->span());
    }
  }

 private:
  K keys_;
  std::uint64_t n_;
  std::optional<buffer<std::uint64_t>> runs_;
};
template <class K, class Equal>
auto runs_of(const policy& p, K keys, std::uint64_t n, const Equal& equal) {
  using T = value_of<K>;
  const auto asked = thrust_calls::shared<T, T>(equal);
  return run_keys<K, std::remove_const_t<decltype(asked)>>(p, keys, n, asked);
}

template <bool Inclusive, class K, class V, class Out, class Equal, class Op, class... Init>
Out scanned_by_key(const policy& p, K first, K last, V values, Out out, const Equal& equal, const Op& op,
                   const Init&... init) {
  const std::uint64_t n = thrust_calls::length(first, last);
  using R = value_of<V>;
  using First = std::tuple_element_t<sizeof...(Init), std::tuple<R, Init...>>;
  using A = typename decltype(thrust_calls::scanned_in<R, First, Out>())::type;
  auto runs = thrust_calls::runs_of(p, first, n, equal);
  const auto o = thrust_calls::function<A, A>(op);
  const reach written = thrust_calls::reach_of(out, n);
  output<A, Out> to(
      p, out, n,
      written.meets(thrust_calls::reach_of(first, n)) ||
          (lacks_identity<A, std::remove_const_t<decltype(o)>> && written.meets(thrust_calls::reach_of(values, n))));
  const auto in = thrust_calls::input_of<A>(values, n);
  const auto scan = [&](const auto& x, auto&& y, const auto& by, const auto&... from) {
    if constexpr (Inclusive)
      upsweep::inclusive_scan_by_key(p.where, runs.input(), x, y, from..., by);
    else
      upsweep::exclusive_scan_by_key(p.where, runs.input(), x, y, from..., by);
  };
  using O = std::remove_const_t<decltype(o)>;
  if constexpr (lacks_identity<A, O>)
    scan(upsweep::views::transform(in, as_one<A>{}), upsweep::transform_output(to.span(), value_of_one{}),
         of_ones<A, O>{o}, one_or_none<A>{static_cast<A>(init), true}...);
  else
    scan(in, to.span(), o, static_cast<A>(init)...);
  return to.put();
}

template <class K, class V, class Out, class Equal, class Op>
Out inclusive_scan_by_key(const policy& p, K first, K last, V values, Out out, Equal equal, Op op) {
  return thrust_calls::scanned_by_key<true>(p, first, last, values, out, equal, op);
}
template <class K, class V, class Out, class Equal = ::cuda::std::equal_to<>>
Out inclusive_scan_by_key(const policy& p, K first, K last, V values, Out out, Equal equal = {}) {
  return thrust_calls::inclusive_scan_by_key(p, first, last, values, out, equal, ::cuda::std::plus<>{});
}
template <class K, class V, class Out, class T, class Equal, class Op>
Out exclusive_scan_by_key(const policy& p, K first, K last, V values, Out out, T init, Equal equal, Op op) {
  return thrust_calls::scanned_by_key<false>(p, first, last, values, out, equal, op, init);
}
template <class K, class V, class Out, class T, class Equal = ::cuda::std::equal_to<>>
Out exclusive_scan_by_key(const policy& p, K first, K last, V values, Out out, T init, Equal equal = {}) {
  return thrust_calls::exclusive_scan_by_key(p, first, last, values, out, init, equal, ::cuda::std::plus<>{});
}
template <class K, class V, class Out>
Out exclusive_scan_by_key(const policy& p, K first, K last, V values, Out out) {
  return thrust_calls::exclusive_scan_by_key(p, first, last, values, out, value_of<V>{});
}

// Folds in the type of the values, or in the type of an output in memory that holds all of them.
template <class K, class V, class KOut, class Out, class Equal, class Op>
thrust::pair<KOut, Out> reduce_by_key(const policy& p, K first, K last, V values, KOut keys_out, Out out, Equal equal,
                                      Op op) {
  const std::uint64_t n = thrust_calls::length(first, last);
  using R = value_of<V>;
  using A = typename decltype(thrust_calls::scanned_in<R, R, Out>())::type;
  auto runs = thrust_calls::runs_of(p, first, n, equal);
  constexpr bool wants_keys = !std::same_as<value_of<KOut>, thrust::detail::any_assign>;
  const reach read = thrust_calls::reach_of(first, n), more = thrust_calls::reach_of(values, n);
  const bool aside = !is_equality<Equal> ||
                     (wants_keys && thrust_calls::both_aside<value_of<K>, A>(p, keys_out, out, n, read, more)) ||
                     thrust_calls::reach_of(out, n).meets(read) || thrust_calls::reach_of(out, n).meets(more) ||
                     thrust_calls::over_count(p, thrust_calls::reach_of(out, n));
  output<A, Out> to(p, out, n, aside);
  const auto o = thrust_calls::function<A, A>(op);
  using O = std::remove_const_t<decltype(o)>;
  const auto reduce = [&](auto&& keys) {
    const auto in = thrust_calls::input_of<A>(values, n);
    if constexpr (lacks_identity<A, O>)
      return upsweep::reduce_by_key(p.where, runs.input(), upsweep::views::transform(in, as_one<A>{}), keys,
                                    upsweep::transform_output(to.span(), value_of_one{}), of_ones<A, O>{o});
    else
      return upsweep::reduce_by_key(p.where, runs.input(), in, keys, to.span(), o);
  };
  if constexpr (!wants_keys) {
    const std::uint64_t found = reduce(upsweep::discard_output);
    return {thrust_calls::behind(keys_out, found), to.put(found)};
  } else {
    output<value_of<K>, KOut> keys(p, keys_out, n, aside);
    if constexpr (is_equality<Equal>) {
      const std::uint64_t found = reduce(keys.span());
      return {keys.put(found), to.put(found)};
    } else {
      const std::uint64_t found = reduce(upsweep::discard_output);
      const auto asked = thrust_calls::shared<value_of<K>, value_of<K>>(equal);
      upsweep::copy_if(p.where, thrust_calls::input(first, n), keys.span(),
                       upsweep::stencil(upsweep::views::iota(std::uint64_t{0}, n),
                                        begins_run<K, std::remove_const_t<decltype(asked)>>{first, asked}));
      return {keys.put(found), to.put(found)};
    }
  }
}
template <class K, class V, class KOut, class Out, class Equal = ::cuda::std::equal_to<>>
thrust::pair<KOut, Out> reduce_by_key(const policy& p, K first, K last, V values, KOut keys_out, Out out,
                                      Equal equal = {}) {
  return thrust_calls::reduce_by_key(p, first, last, values, keys_out, out, equal, ::cuda::std::plus<>{});
}

}  // namespace thrust_calls
}  // namespace UPSWEEP_COMPILED
}  // namespace upsweep
