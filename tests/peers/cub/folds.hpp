// DeviceReduce and DeviceScan.
#pragma once

#include <thrust/iterator/counting_iterator.h>
#include <thrust/reduce.h>
#include <thrust/scan.h>
#include <thrust/transform_reduce.h>

#include <cuda/functional>

#include "cub/calls.hpp"
#include "upsweep/search.hpp"

#if defined(__CUDACC__)
#include <cub/device/dispatch/dispatch_reduce.cuh>
#else
namespace cub::detail::reduce {
struct no_init_t {};
inline constexpr no_init_t no_init{};
}  // namespace cub::detail::reduce
#endif

namespace on_upsweep {

// CUB folds in what its operator gives for an init and an element.
template <class Op, class Init, class It>
using accumulator = ::cuda::std::__accumulator_t<Op, value_of<It>, Init>;
template <class F, class It>
using through = std::decay_t<std::invoke_result_t<F&, value_of<It>>>;
using no_init_t = cub::detail::reduce::no_init_t;

namespace folds {

template <class In, class Out, class N, class Op, class F, class Init>
void transform_reduce(In in, Out out, N n, Op op, F f, Init init) {
  if constexpr (std::is_same_v<Init, no_init_t>) {
    if (n == 0) return;
    using first = through<F, In>;
    const first begin = f(static_cast<value_of<In>>(*in));
    *out = thrust::transform_reduce(by_thrust(), in + 1, in + n, f, begin, op);
  } else {
    using from = std::decay_t<decltype(on_upsweep::init_of(init))>;
    using A = ::cuda::std::__accumulator_t<Op, through<F, In>, from>;
    *out = static_cast<output_value<Out, In>>(
        thrust::transform_reduce(by_thrust(), in, in + n, f, static_cast<A>(on_upsweep::init_of(init)), op));
  }
}

// The first of the extreme ones: a fold of places, which keeps the earlier of two equal ones.
template <class In, class Less>
struct place_of_less {
  In in;
  Less less;
  UPSWEEP_HD std::int64_t operator()(std::int64_t a, std::int64_t b) const {
    Less own = less;
    return own(in[b], in[a]) ? b : a;
  }
};
// The last of the greatest ones.
template <class In, class Less>
struct last_place_of_greater {
  In in;
  Less less;
  UPSWEEP_HD std::int64_t operator()(std::int64_t a, std::int64_t b) const {
    Less own = less;
    return own(in[b], in[a]) ? a : b;
  }
};
template <class By>
std::int64_t place(std::int64_t n, const By& by) {
  const thrust::counting_iterator<std::int64_t> second(1);
  return thrust::reduce(by_thrust(), second, second + (n - 1), std::int64_t{0}, by);
}
template <class In, class Less>
std::int64_t place_of_least(In in, std::int64_t n, Less less) {
  return folds::place(n, place_of_less<In, Less>{in, less});
}
template <class In, class Less>
std::int64_t place_of_last_greatest(In in, std::int64_t n, Less less) {
  return folds::place(n, last_place_of_greater<In, Less>{in, less});
}
template <class Less>
struct swapped {
  Less less;
  template <class A, class B>
  UPSWEEP_HD bool operator()(const A& a, const B& b) {
    return less(b, a);
  }
};

}  // namespace folds

struct reduce_calls {
  template <class In, class Out, class N, class Op, class Init, class... Rest>
  static void Reduce(In in, Out out, N n, Op op, Init init, Rest...) {
    folds::transform_reduce(in, out, n, op, ::cuda::std::identity{}, init);
  }
  template <class In, class Out, class N, class Op, class F, class Init, class... Rest>
  static void TransformReduce(In in, Out out, N n, Op op, F f, Init init, Rest...) {
    folds::transform_reduce(in, out, n, op, f, init);
  }
  template <class In, class Out, class N, class... Rest>
  static void Sum(In in, Out out, N n, Rest...) {
    reduce_calls::Reduce(in, out, n, ::cuda::std::plus<>{}, output_value<Out, In>{});
  }
  template <class In, class Out, class N, class... Rest>
  static void Min(In in, Out out, N n, Rest...) {
    reduce_calls::Reduce(in, out, n, ::cuda::minimum<>{}, ::cuda::std::numeric_limits<value_of<In>>::max());
  }
  template <class In, class Out, class N, class... Rest>
  static void Max(In in, Out out, N n, Rest...) {
    reduce_calls::Reduce(in, out, n, ::cuda::maximum<>{}, ::cuda::std::numeric_limits<value_of<In>>::lowest());
  }

