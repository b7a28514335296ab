// DeviceSelect, DevicePartition, DeviceRunLengthEncode.
#pragma once

#include <thrust/copy.h>
#include <thrust/partition.h>
#include <thrust/unique.h>

#include "cub/calls.hpp"
#include "upsweep/scan.hpp"
#include "upsweep/select.hpp"

#if defined(__CUDACC__)
#include <cub/device/dispatch/dispatch_select_if.cuh>
#else
namespace cub {
enum class SelectImpl { Select, SelectPotentiallyInPlace, Partition };
}
#endif

namespace on_upsweep {

struct is_set {
  template <class T>
  UPSWEEP_HD bool operator()(const T& flag) const {
    return static_cast<bool>(flag);
  }
};
template <class N>
concept number = std::integral<N>;

// Whether an equality of its own comes first of what stands behind the operands.
template <class It, class... Rest>
inline constexpr bool equality = false;
template <class It, class First, class... Rest>
inline constexpr bool equality<It, First, Rest...> = std::is_invocable_v<First&, value_of<It>, value_of<It>>;

struct select_calls {
  template <class In, class Out, class Count, number N, class Test, class... Rest>
  static void If(In in, Out out, Count count, N n, Test test, Rest...) {
    *count = thrust::copy_if(by_thrust(), in, in + n, out, test) - out;
  }
  template <class In, class Count, number N, class Test, class... Rest>
  static void If(In in, Count count, N n, Test test, Rest...) {
    *count = thrust::remove_if(by_thrust(), in, in + n, upsweep::thrust_calls::fails<Test>{test}) - in;
  }
  template <class In, class Flags, class Out, class Count, number N, class... Rest>
  static void Flagged(In in, Flags flags, Out out, Count count, N n, Rest...) {
    *count = thrust::copy_if(by_thrust(), in, in + n, flags, out, is_set{}) - out;
  }
  template <class In, class Flags, class Count, number N, class... Rest>
  static void Flagged(In in, Flags flags, Count count, N n, Rest...) {
    select_calls::FlaggedIf(in, flags, count, n, is_set{});
  }
  template <class In, class Flags, class Out, class Count, number N, class Test, class... Rest>
  static void FlaggedIf(In in, Flags flags, Out out, Count count, N n, Test test, Rest...) {
    *count = thrust::copy_if(by_thrust(), in, in + n, flags, out, test) - out;
  }
  template <class In, class Flags, class Count, number N, class Test, class... Rest>
  static void FlaggedIf(In in, Flags flags, Count count, N n, Test test, Rest...) {
    *count = thrust::remove_if(by_thrust(), in, in + n, flags, upsweep::thrust_calls::fails<Test>{test}) - in;
  }
  template <class In, class Out, class Count, number N, class... Rest>
  static void Unique(In in, Out out, Count count, N n, Rest... rest) {
    if constexpr (equality<In, Rest...>)
      *count = thrust::unique_copy(by_thrust(), in, in + n, out, first_of(rest...)) - out;
    else
      *count = thrust::unique_copy(by_thrust(), in, in + n, out) - out;
  }
  template <class In, class Count, number N, class... Rest>
  static void Unique(In in, Count count, N n, Rest... rest) {
    if constexpr (equality<In, Rest...>)
      *count = thrust::unique(by_thrust(), in, in + n, first_of(rest...)) - in;
    else
      *count = thrust::unique(by_thrust(), in, in + n) - in;
  }
  template <class K, class V, class KOut, class VOut, class Count, number N, class... Rest>
  static void UniqueByKey(K keys, V in, KOut keys_out, VOut out, Count count, N n, Rest... rest) {
    if constexpr (equality<K, Rest...>)
      *count =
          thrust::unique_by_key_copy(by_thrust(), keys, keys + n, in, keys_out, out, first_of(rest...)).second - out;
    else
      *count = thrust::unique_by_key_copy(by_thrust(), keys, keys + n, in, keys_out, out).second - out;
  }
};

// What fails stands behind what passes, and backwards: CUB fills its output from both ends.
template <class It>
auto backwards_from(It out, std::int64_t n) {
  return std::make_reverse_iterator(out + n);
}

struct partition_calls {
  template <class In, class Out, class Count, number N, class Test, class... Rest>
    requires(!number<Count>)
  static void If(In in, Out out, Count count, N n, Test test, Rest...) {
    partition_calls::into(in, out, count, n, [&](auto passed, auto others) {
      return thrust::stable_partition_copy(by_thrust(), in, in + n, passed, others, test).first - passed;
    });
  }
  template <class In, class Flags, class Out, class Count, number N, class... Rest>
  static void Flagged(In in, Flags flags, Out out, Count count, N n, Rest...) {
    partition_calls::into(in, out, count, n, [&](auto passed, auto others) {
      return thrust::stable_partition_copy(by_thrust(), in, in + n, flags, passed, others, is_set{}).first - passed;
    });
  }

