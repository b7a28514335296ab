// Before a test of ParlayLib's: its calls, answered by this library where the elements lie side by side and are of a
// type that may be copied as bytes; by ParlayLib elsewhere. What goes by key takes any sequence with random access: its
// keys and values are laid out first. Sorts of parlay::internal are this library's one sort. tabulate stays
// ParlayLib's: it makes the tests' input.
#pragma once

#include <gtest/gtest.h>
#include <parlay/monoid.h>
#include <parlay/primitives.h>
#include <parlay/sequence.h>

#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "upsweep/upsweep.hpp"

namespace on_upsweep {

inline int calls = 0;
inline const upsweep::context here = upsweep::context::cpu();

template <class R>
using value_in = std::remove_cvref_t<decltype(*std::begin(std::declval<R&>()))>;
template <class R>
concept plain = std::contiguous_iterator<decltype(std::begin(std::declval<R&>()))> && requires(R& r) {
  r.size();
} && std::is_trivially_copyable_v<value_in<R>> && std::copyable<value_in<R>> && !std::is_same_v<value_in<R>, bool>;

template <class Monoid>
struct of_monoid {
  Monoid m;
  auto identity() const { return m.identity; }
  template <class T>
  T operator()(const T& a, const T& b) const {
    return m(a, b);
  }
};

namespace ours {

template <plain R>
auto view(R& r) {
  return std::span(std::to_address(std::begin(r)), r.size());
}
template <class T>
auto sequence(std::size_t n) {
  return parlay::sequence<T>(n);
}
template <class R>
auto at(R& r, std::uint64_t place) {
  return std::begin(r) + static_cast<std::ptrdiff_t>(place);
}

// --- folds and scans ---

template <plain R, class M = parlay::plus<value_in<R>>>
  requires parlay::is_monoid_v<M>
auto reduce(R&& r, M m = {}) {
  return upsweep::reduce(here, view(r), of_monoid<M>{m});
}
template <plain R, class M = parlay::plus<value_in<R>>>
  requires parlay::is_monoid_v<M>
auto scan_inplace(R&& r, M m = {}) {
  const auto total = ours::reduce(r, m);
  upsweep::exclusive_scan(here, view(r), view(r), of_monoid<M>{m});
  return total;
}
template <plain R, class M = parlay::plus<value_in<R>>>
  requires parlay::is_monoid_v<M>
auto scan_inclusive_inplace(R&& r, M m = {}) {
  const auto total = ours::reduce(r, m);
  upsweep::inclusive_scan(here, view(r), view(r), of_monoid<M>{m});
  return total;
}
template <plain R, class M = parlay::plus<value_in<R>>>
  requires parlay::is_monoid_v<M>
auto scan(R&& r, M m = {}) {
  auto out = sequence<value_in<R>>(r.size());
  upsweep::exclusive_scan(here, view(r), view(out), of_monoid<M>{m});
  return std::pair(std::move(out), ours::reduce(r, m));
}
template <plain R, class M = parlay::plus<value_in<R>>>
  requires parlay::is_monoid_v<M>
auto scan_inclusive(R&& r, M m = {}) {
  auto out = sequence<value_in<R>>(r.size());
  upsweep::inclusive_scan(here, view(r), view(out), of_monoid<M>{m});
  return out;
}

// --- selections ---

template <plain R, plain Out, class Test>
std::size_t filter_into_uninitialized(R&& r, Out&& out, Test test) {
  return upsweep::copy_if(here, view(r), view(out), test);
}

template <plain R, class Test>
auto filter(R&& r, Test test) {
  auto out = sequence<value_in<R>>(r.size());
  out.resize(upsweep::copy_if(here, view(r), view(out), test));
  return out;
}
template <plain R, class Test>
auto remove_if(R&& r, Test test) {
  return ours::filter(r, std::not_fn(test));
}
template <plain R, plain B>
auto pack(R&& r, B&& kept) {
  auto out = sequence<value_in<R>>(r.size());
  const auto set = [](const auto& x) { return static_cast<bool>(x); };
  out.resize(upsweep::copy_if(here, view(r), view(out), upsweep::stencil(view(kept), set)));
  return out;
}
template <plain R, plain B, plain Out>
std::size_t pack_into_uninitialized(R&& r, B&& kept, Out&& out) {
  const auto set = [](const auto& x) { return static_cast<bool>(x); };
  return upsweep::copy_if(here, view(r), view(out), upsweep::stencil(view(kept), set));
}
template <plain B>
auto pack_index(B&& kept) {
  auto out = sequence<std::size_t>(kept.size());
  const auto set = [](const auto& x) { return static_cast<bool>(x); };
  const auto places = upsweep::views::iota<std::size_t>(0, kept.size());
  out.resize(upsweep::copy_if(here, places, view(out), upsweep::stencil(view(kept), set)));
  return out;
}
template <plain R>
auto remove(R&& r, const value_in<R>& value) {
  return ours::filter(r, [value](const value_in<R>& x) { return !(x == value); });
}
template <plain R, class F>
auto filter_map(R&& r, F f) {
  auto out = sequence<std::remove_cvref_t<decltype(*f(*std::begin(r)))>>(r.size());
  out.resize(upsweep::filter_map(here, view(r), view(out), f));
  return out;
}
template <plain R>
auto unique(R&& r) {
  auto out = sequence<value_in<R>>(r.size());
  out.resize(upsweep::unique(here, view(r), view(out)));
  return out;
}
template <plain R, class Equal>
auto unique(R&& r, Equal equal) {
  auto out = sequence<value_in<R>>(r.size());
  out.resize(upsweep::unique(here, view(r), view(out), equal));
  return out;
}

// --- sorts ---

template <plain R, class Less = std::less<>>
void stable_sort_inplace(R&& r, Less less = {}) {
  upsweep::sort(here, view(r), less);
}
template <plain R, class Less = std::less<>>
void sort_inplace(R&& r, Less less = {}) {
  ours::stable_sort_inplace(r, less);
}
template <plain R, class Less = std::less<>>
auto stable_sort(R&& r, Less less = {}) {
  auto out = sequence<value_in<R>>(r.size());
  upsweep::sort(here, view(r), view(out), less);
  return out;
}
template <plain R, class Less = std::less<>>
auto sort(R&& r, Less less = {}) {
  return ours::stable_sort(r, less);
}
template <plain R>
  requires std::unsigned_integral<value_in<R>>
void integer_sort_inplace(R&& r) {
  upsweep::sort(here, view(r));
}
template <plain R>
  requires std::unsigned_integral<value_in<R>>
auto integer_sort(R&& r) {
  return ours::stable_sort(r);
}
template <plain R>
  requires std::unsigned_integral<value_in<R>>
void stable_integer_sort_inplace(R&& r) {
  upsweep::sort(here, view(r));
}
template <plain R, class Less = std::less<>>
auto remove_duplicates_ordered(R&& r, Less less = {}) {
  auto sorted = ours::stable_sort(r, less);
  const auto same = [less](const value_in<R>& a, const value_in<R>& b) { return !less(a, b) && !less(b, a); };
  sorted.resize(upsweep::unique(here, view(sorted), same));
  return sorted;
}
template <plain R, class Less = std::less<>>
auto kth_smallest_copy(R&& r, std::size_t k, Less less = {}) {
  return upsweep::nth_element(here, view(r), k, less);
}
template <plain R, class Less = std::less<>>
auto kth_smallest(R&& r, std::size_t k, Less less = {}) {
  std::vector<std::uint64_t> order(r.size());
  upsweep::argsort(here, view(r), order, less);
  return at(r, order[k]);
}
template <plain R>
auto rank(R&& r) {
  auto out = sequence<std::size_t>(r.size());
  upsweep::rank(here, view(r), view(out));
  return out;
}
template <plain R, class Less>
auto rank(R&& r, Less less) {
  auto out = sequence<std::size_t>(r.size());
  upsweep::rank(here, view(r), view(out), less);
  return out;
}
template <plain A, plain B, class Less = std::less<>>
auto merge(A&& a, B&& b, Less less = {}) {
  auto out = sequence<value_in<A>>(a.size() + b.size());
  upsweep::merge(here, view(a), view(b), view(out), less);
  return out;
}
template <plain R, class... Less>
bool is_sorted(R&& r, Less... less) {
  return upsweep::is_sorted(here, view(r), less...);
}
template <plain R, class Less = std::less<>>
auto is_sorted_until(R&& r, Less less = {}) {
  return at(r, upsweep::is_sorted_until(here, view(r), less));
}

// --- searches ---

template <plain R, class Test>
std::size_t count_if(R&& r, Test test) {
  return upsweep::count_if(here, view(r), test);
}
template <plain R>
std::size_t count(R&& r, const value_in<R>& value) {
  return upsweep::count_if(here, view(r), [value](const value_in<R>& x) { return x == value; });
}
template <plain R, class Test>
auto find_if(R&& r, Test test) {
  return at(r, upsweep::find_if(here, view(r), test));
}
template <plain R, class Test>
auto find_if_not(R&& r, Test test) {
  return at(r, upsweep::find_if_not(here, view(r), test));
}
template <plain R>
auto find(R&& r, const value_in<R>& value) {
  return at(r, upsweep::find_if(here, view(r), [value](const value_in<R>& x) { return x == value; }));
}
template <plain R, class Test>
bool all_of(R&& r, Test test) {
  return upsweep::all_of(here, view(r), test);
}
template <plain R, class Test>
bool any_of(R&& r, Test test) {
  return upsweep::any_of(here, view(r), test);
}
template <plain R, class Test>
bool none_of(R&& r, Test test) {
  return upsweep::none_of(here, view(r), test);
}
template <plain R, class Test>
bool is_partitioned(R&& r, Test test) {
  return upsweep::is_partitioned(here, view(r), test);
}
// Of the length that both have.
template <plain A, plain B, class Equal = std::equal_to<>>
auto mismatch(A&& a, B&& b, Equal equal = {}) {
  const std::size_t n = std::min<std::size_t>(a.size(), b.size());
  const std::uint64_t place = upsweep::mismatch(here, view(a).first(n), view(b).first(n), equal);
  return std::make_pair(at(a, place), at(b, place));
}
template <plain A, plain B, class Equal = std::equal_to<>>
bool equal(A&& a, B&& b, Equal same = {}) {
  return a.size() == b.size() && upsweep::mismatch(here, view(a), view(b), same) == a.size();
}
template <plain R, class Less = std::less<>>
auto min_element(R&& r, Less less = {}) {
  return at(r, upsweep::argmin(here, view(r), less));
}
template <plain R, class Less = std::less<>>
auto max_element(R&& r, Less less = {}) {
  return at(r, upsweep::argmax(here, view(r), less));
}

template <plain R>
auto minmax_element(R&& r) {
  if (r.size() == 0) return std::make_pair(std::begin(r), std::begin(r));
  const auto [least, greatest] = upsweep::minmax_element(here, view(r));
  return std::make_pair(at(r, least), at(r, greatest));
}
template <plain R, class Equal = std::equal_to<>>
auto adjacent_find(R&& r, Equal equal = {}) {
  return at(r, upsweep::adjacent_find(here, view(r), equal));
}
template <plain R, plain S, class Equal = std::equal_to<>>
auto find_first_of(R&& r, S&& set, Equal equal = {}) {
  return at(r, upsweep::find_first_of(here, view(r), view(set), equal));
}
template <plain R, plain S, class Equal = std::equal_to<>>
auto search(R&& r, S&& pattern, Equal equal = {}) {
  return at(r, upsweep::search(here, view(r), view(pattern), equal));
}
template <plain A, plain B, class Less = std::less<>>
bool lexicographical_compare(A&& a, B&& b, Less less = {}) {
  return upsweep::lexicographical_compare(here, view(a), view(b), less);
}

// --- by key ---

template <class T>
concept key = upsweep::builtin_type<T> && std::integral<T>;
template <class R>
concept pairs =
    requires { typename std::tuple_element_t<1, value_in<R>>; } && key<std::tuple_element_t<0, value_in<R>>> &&
    std::is_trivially_copyable_v<std::tuple_element_t<1, value_in<R>>> &&
    std::random_access_iterator<decltype(std::begin(std::declval<R&>()))>;
template <class R>
concept keys = key<value_in<R>> && std::random_access_iterator<decltype(std::begin(std::declval<R&>()))>;

// Any keys, and pairs of keys and values, side by side.
template <class K, class V>
struct keyed {
  std::vector<K> keys;
  std::vector<V> values;
};
template <class K, pairs R>
auto apart(R& r) {
  keyed<K, std::tuple_element_t<1, value_in<R>>> all;
  for (auto it = std::begin(r); it != std::end(r); ++it) {
    const auto& [k, v] = *it;
    all.keys.push_back(static_cast<K>(k));
    all.values.push_back(v);
  }
  return all;
}
template <class K, class R>
std::vector<K> laid_out(R& r) {
  return std::vector<K>(std::begin(r), std::end(r));
}

template <pairs R, class M = parlay::plus<std::tuple_element_t<1, value_in<R>>>>
  requires parlay::is_monoid_v<M>
auto reduce_by_key(R&& r, M m = {}) {
  using K = std::tuple_element_t<0, value_in<R>>;
  using V = std::tuple_element_t<1, value_in<R>>;
  auto all = ours::apart<K>(r);
  upsweep::sort_by_key(here, all.keys, all.values);
  std::vector<K> kept(all.keys.size());
  std::vector<V> sums(all.keys.size());
  const std::uint64_t n = upsweep::reduce_by_key(here, all.keys, all.values, kept, sums, of_monoid<M>{m});
  return parlay::tabulate(n, [&](std::size_t i) { return std::pair<K, V>(kept[i], sums[i]); });
}
template <pairs R>
auto group_by_key_ordered(R&& r) {
  using K = std::tuple_element_t<0, value_in<R>>;
  using V = std::tuple_element_t<1, value_in<R>>;
  const auto all = ours::apart<K>(r);
  std::vector<K> sorted(all.keys.size());
  std::vector<V> beside(all.keys.size());
  std::vector<std::uint64_t> offsets(all.keys.size() + 1);
  const std::uint64_t n = upsweep::group_by_key(here, all.keys, all.values, sorted, beside, offsets);
  return parlay::tabulate(n, [&](std::size_t i) {
    return std::pair(sorted[offsets[i]],
                     parlay::sequence<V>(beside.data() + offsets[i], beside.data() + offsets[i + 1]));
  });
}
template <pairs R>
auto group_by_key(R&& r) {
  return ours::group_by_key_ordered(r);
}
template <pairs R>
auto group_by_index(R&& r, std::size_t buckets) {
  using V = std::tuple_element_t<1, value_in<R>>;
  parlay::sequence<parlay::sequence<V>> out(buckets);
  for (auto& [k, v] : ours::group_by_key_ordered(r)) out[k] = v;
  return out;
}
template <keys R>
auto histogram_by_key(R&& r) {
  using K = value_in<R>;
  const auto all = ours::laid_out<K>(r);
  std::vector<K> kept(all.size());
  std::vector<std::uint64_t> counts(all.size());
  const std::uint64_t n = upsweep::histogram_by_key(here, all, kept, counts);
  return parlay::tabulate(n, [&](std::size_t i) { return std::pair<K, std::size_t>(kept[i], counts[i]); });
}
template <keys R>
auto remove_duplicates(R&& r) {
  const auto all = ours::laid_out<value_in<R>>(r);
  auto out = sequence<value_in<R>>(all.size());
  out.resize(upsweep::remove_duplicates(here, all, view(out)));
  return out;
}
template <keys R>
auto remove_duplicate_integers(R&& r, std::size_t) {
  return ours::remove_duplicates(r);
}
template <pairs R, class M = parlay::plus<std::tuple_element_t<1, value_in<R>>>>
  requires parlay::is_monoid_v<M>
auto reduce_by_index(R&& r, std::size_t buckets, M m = {}) {
  const auto all = ours::apart<std::uint64_t>(r);
  auto out = sequence<std::tuple_element_t<1, value_in<R>>>(buckets);
  upsweep::reduce_by_index(here, all.keys, all.values, view(out), of_monoid<M>{m});
  return out;
}
template <keys R, class Size>
auto histogram_by_index(R&& r, Size buckets) {
  const auto all = ours::laid_out<std::uint32_t>(r);
  std::vector<std::uint64_t> counts(static_cast<std::size_t>(buckets));
  upsweep::histogram(here, all, counts, 0, static_cast<std::int64_t>(buckets));
  return parlay::tabulate(counts.size(), [&](std::size_t i) { return static_cast<Size>(counts[i]); });
}

// --- elsewhere ---

template <plain R, plain Out>
  requires std::same_as<value_in<R>, value_in<Out>>
void copy(R&& r, Out&& out) {
  upsweep::copy(here, view(r), view(out).first(r.size()));
}
template <plain R, class F>
void for_each(R&& r, F f) {
  const auto x = view(r);
  upsweep::for_each_index(here, x.size(), [x, &f](std::uint64_t i) { f(x[i]); });
}
template <plain R>
auto rotate(R&& r, std::size_t first) {
  auto out = sequence<value_in<R>>(r.size());
  upsweep::rotate_copy(here, view(r), first, view(out));
  return out;
}

template <plain R>
void reverse_inplace(R&& r) {
  upsweep::reverse(here, view(r));
}
template <plain R>
auto reverse(R&& r) {
  auto out = sequence<value_in<R>>(r.size());
  upsweep::reverse_copy(here, view(r), view(out));
  return out;
}
template <plain R, class F>
  requires std::is_trivially_copyable_v<std::invoke_result_t<F&, value_in<R>&>>
auto map(R&& r, F f) {
  auto out = sequence<std::remove_cvref_t<std::invoke_result_t<F&, value_in<R>&>>>(r.size());
  upsweep::transform(here, view(r), view(out), f);
  return out;
}

}  // namespace ours

// The sorts that ParlayLib's are made of; a last argument asks for a stable one.
namespace ours_within {

template <plain R, class Less>
auto merge_sort(R&& r, Less less) {
  return ours::stable_sort(r, less);
}
template <plain R, class Less>
void merge_sort_inplace(R&& r, Less less) {
  ours::stable_sort_inplace(r, less);
}
template <plain R, class Less, class... Stable>
auto sample_sort(R&& r, Less less, Stable...) {
  return ours::stable_sort(r, less);
}
template <plain R, class Less, class... Stable>
void sample_sort_inplace(R&& r, Less less, Stable...) {
  ours::stable_sort_inplace(r, less);
}
template <plain R, class Less>
void quicksort(R&& r, Less less) {
  ours::sort_inplace(r, less);
}
template <plain R, class Less, class... Stable>
void bucket_sort(R&& r, Less less, Stable...) {
  ours::stable_sort_inplace(r, less);
}

}  // namespace ours_within
}  // namespace on_upsweep