  // The value and its place apart, by an order of one's own; or, as CUB had it before, as one pair.
  template <class In, class Out, class Index, class N, class Less, class... Rest>
    requires std::is_invocable_v<Less&, value_of<In>, value_of<In>>
  static void ArgMin(In in, Out out, Index index, N n, Less less, Rest...) {
    if (n == 0) return;
    const std::int64_t at = folds::place_of_least(in, n, less);
    *out = in[at];
    *index = at;
  }
  template <class In, class Out, class Index, class N, class... Rest>
    requires std::integral<N>
  static void ArgMin(In in, Out out, Index index, N n, Rest...) {
    reduce_calls::ArgMin(in, out, index, n, ::cuda::std::less<>{});
  }
  template <class In, class Out, class Index, class N, class Less, class... Rest>
    requires std::is_invocable_v<Less&, value_of<In>, value_of<In>>
  static void ArgMax(In in, Out out, Index index, N n, Less less, Rest...) {
    reduce_calls::ArgMin(in, out, index, n, folds::swapped<Less>{less});
  }
  template <class In, class Out, class Index, class N, class... Rest>
    requires std::integral<N>
  static void ArgMax(In in, Out out, Index index, N n, Rest...) {
    reduce_calls::ArgMin(in, out, index, n, ::cuda::std::greater<>{});
  }
  // Of no elements CUB's pair is the place 1 and the value that every other one beats.
  template <class In, class Out, class... Rest>
  static void ArgMin(In in, Out out, int n, Rest...) {
    reduce_calls::pair(in, out, n, ::cuda::std::less<>{}, ::cuda::std::numeric_limits<value_of<In>>::max());
  }
  template <class In, class Out, class... Rest>
  static void ArgMax(In in, Out out, int n, Rest...) {
    reduce_calls::pair(in, out, n, ::cuda::std::greater<>{}, ::cuda::std::numeric_limits<value_of<In>>::lowest());
  }

  // Both, in one call: the first least and the first, or the last, greatest.
  template <class In, class Low, class LowAt, class High, class HighAt, class N, class... Rest>
  static void ArgMinMax(In in, Low low, LowAt low_at, High high, HighAt high_at, N n, Rest... rest) {
    reduce_calls::ArgMin(in, low, low_at, n, rest...);
    reduce_calls::ArgMax(in, high, high_at, n, rest...);
  }
  template <class In, class Low, class LowAt, class High, class HighAt, class N, class... Rest>
  static void ArgMinLastMax(In in, Low low, LowAt low_at, High high, HighAt high_at, N n, Rest...) {
    reduce_calls::ArgMinLastMax(in, low, low_at, high, high_at, n, ::cuda::std::less<>{});
  }
  template <class In, class Low, class LowAt, class High, class HighAt, class N, class Less, class... Rest>
    requires std::is_invocable_v<Less&, value_of<In>, value_of<In>>
  static void ArgMinLastMax(In in, Low low, LowAt low_at, High high, HighAt high_at, N n, Less less, Rest...) {
    if (n == 0) return;
    reduce_calls::ArgMin(in, low, low_at, n, less);
    const std::int64_t at = folds::place_of_last_greatest(in, n, less);
    *high = in[at];
    *high_at = at;
  }

  template <class K, class KOut, class V, class VOut, class Count, class Op, class N, class... Rest>
  static void ReduceByKey(K keys, KOut keys_out, V values, VOut out, Count count, Op op, N n, Rest...) {
    *count = thrust::reduce_by_key(by_thrust(), keys, keys + n, values, keys_out, out, ::cuda::std::equal_to<>{}, op)
                 .second -
             out;
  }

