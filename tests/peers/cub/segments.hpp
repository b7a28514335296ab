// DeviceSegmentedReduce, DeviceSegmentedScan, DeviceSegmentedSort, DeviceSegmentedRadixSort.
#pragma once

#include "cub/folds.hpp"
#include "cub/sorts.hpp"

namespace on_upsweep {

// CUB's segments begin and end where two sequences say. Where each ends where the next begins, they are this library's;
// else each is a call of its own.
struct segments {
  template <class Begin, class End>
  segments(Begin begin, End end, std::int64_t n) {
    for (std::int64_t s = 0; s < n; ++s) {
      first.push_back(begin[s]);
      last.push_back(std::max<std::uint64_t>(begin[s], end[s]));
    }
    offsets = first;
    offsets.push_back(n ? last.back() : 0);
    for (std::int64_t s = 0; s < n; ++s) adjoin = adjoin && last[s] == offsets[s + 1];
  }
  segments(std::int64_t n, std::uint64_t each) {
    for (std::int64_t s = 0; s < n; ++s) {
      first.push_back(s * each);
      last.push_back((s + 1) * each);
    }
    offsets = first;
    offsets.push_back(n * each);
  }
  std::size_t size() const { return first.size(); }

  vector<std::uint64_t> first, last, offsets;
  bool adjoin = true;
};

struct segmented_reduce_calls {
  template <class In, class Out, class Op, class Init>
  static void fold(In in, Out out, const segments& of, Op op, Init init) {
    using A = accumulator<Op, Init, In>;
    if (of.adjoin) {
      const auto by = upsweep::thrust_calls::function<A, A>(op);
      const auto x = upsweep::thrust_calls::input_of<A>(in, of.offsets.back());
      const auto offsets = on_upsweep::memory_of(of.offsets);
      using By = std::remove_const_t<decltype(by)>;
      if constexpr (upsweep::thrust_calls::lacks_identity<A, By>) {
        using one = upsweep::thrust_calls::one_or_none<A>;
        vector<one> found(of.size());
        upsweep::segmented_reduce(here(), upsweep::views::transform(x, upsweep::thrust_calls::as_one<A>{}), offsets,
                                  on_upsweep::memory_of(found), one{static_cast<A>(init), true},
                                  upsweep::thrust_calls::of_ones<A, By>{by});
        on_upsweep::settled();
        for (std::size_t s = 0; s < of.size(); ++s) out[s] = found[s].value;
      } else {
        vector<A> found(of.size());
        upsweep::segmented_reduce(here(), x, offsets, on_upsweep::memory_of(found), static_cast<A>(init), by);
        on_upsweep::put(found, of.size(), out);
      }
    } else {
      for (std::size_t s = 0; s < of.size(); ++s)
        out[s] = thrust::reduce(by_thrust(), in + of.first[s], in + of.last[s], static_cast<A>(init), op);
    }
  }
  template <class In, class Out, class Less, class T>
  static void place(In in, Out out, const segments& of, Less less, T none) {
    for (std::size_t s = 0; s < of.size(); ++s) {
      const auto n = static_cast<std::int64_t>(of.last[s] - of.first[s]);
      const std::int64_t at = n ? folds::place_of_least(in + of.first[s], n, less) : 1;
      using P = output_value<Out, In>;
      P found{};
      if constexpr (requires { found.key; }) {
        found.key = static_cast<decltype(found.key)>(at);
        found.value = n ? static_cast<decltype(found.value)>(in[of.first[s] + at]) : none;
      } else {
        found.first = static_cast<decltype(found.first)>(at);
        found.second = n ? static_cast<decltype(found.second)>(in[of.first[s] + at]) : none;
      }
      out[s] = found;
    }
  }
#define ON_UPSWEEP_SEGMENTED(name, call, ...)                                       \
  template <class In, class Out, class Begin, class End, class... Rest>             \
    requires(!std::integral<Begin>)                                                 \
  static void name(In in, Out out, std::int64_t n, Begin begin, End end, Rest...) { \
    call(in, out, segments(begin, end, n), __VA_ARGS__);                            \
  }                                                                                 \
  template <class In, class Out, std::integral Size, class... Rest>                 \
  static void name(In in, Out out, std::int64_t n, Size size, Rest...) {            \
    call(in, out, segments(n, size), __VA_ARGS__);                                  \
  }
  ON_UPSWEEP_SEGMENTED(Sum, fold, ::cuda::std::plus<>{}, output_value<Out, In>{})
  ON_UPSWEEP_SEGMENTED(Min, fold, ::cuda::minimum<>{}, ::cuda::std::numeric_limits<value_of<In>>::max())
  ON_UPSWEEP_SEGMENTED(Max, fold, ::cuda::maximum<>{}, ::cuda::std::numeric_limits<value_of<In>>::lowest())
  ON_UPSWEEP_SEGMENTED(ArgMin, place, ::cuda::std::less<>{}, ::cuda::std::numeric_limits<value_of<In>>::max())
  ON_UPSWEEP_SEGMENTED(ArgMax, place, ::cuda::std::greater<>{}, ::cuda::std::numeric_limits<value_of<In>>::lowest())
#undef ON_UPSWEEP_SEGMENTED
  template <class In, class Out, class Begin, class End, class Op, class Init, class... Rest>
    requires(!std::integral<Begin>)
  static void Reduce(In in, Out out, std::int64_t n, Begin begin, End end, Op op, Init init, Rest...) {
    segmented_reduce_calls::fold(in, out, segments(begin, end, n), op, init);
  }
  template <class In, class Out, std::integral Size, class Op, class Init, class... Rest>
  static void Reduce(In in, Out out, std::int64_t n, Size size, Op op, Init init, Rest...) {
    segmented_reduce_calls::fold(in, out, segments(n, size), op, init);
  }
};

// Each segment's prefixes, to where a third sequence says, if there is one.
struct segmented_scan_calls {
  template <class In, class Out, class Begin, class End, class... Rest>
  static void ExclusiveSegmentedSum(In in, Out out, Begin begin, End end, Rest... rest) {
    segmented_scan_calls::by_offsets(
        begin, end,
        [&](const auto& of, const auto& to, auto...) {
          segmented_scan_calls::prefixes<false>(in, out, of, to, ::cuda::std::plus<>{}, value_of<In>{});
        },
        rest...);
  }
  template <class In, class Out, class Begin, class End, class... Rest>
  static void InclusiveSegmentedSum(In in, Out out, Begin begin, End end, Rest... rest) {
    segmented_scan_calls::by_offsets(
        begin, end,
        [&](const auto& of, const auto& to, auto...) {
          segmented_scan_calls::prefixes<true>(in, out, of, to, ::cuda::std::plus<>{});
        },
        rest...);
  }
  template <class In, class Out, class Begin, class End, class... Rest>
  static void ExclusiveSegmentedScan(In in, Out out, Begin begin, End end, Rest... rest) {
    segmented_scan_calls::by_offsets(
        begin, end,
        [&](const auto& of, const auto& to, auto op, auto init, auto...) {
          segmented_scan_calls::prefixes<false>(in, out, of, to, op, init);
        },
        rest...);
  }
  template <class In, class Out, class Begin, class End, class... Rest>
  static void InclusiveSegmentedScan(In in, Out out, Begin begin, End end, Rest... rest) {
    segmented_scan_calls::by_offsets(
        begin, end,
        [&](const auto& of, const auto& to, auto op, auto...) {
          segmented_scan_calls::prefixes<true>(in, out, of, to, op);
        },
        rest...);
  }
  template <class In, class Out, class Begin, class End, class... Rest>
  static void InclusiveSegmentedScanInit(In in, Out out, Begin begin, End end, Rest... rest) {
    segmented_scan_calls::by_offsets(
        begin, end,
        [&](const auto& of, const auto& to, auto op, auto init, auto...) {
          segmented_scan_calls::prefixes<true>(in, out, of, to, op, init);
        },
        rest...);
  }

