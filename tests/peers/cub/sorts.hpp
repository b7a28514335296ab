// DeviceRadixSort, DeviceMergeSort, DeviceMerge, DeviceTopK.
#pragma once

#include <thrust/merge.h>
#include <thrust/sort.h>

#include <bit>
#include <climits>

#include "cub/calls.hpp"
#include "upsweep/grouped.hpp"
#include "upsweep/sort.hpp"

#if defined(__CUDACC__)
#include <cub/device/dispatch/dispatch_topk.cuh>
#else
namespace cub::detail::topk {
enum class select { min, max };
}
#endif

namespace on_upsweep {

// A key by the name that this library has for its type; void, where it has none (128 bits, structs).
template <class K>
auto named_key() {
  if constexpr (std::is_same_v<K, bool>) {
    return std::type_identity<std::uint8_t>{};
  } else if constexpr (std::is_integral_v<K> && sizeof(K) <= 8) {
    return std::type_identity<builtin_integer<K>>{};
  } else if constexpr (std::is_same_v<K, float> || std::is_same_v<K, double>) {
    return std::type_identity<K>{};
  } else if constexpr (std::is_same_v<K, half_t> || std::is_same_v<K, __half>) {
    return std::type_identity<upsweep::half>{};
  } else if constexpr (std::is_same_v<K, bfloat16_t> || std::is_same_v<K, __nv_bfloat16>) {
    return std::type_identity<upsweep::bfloat16>{};
  } else {
    return std::type_identity<void>{};
  }
}
struct no_key {};
template <class K>
using named = typename decltype(on_upsweep::named_key<std::remove_const_t<K>>())::type;
// Named, and sorted by its digits here.
template <class K>
inline constexpr bool is_named = upsweep::builtin_type<std::conditional_t<std::is_void_v<named<K>>, no_key, named<K>>>;
template <class K>
auto named_span(K* x, std::uint64_t n) {
  using T = std::conditional_t<std::is_const_v<K>, const named<K>, named<K>>;
  return on_upsweep::span_of(reinterpret_cast<T*>(x), n);
}

template <class Vector>
auto named_memory(Vector& x) {
  const auto s = on_upsweep::named_span(x.data(), x.size());
  return upsweep::device_span<std::remove_pointer_t<decltype(s.data())>>(s.data(), s.size());
}

// --- keys of several fields: the bits [first, last) of all of them side by side, the last field lowest ---

template <class T>
UPSWEEP_HD unsigned __int128 ordered_bits(const T& x) {
  if constexpr (sizeof(T) == 16) {
    const auto bits = std::bit_cast<unsigned __int128>(x);
    return static_cast<T>(-1) < static_cast<T>(0) ? bits ^ (static_cast<unsigned __int128>(1) << 127) : bits;
  } else if constexpr (std::is_same_v<named<T>, upsweep::bfloat16>) {  // the upper half of a float
    return on_upsweep::ordered_bits(std::bit_cast<float>(std::uint32_t{std::bit_cast<std::uint16_t>(x)} << 16)) >> 16;
  } else {
    using K = named<T>;
    return static_cast<unsigned __int128>(
        upsweep::order_bits_of<upsweep::order_for<K>>(std::bit_cast<upsweep::order_image<K>>(x)));
  }
}
template <class T>
UPSWEEP_HD unsigned __int128 window(const T& x, int first, int last) {
  constexpr int bits_there = sizeof(T) * CHAR_BIT;
  if (first < 0) first = 0;
  if (last > bits_there) last = bits_there;
  if (first >= last) return 0;
  const auto bits = on_upsweep::ordered_bits(x) >> first;
  return last - first == 128 ? bits : bits & ((static_cast<unsigned __int128>(1) << (last - first)) - 1);
}

struct whole_key {
  template <class K>
  UPSWEEP_HD auto operator()(K& key) const {
    return ::cuda::std::tuple<K&>(key);
  }
};
template <class Fields>
struct by_fields {
  Fields fields;
  int first, last;
  bool descending;
  template <class K>
  UPSWEEP_HD bool operator()(const K& a, const K& b) const {
    K x = a, y = b;
    const auto p = Fields(fields)(x), q = Fields(fields)(y);
    constexpr std::size_t many = ::cuda::std::tuple_size_v<std::remove_cvref_t<decltype(p)>>;
    const auto compared = [&]<std::size_t... I>(std::index_sequence<I...>) {
      const int widths[] = {static_cast<int>(sizeof(::cuda::std::get<I>(p)) * CHAR_BIT)...};
      int offset[many] = {}, order = 0;
      for (int f = static_cast<int>(many) - 2; f >= 0; --f) offset[f] = offset[f + 1] + widths[f + 1];
      const auto field = [&](const auto& u, const auto& v, int at) {
        const auto i = on_upsweep::window(u, first - at, last - at), j = on_upsweep::window(v, first - at, last - at);
        order = i < j ? -1 : i > j ? 1 : 0;
        return order == 0;
      };
      (void)(field(::cuda::std::get<I>(p), ::cuda::std::get<I>(q), offset[I]) && ...);
      return order;
    }(std::make_index_sequence<many>());
    return descending ? compared > 0 : compared < 0;
  }
};

// --- radix sorts ---

struct no_order {
  template <class T>
  UPSWEEP_HD bool operator()(const T&, const T&) const {
    return false;
  }
};

// One order for the three forms of a sort: by the library's radix sorts where its type has a name, else by comparisons.
template <class K, class KOut, class Sort>
void ordered(K* keys, KOut* out, std::uint64_t n, int first, int last, bool descending, Sort sort) {
  if (first >= last) return sort(on_upsweep::span_of(keys, n), on_upsweep::span_of(out, n), no_order{});
  if constexpr (is_named<K>)
    sort(on_upsweep::named_span(keys, n), on_upsweep::named_span(out, n),
         upsweep::sort_options{.descending = descending,
                               .first_bit = static_cast<unsigned>(first),
                               .last_bit = static_cast<unsigned>(last)});
  else
    sort(on_upsweep::span_of(keys, n), on_upsweep::span_of(out, n), by_fields<whole_key>{{}, first, last, descending});
}

template <bool Descending>
struct radix_sorts {
  template <class K, class N, class... Rest>
  static void keys(const K* in, K* out, N n, int first = 0, int last = sizeof(K) * CHAR_BIT, Rest...) {
    on_upsweep::ordered(in, out, n, first, last, Descending,
                        [](auto x, auto y, auto order) { upsweep::sort(here(), x, y, order); });
  }
  template <class K, class V, class N, class... Rest>
  static void pairs(const K* in, K* out, const V* values, V* values_out, N n, int first = 0,
                    int last = sizeof(K) * CHAR_BIT, Rest...) {
    on_upsweep::ordered(in, out, n, first, last, Descending, [=](auto x, auto y, auto order) {
      upsweep::sort_by_key(here(), x, on_upsweep::span_of(values, n), y, on_upsweep::span_of(values_out, n), order);
    });
  }
  template <class K, class N, class Fields, class... Rest>
    requires std::is_class_v<Fields>
  static void keys(const K* in, K* out, N n, Fields fields, int first = 0, int last = sizeof(K) * CHAR_BIT, Rest...) {
    upsweep::sort(here(), on_upsweep::span_of(in, n), on_upsweep::span_of(out, n),
                  by_fields<Fields>{fields, first, last, Descending});
  }
  template <class K, class V, class N, class Fields, class... Rest>
    requires std::is_class_v<Fields>
  static void pairs(const K* in, K* out, const V* values, V* values_out, N n, Fields fields, int first = 0,
                    int last = sizeof(K) * CHAR_BIT, Rest...) {
    upsweep::sort_by_key(here(), on_upsweep::span_of(in, n), on_upsweep::span_of(values, n),
                         on_upsweep::span_of(out, n), on_upsweep::span_of(values_out, n),
                         by_fields<Fields>{fields, first, last, Descending});
  }