 private:
  template <class In, class Out, class Less, class T>
  static void pair(In in, Out out, int n, Less less, T none) {
    using P = output_value<Out, In>;
    P found{};
    if (n == 0) {
      found.key = 1;
      found.value = none;
    } else {
      const std::int64_t at = folds::place_of_least(in, n, less);
      found.key = static_cast<decltype(found.key)>(at);
      found.value = in[at];
    }
    *out = found;
  }
};

struct scan_calls {
  template <class In, class Out, class N, class... Rest>
  static void ExclusiveSum(In in, Out out, N n, Rest...) {
    scan_calls::ExclusiveScan(in, out, ::cuda::std::plus<>{}, value_of<In>{}, n);
  }
  template <class In, class N, class... Rest>
    requires std::integral<N>
  static void ExclusiveSum(In in, N n, Rest...) {
    scan_calls::ExclusiveSum(in, in, n);
  }
  template <class In, class Out, class N, class... Rest>
  static void InclusiveSum(In in, Out out, N n, Rest...) {
    thrust::inclusive_scan(by_thrust(), in, in + n, out, ::cuda::std::plus<>{});
  }
  template <class In, class N, class... Rest>
    requires std::integral<N>
  static void InclusiveSum(In in, N n, Rest...) {
    scan_calls::InclusiveSum(in, in, n);
  }
  template <class In, class Out, class Op, class Init, class N, class... Rest>
    requires std::integral<N>
  static void ExclusiveScan(In in, Out out, Op op, Init init, N n, Rest...) {
    using A = accumulator<Op, std::decay_t<decltype(on_upsweep::init_of(init))>, In>;
    thrust::exclusive_scan(by_thrust(), in, in + n, out, static_cast<A>(on_upsweep::init_of(init)), op);
  }
  template <class In, class Op, class Init, class N, class... Rest>
    requires std::integral<N> && std::is_invocable_v<Op&, value_of<In>, value_of<In>>
  static void ExclusiveScan(In in, Op op, Init init, N n, Rest...) {
    scan_calls::ExclusiveScan(in, in, op, init, n);
  }
  template <class In, class Out, class Op, class N, class... Rest>
    requires std::integral<N>
  static void InclusiveScan(In in, Out out, Op op, N n, Rest...) {
    thrust::inclusive_scan(by_thrust(), in, in + n, out, op);
  }
  template <class In, class Op, class N, class... Rest>
    requires std::integral<N> && std::is_invocable_v<Op&, value_of<In>, value_of<In>>
  static void InclusiveScan(In in, Op op, N n, Rest...) {
    scan_calls::InclusiveScan(in, in, op, n);
  }
  template <class In, class Out, class Op, class Init, class N, class... Rest>
  static void InclusiveScanInit(In in, Out out, Op op, Init init, N n, Rest...) {
    using A = accumulator<Op, std::decay_t<decltype(on_upsweep::init_of(init))>, In>;
    thrust::inclusive_scan(by_thrust(), in, in + n, out, static_cast<A>(on_upsweep::init_of(init)), op);
  }

  template <class K, class V, class Out, class N, class Equal = ::cuda::std::equal_to<>, class... Rest>
  static void ExclusiveSumByKey(K keys, V in, Out out, N n, Equal equal = {}, Rest...) {
    scan_calls::ExclusiveScanByKey(keys, in, out, ::cuda::std::plus<>{}, value_of<V>{}, n, equal);
  }
  template <class K, class V, class Out, class N, class Equal = ::cuda::std::equal_to<>, class... Rest>
  static void InclusiveSumByKey(K keys, V in, Out out, N n, Equal equal = {}, Rest...) {
    thrust::inclusive_scan_by_key(by_thrust(), keys, keys + n, in, out, equal, ::cuda::std::plus<>{});
  }
  template <class K, class V, class Out, class Op, class Init, class N, class Equal = ::cuda::std::equal_to<>,
            class... Rest>
  static void ExclusiveScanByKey(K keys, V in, Out out, Op op, Init init, N n, Equal equal = {}, Rest...) {
    using A = accumulator<Op, Init, V>;
    thrust::exclusive_scan_by_key(by_thrust(), keys, keys + n, in, out, static_cast<A>(init), equal, op);
  }
  template <class K, class V, class Out, class Op, class N, class Equal = ::cuda::std::equal_to<>, class... Rest>
  static void InclusiveScanByKey(K keys, V in, Out out, Op op, N n, Equal equal = {}, Rest...) {
    thrust::inclusive_scan_by_key(by_thrust(), keys, keys + n, in, out, equal, op);
  }
};

struct DeviceReduce {
  ON_UPSWEEP_CALL(reduce_calls, Reduce)
  ON_UPSWEEP_CALL(reduce_calls, TransformReduce)
  ON_UPSWEEP_CALL(reduce_calls, Sum)
  ON_UPSWEEP_CALL(reduce_calls, Min)
  ON_UPSWEEP_CALL(reduce_calls, Max)
  ON_UPSWEEP_CALL(reduce_calls, ArgMin)
  ON_UPSWEEP_CALL(reduce_calls, ArgMax)
  ON_UPSWEEP_CALL(reduce_calls, ArgMinMax)
  ON_UPSWEEP_CALL(reduce_calls, ArgMinLastMax)
  ON_UPSWEEP_CALL(reduce_calls, ReduceByKey)
};
struct DeviceScan {
  ON_UPSWEEP_CALL(scan_calls, ExclusiveSum)
  ON_UPSWEEP_CALL(scan_calls, InclusiveSum)
  ON_UPSWEEP_CALL(scan_calls, ExclusiveScan)
  ON_UPSWEEP_CALL(scan_calls, InclusiveScan)
  ON_UPSWEEP_CALL(scan_calls, InclusiveScanInit)
  ON_UPSWEEP_CALL(scan_calls, ExclusiveSumByKey)
  ON_UPSWEEP_CALL(scan_calls, InclusiveSumByKey)
  ON_UPSWEEP_CALL(scan_calls, ExclusiveScanByKey)
  ON_UPSWEEP_CALL(scan_calls, InclusiveScanByKey)
};

}  // namespace on_upsweep
