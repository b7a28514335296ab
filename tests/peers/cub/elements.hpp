// DeviceTransform, DeviceFor, DeviceAdjacentDifference, DeviceFind.
#pragma once

#include <thrust/adjacent_difference.h>
#include <thrust/binary_search.h>
#include <thrust/find.h>
#include <thrust/for_each.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/transform.h>

#include "cub/calls.hpp"
#include "upsweep/for_each.hpp"

namespace on_upsweep {

// f(i) for each place, side by side.
template <class F>
void at_each(std::uint64_t n, const F& f) {
  upsweep::for_each_index(here(), n, f);
}

// What is done at place i; functions that are not const are copied first.
struct always {
  template <class... X>
  UPSWEEP_HD bool operator()(const X&...) const {
    return true;
  }
};
template <class In, class Out, class Test, class F>
struct changed {
  In in;
  Out out;
  Test test;
  F f;
  UPSWEEP_HD void operator()(std::uint64_t i) const {
    if constexpr (is_tuple<In>)
      from(i, std::make_index_sequence<::cuda::std::tuple_size_v<In>>());
    else
      one(i, in[i]);
  }
  template <std::size_t... I>
  UPSWEEP_HD void from(std::uint64_t i, std::index_sequence<I...>) const {
    one(i, ::cuda::std::get<I>(in)[i]...);
  }
  template <class... X>
  UPSWEEP_HD void one(std::uint64_t i, X&&... x) const {
    F own = f;
    Test asked = test;
    if (!asked(x...)) return;
    if constexpr (is_tuple<Out>)
      to(i, own(x...), std::make_index_sequence<::cuda::std::tuple_size_v<Out>>());
    else
      out[i] = own(x...);
  }
  template <class Y, std::size_t... I>
  UPSWEEP_HD void to(std::uint64_t i, const Y& y, std::index_sequence<I...>) const {
    ((::cuda::std::get<I>(out)[i] = ::cuda::std::get<I>(y)), ...);
  }
};
template <class Out, class F>
struct generated {
  Out out;
  F f;
  UPSWEEP_HD void operator()(std::uint64_t i) const {
    F own = f;
    out[i] = own();
  }
};
template <class It, class F>
struct given_a_copy {
  It first;
  F f;
  UPSWEEP_HD void operator()(std::uint64_t i) const {
    F own = f;
    own(value_of<It>(first[i]));
  }
};
template <class N, class F>
struct given_its_place {
  F f;
  UPSWEEP_HD void operator()(std::uint64_t i) const {
    F own = f;
    own(static_cast<N>(i));
  }
};

struct transform_calls {
  template <class In, class Out, class N, class F, class... Rest>
  static void Transform(In in, Out out, N n, F f, Rest...) {
    on_upsweep::at_each(n, changed<In, Out, always, F>{in, out, {}, f});
  }
  template <class In, class Out, class N, class F, class... Rest>
  static void TransformStableArgumentAddresses(In in, Out out, N n, F f, Rest...) {
    transform_calls::Transform(in, out, n, f);
  }
  template <class In, class Out, class N, class Test, class F, class... Rest>
  static void TransformIf(In in, Out out, N n, Test test, F f, Rest...) {
    on_upsweep::at_each(n, changed<In, Out, Test, F>{in, out, test, f});
  }
  template <class Out, class N, class V, class... Rest>
  static void Fill(Out out, N n, V value, Rest...) {
    thrust::fill_n(by_thrust(), out, n, value);
  }
  template <class Out, class N, class F, class... Rest>
  static void Generate(Out out, N n, F f, Rest...) {
    on_upsweep::at_each(n, generated<Out, F>{out, f});
  }
};

struct for_calls {
  template <class It, class F, class... Rest>
  static void ForEach(It first, It last, F f, Rest...) {
    thrust::for_each(by_thrust(), first, last, f);
  }
  template <class It, class N, class F, class... Rest>
  static void ForEachN(It first, N n, F f, Rest...) {
    thrust::for_each_n(by_thrust(), first, n, f);
  }
  template <class It, class F, class... Rest>
  static void ForEachCopy(It first, It last, F f, Rest...) {
    for_calls::ForEachCopyN(first, last - first, f);
  }
  template <class It, class N, class F, class... Rest>
  static void ForEachCopyN(It first, N n, F f, Rest...) {
    on_upsweep::at_each(n, given_a_copy<It, F>{first, f});
  }
  template <std::integral N, class F, class... Rest>
  static void Bulk(N n, F f, Rest...) {
    on_upsweep::at_each(n, given_its_place<N, F>{f});
  }
};

struct difference_calls {
  template <class In, class Out, class N, class Op = ::cuda::std::minus<>, class... Rest>
    requires(!std::integral<Out>)
  static void SubtractLeftCopy(In in, Out out, N n, Op op = {}, Rest...) {
    thrust::adjacent_difference(by_thrust(), in, in + n, out, op);
  }
  template <class It, std::integral N, class Op = ::cuda::std::minus<>, class... Rest>
  static void SubtractLeft(It x, N n, Op op = {}, Rest...) {
    thrust::adjacent_difference(by_thrust(), x, x + n, x, op);
  }
  template <class In, class Out, class N, class Op = ::cuda::std::minus<>, class... Rest>
  static void SubtractRightCopy(In in, Out out, N n, Op op = {}, Rest...) {
    if (n == 0) return;
    thrust::transform(by_thrust(), in, in + (n - 1), in + 1, out, op);
    thrust::copy(by_thrust(), in + (n - 1), in + n, out + (n - 1));
  }
  template <class It, std::integral N, class Op = ::cuda::std::minus<>, class... Rest>
  static void SubtractRight(It x, N n, Op op = {}, Rest...) {
    const vector<value_of<It>> before(x, x + n);
    difference_calls::SubtractRightCopy(before.data(), x, n, op);
  }
};

struct find_calls {
  template <class In, class Out, class Test, class N, class... Rest>
  static void FindIf(In in, Out out, Test test, N n, Rest...) {
    *out = thrust::find_if(by_thrust(), in, in + n, test) - in;
  }
  template <class R, class N, class V, class M, class Out, class Less, class... Rest>
  static void LowerBound(R sorted, N n, V values, M m, Out out, Less less, Rest...) {
    thrust::lower_bound(by_thrust(), sorted, sorted + n, values, values + m, out, less);
  }
  template <class R, class N, class V, class M, class Out, class Less, class... Rest>
  static void UpperBound(R sorted, N n, V values, M m, Out out, Less less, Rest...) {
    thrust::upper_bound(by_thrust(), sorted, sorted + n, values, values + m, out, less);
  }
  template <class... A>
  static void LowerBoundSortedValues(A... a) {
    find_calls::LowerBound(a...);
  }
  template <class... A>
  static void UpperBoundSortedValues(A... a) {
    find_calls::UpperBound(a...);
  }
};

struct DeviceTransform {
  ON_UPSWEEP_CALL(transform_calls, Transform)
  ON_UPSWEEP_CALL(transform_calls, TransformStableArgumentAddresses)
  ON_UPSWEEP_CALL(transform_calls, TransformIf)
  ON_UPSWEEP_CALL(transform_calls, Fill)
  ON_UPSWEEP_CALL(transform_calls, Generate)
};
struct DeviceFor {
  ON_UPSWEEP_CALL(for_calls, ForEach)
  ON_UPSWEEP_CALL(for_calls, ForEachN)
  ON_UPSWEEP_CALL(for_calls, ForEachCopy)
  ON_UPSWEEP_CALL(for_calls, ForEachCopyN)
  ON_UPSWEEP_CALL(for_calls, Bulk)
};
struct DeviceAdjacentDifference {
  ON_UPSWEEP_CALL(difference_calls, SubtractLeft)
  ON_UPSWEEP_CALL(difference_calls, SubtractLeftCopy)
  ON_UPSWEEP_CALL(difference_calls, SubtractRight)
  ON_UPSWEEP_CALL(difference_calls, SubtractRightCopy)
};
struct DeviceFind {
  ON_UPSWEEP_CALL(find_calls, FindIf)
  ON_UPSWEEP_CALL(find_calls, LowerBound)
  ON_UPSWEEP_CALL(find_calls, UpperBound)
  ON_UPSWEEP_CALL(find_calls, LowerBoundSortedValues)
  ON_UPSWEEP_CALL(find_calls, UpperBoundSortedValues)
};

}  // namespace on_upsweep