  // Partition into three outputs, each in order. Both counts are adjacent in memory.
  template <class In, class A, class B, class C, class Count, number N, class First, class Second, class... Rest>
    requires(!number<C> && !number<Count>)
  static void If(In in, A first, B second, C others, Count counts, N n, First is_first, Second is_second, Rest...) {
    using T = value_of<In>;
    vector<T> all(n);
    const auto found = upsweep::three_way_partition(here(), on_upsweep::from(in, n), on_upsweep::memory_of(all),
                                                    upsweep::thrust_calls::shared<T>(is_first),
                                                    upsweep::thrust_calls::shared<T>(is_second));
    on_upsweep::put(all.begin(), found[0], first);
    on_upsweep::put(all.begin() + found[0], found[1], second);
    on_upsweep::put(all.begin() + found[0] + found[1], n - found[0] - found[1], others);
    counts[0] = found[0];
    counts[1] = found[1];
  }

 private:
  // By way of memory set aside, as the output may be the input.
  template <class In, class Out, class Count, class N, class Part>
  static void into(In, Out out, Count count, N n, Part part) {
    using T = value_of<In>;
    vector<T> passed(n), others(n);
    const auto kept = part(passed.data(), others.data());
    on_upsweep::put(passed.begin(), kept, out);
    if constexpr (std::random_access_iterator<Out>) {
      on_upsweep::put(others.begin(), n - kept, on_upsweep::backwards_from(out, n));
    } else {
      for (std::int64_t i = 0; i < static_cast<std::int64_t>(n) - kept; ++i) out[n - 1 - i] = others[i];
    }
    *count = kept;
  }
};

struct run_calls {
  template <class In, class Out, class Lengths, class Count, number N, class... Rest>
  static void Encode(In in, Out out, Lengths lengths, Count count, N n, Rest...) {
    using T = value_of<In>;
    vector<T> firsts(n);
    vector<std::uint64_t> found(n);
    const std::uint64_t runs = upsweep::run_length_encode(here(), on_upsweep::from(in, n),
                                                          on_upsweep::memory_of(firsts), on_upsweep::memory_of(found));
    on_upsweep::put(firsts, runs, out);
    on_upsweep::put(found, runs, lengths);
    *count = runs;
  }
  // The runs of two elements and more: where they begin, and their lengths.
  template <class In, class Offsets, class Lengths, class Count, number N, class... Rest>
  static void NonTrivialRuns(In in, Offsets offsets, Lengths lengths, Count count, N n, Rest...) {
    vector<std::uint64_t> found(n), begin, kept(n);
    const std::uint64_t runs = upsweep::run_length_encode(here(), on_upsweep::from(in, n), upsweep::discard_output,
                                                          on_upsweep::memory_of(found));
    found.resize(runs);
    begin.resize(runs);
    const auto lengths_of = on_upsweep::memory_of(found), begins = on_upsweep::memory_of(begin);
    const auto to = on_upsweep::memory_of(kept);
    upsweep::exclusive_scan(here(), lengths_of, begins);
    const auto longer = upsweep::greater_than(std::uint64_t{1});
    const std::uint64_t many = upsweep::copy_if(here(), begins, to, upsweep::stencil(lengths_of, longer));
    on_upsweep::put(kept, many, offsets);
    upsweep::copy_if(here(), lengths_of, to, longer);
    on_upsweep::put(kept, many, lengths);
    *count = many;
  }
};

struct DeviceSelect {
  ON_UPSWEEP_CALL(select_calls, If)
  ON_UPSWEEP_CALL(select_calls, Flagged)
  ON_UPSWEEP_CALL(select_calls, FlaggedIf)
  ON_UPSWEEP_CALL(select_calls, Unique)
  ON_UPSWEEP_CALL(select_calls, UniqueByKey)
};
struct DevicePartition {
  ON_UPSWEEP_CALL(partition_calls, If)
  ON_UPSWEEP_CALL(partition_calls, Flagged)
};
struct DeviceRunLengthEncode {
  ON_UPSWEEP_CALL(run_calls, Encode)
  ON_UPSWEEP_CALL(run_calls, NonTrivialRuns)
};

}  // namespace on_upsweep