 private:
  template <class Begin, class End, class Call, std::integral N, class... Rest>
  static void by_offsets(Begin begin, End end, Call call, N n, Rest... rest) {
    const segments of(begin, end, n);
    call(of, of.first, rest...);
  }
  template <class Begin, class End, class Call, class To, std::integral N, class... Rest>
  static void by_offsets(Begin begin, End end, Call call, To to, N n, Rest... rest) {
    call(segments(begin, end, n), on_upsweep::copied<std::uint64_t>(to, n), rest...);
  }

  template <bool Inclusive, class In, class Out, class Op, class... Init>
  static void prefixes(In in, Out out, const segments& of, const vector<std::uint64_t>& to, Op op, Init... init) {
    using First = std::tuple_element_t<sizeof...(Init), std::tuple<value_of<In>, Init...>>;
    using A = accumulator<Op, First, In>;
    const auto by = upsweep::thrust_calls::function<A, A>(op);
    if constexpr (!upsweep::thrust_calls::lacks_identity<A, std::remove_const_t<decltype(by)>>) {
      if (of.adjoin && to == of.first) {
        const std::uint64_t n = of.offsets.back(), begin = of.offsets.front();
        const auto x = upsweep::thrust_calls::input_of<A>(in, n);
        vector<A> found(n);
        const auto y = on_upsweep::memory_of(found);
        const auto offsets = on_upsweep::memory_of(of.offsets);
        if constexpr (Inclusive)
          upsweep::segmented_inclusive_scan(here(), x, offsets, y, static_cast<A>(init)..., by);
        else
          upsweep::segmented_exclusive_scan(here(), x, offsets, y, static_cast<A>(init)..., by);
        on_upsweep::put(found.begin() + begin, n - begin, out + begin);
        return;
      }
    }
    for (std::size_t s = 0; s < of.size(); ++s) {
      if constexpr (Inclusive)
        thrust::inclusive_scan(by_thrust(), in + of.first[s], in + of.last[s], out + to[s], static_cast<A>(init)...,
                               op);
      else
        thrust::exclusive_scan(by_thrust(), in + of.first[s], in + of.last[s], out + to[s], static_cast<A>(init)...,
                               op);
    }
  }
};

// The bits that a call may name behind its segments; all of them, where it names none.
template <class K, class... Rest>
std::pair<int, int> bits_of(Rest...) {
  return {0, static_cast<int>(sizeof(K) * CHAR_BIT)};
}
template <class K, std::integral First, std::integral Last, class... Rest>
std::pair<int, int> bits_of(First first, Last last, Rest...) {
  return {static_cast<int>(first), static_cast<int>(last)};
}

template <bool Descending>
struct segmented_sorts {
  template <class K, class Begin, class End, class... Rest>
  static void keys(const K* in, K* out, std::int64_t n, std::int64_t many, Begin begin, End end, Rest... rest) {
    if (n == 0) return;  // CUB reads no offsets then, and a test of its own gives one integer for all ends
    const segments of(begin, end, many);
    const auto [first, last] = on_upsweep::bits_of<K>(rest...);
    const bool whole = of.adjoin && of.offsets.front() == 0 && of.offsets.back() == static_cast<std::uint64_t>(n);
    if (whole && first < last)
      on_upsweep::ordered(in, out, n, first, last, Descending, [&](auto x, auto y, auto order) {
        upsweep::segmented_sort(here(), x, y, on_upsweep::memory_of(of.offsets), order);
      });
    else
      for (std::size_t s = 0; s < of.size(); ++s)
        radix_sorts<Descending>::keys(in + of.first[s], out + of.first[s], of.last[s] - of.first[s], first, last);
  }
  template <class K, class V, class Begin, class End, class... Rest>
  static void pairs(const K* in, K* out, const V* values, V* values_out, std::int64_t n, std::int64_t many, Begin begin,
                    End end, Rest... rest) {
    if (n == 0) return;
    const segments of(begin, end, many);
    const auto [first, last] = on_upsweep::bits_of<K>(rest...);
    const bool whole = of.adjoin && of.offsets.front() == 0 && of.offsets.back() == static_cast<std::uint64_t>(n);
    if (whole && first < last)
      on_upsweep::ordered(in, out, n, first, last, Descending, [&](auto x, auto y, auto order) {
        upsweep::segmented_sort_by_key(here(), x, on_upsweep::span_of(values, n), y, on_upsweep::span_of(values_out, n),
                                       on_upsweep::memory_of(of.offsets), order);
      });
    else
      for (std::size_t s = 0; s < of.size(); ++s)
        radix_sorts<Descending>::pairs(in + of.first[s], out + of.first[s], values + of.first[s],
                                       values_out + of.first[s], of.last[s] - of.first[s], first, last);
  }
  // Where nothing is to be sorted, the buffers stay as they are.
  template <class K, class... Rest>
  static void keys(cub::DoubleBuffer<K>& both, std::int64_t n, Rest... rest) {
    if (n == 0) return;
    segmented_sorts::keys(static_cast<const K*>(both.Current()), both.Alternate(), n, rest...);
    both.selector ^= 1;
  }
  template <class K, class V, class... Rest>
  static void pairs(cub::DoubleBuffer<K>& both, cub::DoubleBuffer<V>& values, std::int64_t n, Rest... rest) {
    if (n == 0) return;
    segmented_sorts::pairs(static_cast<const K*>(both.Current()), both.Alternate(),
                           static_cast<const V*>(values.Current()), values.Alternate(), n, rest...);
    both.selector ^= 1;
    values.selector ^= 1;
  }
};

struct segmented_sort_calls {
  template <class... A>
  static void SortKeys(A&&... a) {
    segmented_sorts<false>::keys(a...);
  }
  template <class... A>
  static void SortKeysDescending(A&&... a) {
    segmented_sorts<true>::keys(a...);
  }
  template <class... A>
  static void SortPairs(A&&... a) {
    segmented_sorts<false>::pairs(a...);
  }
  template <class... A>
  static void SortPairsDescending(A&&... a) {
    segmented_sorts<true>::pairs(a...);
  }
  template <class... A>
  static void StableSortKeys(A&&... a) {
    segmented_sorts<false>::keys(a...);
  }
  template <class... A>
  static void StableSortKeysDescending(A&&... a) {
    segmented_sorts<true>::keys(a...);
  }
  template <class... A>
  static void StableSortPairs(A&&... a) {
    segmented_sorts<false>::pairs(a...);
  }
  template <class... A>
  static void StableSortPairsDescending(A&&... a) {
    segmented_sorts<true>::pairs(a...);
  }
};

struct DeviceSegmentedReduce {
  ON_UPSWEEP_CALL(segmented_reduce_calls, Sum)
  ON_UPSWEEP_CALL(segmented_reduce_calls, Min)
  ON_UPSWEEP_CALL(segmented_reduce_calls, Max)
  ON_UPSWEEP_CALL(segmented_reduce_calls, ArgMin)
  ON_UPSWEEP_CALL(segmented_reduce_calls, ArgMax)
  ON_UPSWEEP_CALL(segmented_reduce_calls, Reduce)
};
struct DeviceSegmentedScan {
  ON_UPSWEEP_CALL(segmented_scan_calls, ExclusiveSegmentedSum)
  ON_UPSWEEP_CALL(segmented_scan_calls, InclusiveSegmentedSum)
  ON_UPSWEEP_CALL(segmented_scan_calls, ExclusiveSegmentedScan)
  ON_UPSWEEP_CALL(segmented_scan_calls, InclusiveSegmentedScan)
  ON_UPSWEEP_CALL(segmented_scan_calls, InclusiveSegmentedScanInit)
};
struct DeviceSegmentedRadixSort {
  ON_UPSWEEP_CALL(segmented_sort_calls, SortKeys)
  ON_UPSWEEP_CALL(segmented_sort_calls, SortKeysDescending)
  ON_UPSWEEP_CALL(segmented_sort_calls, SortPairs)
  ON_UPSWEEP_CALL(segmented_sort_calls, SortPairsDescending)
};
struct DeviceSegmentedSort : DeviceSegmentedRadixSort {
  ON_UPSWEEP_CALL(segmented_sort_calls, StableSortKeys)
  ON_UPSWEEP_CALL(segmented_sort_calls, StableSortKeysDescending)
  ON_UPSWEEP_CALL(segmented_sort_calls, StableSortPairs)
  ON_UPSWEEP_CALL(segmented_sort_calls, StableSortPairsDescending)
};

}  // namespace on_upsweep