  // Reports which of the two buffers holds the result.
  template <class K, class... Rest>
  static void keys(cub::DoubleBuffer<K>& both, Rest... rest) {
    radix_sorts::keys(static_cast<const K*>(both.Current()), both.Alternate(), rest...);
    both.selector ^= 1;
  }
  template <class K, class V, class... Rest>
  static void pairs(cub::DoubleBuffer<K>& both, cub::DoubleBuffer<V>& values, Rest... rest) {
    radix_sorts::pairs(static_cast<const K*>(both.Current()), both.Alternate(), static_cast<const V*>(values.Current()),
                       values.Alternate(), rest...);
    both.selector ^= 1;
    values.selector ^= 1;
  }
};

struct radix_sort_calls {
  template <class... A>
  static void SortKeys(A&&... a) {
    radix_sorts<false>::keys(a...);
  }
  template <class... A>
  static void SortKeysDescending(A&&... a) {
    radix_sorts<true>::keys(a...);
  }
  template <class... A>
  static void SortPairs(A&&... a) {
    radix_sorts<false>::pairs(a...);
  }
  template <class... A>
  static void SortPairsDescending(A&&... a) {
    radix_sorts<true>::pairs(a...);
  }
};

// --- merge sorts and merges ---

struct merge_sort_calls {
  template <class K, class N, class Less, class... Rest>
  static void StableSortKeys(K keys, N n, Less less, Rest...) {
    thrust::stable_sort(by_thrust(), keys, keys + n, less);
  }
  template <class... A>
  static void SortKeys(A... a) {
    merge_sort_calls::StableSortKeys(a...);
  }
  template <class In, class Out, class N, class Less, class... Rest>
  static void StableSortKeysCopy(In in, Out out, N n, Less less, Rest...) {
    thrust::copy(by_thrust(), in, in + n, out);
    thrust::stable_sort(by_thrust(), out, out + n, less);
  }
  template <class... A>
  static void SortKeysCopy(A... a) {
    merge_sort_calls::StableSortKeysCopy(a...);
  }
  template <class K, class V, class N, class Less, class... Rest>
  static void StableSortPairs(K keys, V values, N n, Less less, Rest...) {
    thrust::stable_sort_by_key(by_thrust(), keys, keys + n, values, less);
  }
  template <class... A>
  static void SortPairs(A... a) {
    merge_sort_calls::StableSortPairs(a...);
  }
  template <class K, class V, class KOut, class VOut, class N, class Less, class... Rest>
  static void SortPairsCopy(K keys, V values, KOut keys_out, VOut out, N n, Less less, Rest...) {
    thrust::copy(by_thrust(), keys, keys + n, keys_out);
    thrust::copy(by_thrust(), values, values + n, out);
    thrust::stable_sort_by_key(by_thrust(), keys_out, keys_out + n, out, less);
  }
};

struct merge_calls {
  template <class A, class B, class Out, class Less = ::cuda::std::less<>, class... Rest>
  static void MergeKeys(A a, std::int64_t n, B b, std::int64_t m, Out out, Less less = {}, Rest...) {
    thrust::merge(by_thrust(), a, a + n, b, b + m, out, less);
  }
  template <class A, class V, class B, class W, class Out, class VOut, class Less = ::cuda::std::less<>, class... Rest>
  static void MergePairs(A a, V v, std::int64_t n, B b, W w, std::int64_t m, Out out, VOut values_out, Less less = {},
                         Rest...) {
    thrust::merge_by_key(by_thrust(), a, a + n, b, b + m, v, w, out, values_out, less);
  }
};

// --- the first k; CUB leaves their order open, here they are in order ---

// Keys of the library's own types in their order; those of several fields as what takes them apart says.
template <bool Largest>
struct firsts {
  template <class T, class Call, class... Rest>
  static void in_order(const vector<T>& all, vector<T>& best, Call call, Rest... rest) {
    constexpr int bits = sizeof(T) * CHAR_BIT;
    if constexpr (is_named<T>)
      call(on_upsweep::named_memory(all), on_upsweep::named_memory(best), upsweep::sort_options{.descending = Largest});
    else if constexpr (sizeof...(Rest) == 0 || !std::is_class_v<T>)
      call(on_upsweep::memory_of(all), on_upsweep::memory_of(best), by_fields<whole_key>{{}, 0, bits, Largest});
    else
      call(on_upsweep::memory_of(all), on_upsweep::memory_of(best),
           by_fields<decltype(on_upsweep::first_of(rest...))>{on_upsweep::first_of(rest...), 0, bits, Largest});
  }
  template <class In, class Out, class N, class K, class... Rest>
  static void keys(In in, Out out, N n, K k, Rest... rest) {
    const auto all = on_upsweep::copied<value_of<In>>(in, n);
    vector<value_of<In>> best(std::min<std::uint64_t>(n, k));
    firsts::in_order(all, best, [](auto x, auto y, auto order) { upsweep::top_k(here(), x, y, order); }, rest...);
    on_upsweep::put(best, best.size(), out);
  }
  template <class In, class Out, class V, class VOut, class N, class K, class... Rest>
  static void pairs(In in, Out out, V values, VOut values_out, N n, K k, Rest... rest) {
    const auto all = on_upsweep::copied<value_of<In>>(in, n);
    const auto beside = on_upsweep::copied<value_of<V>>(values, n);
    const std::uint64_t m = std::min<std::uint64_t>(n, k);
    vector<value_of<In>> best(m);
    vector<value_of<V>> best_values(m);
    firsts::in_order(
        all, best,
        [&](auto x, auto y, auto order) {
          upsweep::top_k_by_key(here(), x, on_upsweep::memory_of(beside), y, on_upsweep::memory_of(best_values), order);
        },
        rest...);
    on_upsweep::put(best, m, out);
    on_upsweep::put(best_values, m, values_out);
  }
};
struct top_k_calls {
  template <class... A>
  static void MaxKeys(A... a) {
    firsts<true>::keys(a...);
  }
  template <class... A>
  static void MinKeys(A... a) {
    firsts<false>::keys(a...);
  }
  template <class... A>
  static void MaxPairs(A... a) {
    firsts<true>::pairs(a...);
  }
  template <class... A>
  static void MinPairs(A... a) {
    firsts<false>::pairs(a...);
  }
};

struct DeviceRadixSort {
  ON_UPSWEEP_CALL(radix_sort_calls, SortKeys)
  ON_UPSWEEP_CALL(radix_sort_calls, SortKeysDescending)
  ON_UPSWEEP_CALL(radix_sort_calls, SortPairs)
  ON_UPSWEEP_CALL(radix_sort_calls, SortPairsDescending)
};
struct DeviceMergeSort {
  ON_UPSWEEP_CALL(merge_sort_calls, SortKeys)
  ON_UPSWEEP_CALL(merge_sort_calls, SortKeysCopy)
  ON_UPSWEEP_CALL(merge_sort_calls, StableSortKeys)
  ON_UPSWEEP_CALL(merge_sort_calls, StableSortKeysCopy)
  ON_UPSWEEP_CALL(merge_sort_calls, SortPairs)
  ON_UPSWEEP_CALL(merge_sort_calls, SortPairsCopy)
  ON_UPSWEEP_CALL(merge_sort_calls, StableSortPairs)
};
struct DeviceMerge {
  ON_UPSWEEP_CALL(merge_calls, MergeKeys)
  ON_UPSWEEP_CALL(merge_calls, MergePairs)
};
struct DeviceTopK {
  ON_UPSWEEP_CALL(top_k_calls, MaxKeys)
  ON_UPSWEEP_CALL(top_k_calls, MinKeys)
  ON_UPSWEEP_CALL(top_k_calls, MaxPairs)
  ON_UPSWEEP_CALL(top_k_calls, MinPairs)
};

// What tests of the first k call in DeviceTopK's place.
template <cub::detail::topk::select Which, class In, class Out, class V, class VOut, class N, class K, class Env>
cudaError_t dispatch_topk_hub(void* scratch, std::size_t& bytes, In keys, Out keys_out, V values, VOut values_out, N n,
                              K k, const Env&) {
  constexpr bool largest = Which == cub::detail::topk::select::max;
  if constexpr (std::is_same_v<V, cub::NullType*> && largest)
    return DeviceTopK::MaxKeys(scratch, bytes, keys, keys_out, n, k);
  else if constexpr (std::is_same_v<V, cub::NullType*>)
    return DeviceTopK::MinKeys(scratch, bytes, keys, keys_out, n, k);
  else if constexpr (largest)
    return DeviceTopK::MaxPairs(scratch, bytes, keys, keys_out, values, values_out, n, k);
  else
    return DeviceTopK::MinPairs(scratch, bytes, keys, keys_out, values, values_out, n, k);
}

}  // namespace on_upsweep
