// Before a test of ParlayLib's: its calls, answered by this library where the elements lie side by side and are of a
// type that may be copied as bytes; by ParlayLib elsewhere. tabulate stays ParlayLib's: it makes the tests' input.
#pragma once

#include <gtest/gtest.h>
#include <parlay/monoid.h>
#include <parlay/primitives.h>
#include <parlay/sequence.h>

#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <type_traits>
#include <utility>

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

// --- elsewhere ---

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
}  // namespace on_upsweep

#define ON_UPSWEEP(name)                                                             \
  namespace on_upsweep {                                                             \
  template <class... Arguments>                                                      \
  decltype(auto) name(Arguments&&... arguments) {                                    \
    if constexpr (requires { ours::name(std::forward<Arguments>(arguments)...); }) { \
      ++calls;                                                                       \
      return ours::name(std::forward<Arguments>(arguments)...);                      \
    } else {                                                                         \
      return parlay::name(std::forward<Arguments>(arguments)...);                    \
    }                                                                                \
  }                                                                                  \
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
#undef ON_UPSWEEP