#define ON_UPSWEEP_OR(scope, name, theirs)                                            \
  template <class... Arguments>                                                       \
  decltype(auto) name(Arguments&&... arguments) {                                     \
    if constexpr (requires { scope::name(std::forward<Arguments>(arguments)...); }) { \
      ++calls;                                                                        \
      return scope::name(std::forward<Arguments>(arguments)...);                      \
    } else {                                                                          \
      return theirs::name(std::forward<Arguments>(arguments)...);                     \
    }                                                                                 \
  }
#define ON_UPSWEEP(name)              \
  namespace on_upsweep {              \
  ON_UPSWEEP_OR(ours, name, ::parlay) \
  }
#define ON_UPSWEEP_WITHIN(name)                        \
  namespace on_upsweep::internal {                     \
  ON_UPSWEEP_OR(ours_within, name, ::parlay::internal) \
  }
ON_UPSWEEP(reduce)
ON_UPSWEEP(scan_inplace)
ON_UPSWEEP(scan_inclusive_inplace)
ON_UPSWEEP(scan)
ON_UPSWEEP(scan_inclusive)
ON_UPSWEEP(filter)
ON_UPSWEEP(remove_if)
ON_UPSWEEP(pack)
ON_UPSWEEP(unique)
ON_UPSWEEP(stable_sort_inplace)
ON_UPSWEEP(sort_inplace)
ON_UPSWEEP(stable_sort)
ON_UPSWEEP(sort)
ON_UPSWEEP(integer_sort_inplace)
ON_UPSWEEP(integer_sort)
ON_UPSWEEP(merge)
ON_UPSWEEP(is_sorted)
ON_UPSWEEP(is_sorted_until)
ON_UPSWEEP(count_if)
ON_UPSWEEP(count)
ON_UPSWEEP(find_if)
ON_UPSWEEP(find_if_not)
ON_UPSWEEP(find)
ON_UPSWEEP(all_of)
ON_UPSWEEP(any_of)
ON_UPSWEEP(none_of)
ON_UPSWEEP(is_partitioned)
ON_UPSWEEP(mismatch)
ON_UPSWEEP(equal)
ON_UPSWEEP(min_element)
ON_UPSWEEP(max_element)
ON_UPSWEEP(reverse_inplace)
ON_UPSWEEP(reverse)
ON_UPSWEEP(map)
ON_UPSWEEP(filter_into_uninitialized)
ON_UPSWEEP(pack_into_uninitialized)
ON_UPSWEEP(pack_index)
ON_UPSWEEP(remove)
ON_UPSWEEP(filter_map)
ON_UPSWEEP(stable_integer_sort_inplace)
ON_UPSWEEP(remove_duplicates_ordered)
ON_UPSWEEP(kth_smallest_copy)
ON_UPSWEEP(kth_smallest)
ON_UPSWEEP(rank)
ON_UPSWEEP(minmax_element)
ON_UPSWEEP(adjacent_find)
ON_UPSWEEP(find_first_of)
ON_UPSWEEP(search)
ON_UPSWEEP(lexicographical_compare)
ON_UPSWEEP(reduce_by_key)
ON_UPSWEEP(group_by_key_ordered)
ON_UPSWEEP(group_by_key)
ON_UPSWEEP(group_by_index)
ON_UPSWEEP(histogram_by_key)
ON_UPSWEEP(remove_duplicates)
ON_UPSWEEP(remove_duplicate_integers)
ON_UPSWEEP(reduce_by_index)
ON_UPSWEEP(histogram_by_index)
ON_UPSWEEP(copy)
ON_UPSWEEP(for_each)
ON_UPSWEEP(rotate)
ON_UPSWEEP_WITHIN(merge_sort)
ON_UPSWEEP_WITHIN(merge_sort_inplace)
ON_UPSWEEP_WITHIN(sample_sort)
ON_UPSWEEP_WITHIN(sample_sort_inplace)
ON_UPSWEEP_WITHIN(quicksort)
ON_UPSWEEP_WITHIN(bucket_sort)
#undef ON_UPSWEEP
#undef ON_UPSWEEP_WITHIN
#undef ON_UPSWEEP_OR
