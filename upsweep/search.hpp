// search: what passes a test is counted and found; two inputs are compared; the least and the greatest and where they
// stand; many values are looked up in a sorted range.
//
//   std::uint64_t cold = upsweep::count_if(gpu, x.span(), upsweep::less_than(0.0f));
//   std::uint64_t at = upsweep::find_if(cpu, words, [](const std::string& w) { return w.size() > 9; });
//   bool same = upsweep::equal(gpu, x.span(), y.span());
//   std::uint64_t best = upsweep::argmax(gpu, scores.span());
//   upsweep::argmax(gpu, scores.span(), place.span());                                // the place stays on the device
//   upsweep::lower_bound(gpu, edges.span(), values.span(), bins.span());              // many values at once
//
//   count_if, count, any_of, all_of, none_of      of elements that pass a test, or are equal to a value
//   find_if, find_if_not, find                    the first of them
//   adjacent_find                                 the first that is equal to the one behind it
//   find_first_of                                 the first that is equal to one of a set
//   search                                        where a sequence first stands in another one
//   mismatch, equal                               the first place at which two inputs differ; whether there is none
//   lexicographical_compare                       whether one input stands before another as words do
//   argmin, argmax (min_element, max_element), minmax_element               places; minmax: the elements themselves
//   lower_bound, upper_bound, equal_range, binary_search                    of every query in a sorted range
//   partition_point, is_partitioned               where what passes ends, if it all stands first
//
// Result       Places are u64, and n, the input's size, where nothing is found; always the first that will do. Two
//              inputs of different sizes are looked at as far as the shorter goes: mismatch is its size where they
//              agree, equal says no. argmin and argmax of nothing are 0; minmax of nothing is an error. lower_bound is
//              how many of the sorted elements are less than the query, upper_bound how many are not greater, written
//              as u64 or u32.
// NaN          Elements are equal, and one stands before another, as == and < say. argmin, argmax and their kin pass
//              NaNs over: theirs are the extremes of what is no NaN, and 0 where all are. Bounds take NaNs to stand
//              last, as sort leaves them.
// Inputs       device spans, buffers, ranges with random access and a size, and what inputs.hpp makes as it is read.
// Tests        less_than(x) and its kin (operators/comparisons.hpp) on built-in types, from any .cpp file; tests and
//              comparisons of your own on the CPU, on CUDA where nvcc compiles the call, and there and on OpenCL, of
//              inputs in memory or made by texts, where they carry their C text (opencl/custom.hpp says how). A
//              comparison is a strict weak order: std::less, std::greater, or bool(T a, T b).
// Requires     tests and comparisons callable as const, from several threads at once, with one answer whenever they are
//              asked. Sorted ranges are sorted by that comparison.
// Work         n tests or comparisons; on the CPU what finds a first one stops there. search and find_first_of: n·m at
//              most. Bounds: log2 m a query. partition_point bisects what the CPU reads, and looks through what it
//              cannot.
// Scratch      O(1) on a GPU, O(blocks) on the CPU, owned by the context; none allocated in the second call.
// Determinism  The same on every device.
// Asynchrony   What returns a value waits for it. With an output span of one element, and bounds, on device memory:
//              enqueued. Host memory: done on return; streamed through the device in chunks, except that sets, patterns
//              and sorted ranges must fit.
// Errors       upsweep::error: an output of another size, overlap, a test, comparison or type that the device cannot
//              take.
#pragma once

#include "upsweep/inputs.hpp"
#include "upsweep/search/enqueue.hpp"

namespace upsweep {
inline namespace UPSWEEP_COMPILED {

// ---- Tests of one element

template <class X, class Test, class By = this_compiler>
  requires(!is_device_span<Test>)
std::uint64_t count_if(const context& where, const X& in, const Test& test) {
  search_room::require_test<X, Test>();
  return search_room::asked<By, search_room::primitive::count_if>(where, search_room::asked_whether("count_if", test),
                                                                  in);
}
template <class X, class Test, class By = this_compiler>
void count_if(const context& where, const X& in, device_span<std::uint64_t> out, const Test& test) {
  search_room::require_test<X, Test>();
  search_room::ask_on_device<By, search_room::primitive::count_if>(where, search_room::asked_whether("count_if", test),
                                                                   out, in);
}

template <class X, class Test, class By = this_compiler>
  requires(!is_device_span<Test>)
std::uint64_t find_if(const context& where, const X& in, const Test& test) {
  search_room::require_test<X, Test>();
  return search_room::asked<By, search_room::primitive::find_if>(where, search_room::asked_whether("find_if", test),
                                                                 in);
}
template <class X, class Test, class By = this_compiler>
void find_if(const context& where, const X& in, device_span<std::uint64_t> out, const Test& test) {
  search_room::require_test<X, Test>();
  search_room::ask_on_device<By, search_room::primitive::find_if>(where, search_room::asked_whether("find_if", test),
                                                                  out, in);
}

template <class X, class Test, class By = this_compiler>
  requires(!is_device_span<Test>)
std::uint64_t find_if_not(const context& where, const X& in, const Test& test) {
  search_room::require_test<X, Test>();
  return search_room::asked<By, search_room::primitive::find_if>(
      where, search_room::asked_whether("find_if_not", test, true), in);
}
template <class X, class Test, class By = this_compiler>
void find_if_not(const context& where, const X& in, device_span<std::uint64_t> out, const Test& test) {
  search_room::require_test<X, Test>();
  search_room::ask_on_device<By, search_room::primitive::find_if>(
      where, search_room::asked_whether("find_if_not", test, true), out, in);
}

template <class X, class Test>
bool any_of(const context& where, const X& in, const Test& test) {
  return upsweep::find_if(where, in, test) < core::elements_in(in);
}
template <class X, class Test>
bool none_of(const context& where, const X& in, const Test& test) {
  return !upsweep::any_of(where, in, test);
}
template <class X, class Test>
bool all_of(const context& where, const X& in, const Test& test) {
  return upsweep::find_if_not(where, in, test) == core::elements_in(in);
}

// Of elements equal to a value.
template <class X, class V>
std::uint64_t count(const context& where, const X& in, const V& value) {
  core::require_input<X>();
  return search_room::with_value<core::value_of<X>>(
      value, std::uint64_t{0}, [&](const auto& test) { return upsweep::count_if(where, in, test); });
}
template <class X, class V>
std::uint64_t find(const context& where, const X& in, const V& value) {
  core::require_input<X>();
  return search_room::with_value<core::value_of<X>>(
      value, core::elements_in(in), [&](const auto& test) { return upsweep::find_if(where, in, test); });
}

// ---- Partitions

template <class X, class Test, class By = this_compiler>
std::uint64_t partition_point(const context& where, const X& in, const Test& test) {
  search_room::require_test<X, Test>();
  if (where.kind() != backend::cpu && core::home_of<X> == home::device) return upsweep::find_if_not(where, in, test);
  return search_room::bisected(core::reading(in), core::elements_in(in), test);
}

template <class X, class Test, class By = this_compiler>
bool is_partitioned(const context& where, const X& in, const Test& test) {
  const std::uint64_t point = upsweep::find_if_not(where, in, test);
  return upsweep::none_of(where, search_room::rest_of(in, point), test);
}

// ---- Neighbours, sets, patterns

template <class X, class Equal = std::equal_to<>, class By = this_compiler>
std::uint64_t adjacent_find(const context& where, const X& in, const Equal& equal = {}) {
  search_room::require_relation<X, X, Equal>();
  return search_room::asked<By, search_room::primitive::find_if>(
      where, search_room::comparing<search_room::seek::adjacent, X>("adjacent_find", equal), in);
}

template <class X, class Set, class Equal = std::equal_to<>, class By = this_compiler>
std::uint64_t find_first_of(const context& where, const X& in, const Set& set, const Equal& equal = {}) {
  search_room::require_relation<X, Set, Equal>();
  return search_room::asked<By, search_room::primitive::find_if>(
      where, search_room::comparing<search_room::seek::one_of, X>("find_first_of", equal), in, set);
}

// An empty pattern stands at 0.
template <class X, class Pattern, class Equal = std::equal_to<>, class By = this_compiler>
std::uint64_t search(const context& where, const X& in, const Pattern& pattern, const Equal& equal = {}) {
  search_room::require_relation<X, Pattern, Equal>();
  return search_room::asked<By, search_room::primitive::find_if>(
      where, search_room::comparing<search_room::seek::beginning, X>("search", equal), in, pattern);
}

// ---- Two inputs

template <class X, class Y, class Equal = std::equal_to<>, class By = this_compiler>
  requires(!std::is_convertible_v<const Equal&, device_span<std::uint64_t>>)
std::uint64_t mismatch(const context& where, const X& x, const Y& y, const Equal& equal = {}) {
  search_room::require_relation<X, Y, Equal>();
  return search_room::asked<By, search_room::primitive::mismatch>(
      where, search_room::comparing<search_room::seek::unequal, X>("mismatch", equal), x, y);
}
template <class X, class Y, class Equal = std::equal_to<>, class By = this_compiler>
void mismatch(const context& where, const X& x, const Y& y, device_span<std::uint64_t> out, const Equal& equal = {}) {
  search_room::require_relation<X, Y, Equal>();
  search_room::ask_on_device<By, search_room::primitive::mismatch>(
      where, search_room::comparing<search_room::seek::unequal, X>("mismatch", equal), out, x, y);
}

template <class X, class Y, class Equal = std::equal_to<>>
bool equal(const context& where, const X& x, const Y& y, const Equal& same = {}) {
  search_room::require_relation<X, Y, Equal>();
  const std::uint64_t n = core::elements_in(x);
  return n == core::elements_in(y) && upsweep::mismatch(where, x, y, same) == n;
}

template <class X, class Y, class Less = std::less<>, class By = this_compiler>
bool lexicographical_compare(const context& where, const X& x, const Y& y, const Less& less = {}) {
  search_room::require_relation<X, Y, Less>();
  const char* const call = "lexicographical_compare";
  const std::uint64_t at =
      search_room::asked<By, search_room::primitive::mismatch>(where, search_room::telling_apart<X>(call, less), x, y);
  const std::uint64_t nx = core::elements_in(x), ny = core::elements_in(y);
  if (at == std::min(nx, ny)) return nx < ny;
  return search_room::lexical_order<X>(less)(search_room::element_at<By>(where, call, x, at),
                                             search_room::element_at<By>(where, call, y, at));
}

// ---- The least and the greatest

template <class T>
struct least_and_greatest {
  T least, greatest;
  friend bool operator==(const least_and_greatest&, const least_and_greatest&) = default;
};

template <class X, class Less = std::less<>, class By = this_compiler>
  requires(!std::is_convertible_v<const Less&, device_span<std::uint64_t>>)
std::uint64_t argmin(const context& where, const X& in, const Less& less = {}) {
  search_room::require_relation<X, X, Less>();
  return search_room::best_of<By>(where, "argmin", in, search_room::least_first<X>(less));
}
template <class X, class Less = std::less<>, class By = this_compiler>
void argmin(const context& where, const X& in, device_span<std::uint64_t> out, const Less& less = {}) {
  search_room::require_relation<X, X, Less>();
  search_room::best_on_device<By>(where, "argmin", in, out, search_room::least_first<X>(less));
}

template <class X, class Less = std::less<>, class By = this_compiler>
  requires(!std::is_convertible_v<const Less&, device_span<std::uint64_t>>)
std::uint64_t argmax(const context& where, const X& in, const Less& less = {}) {
  search_room::require_relation<X, X, Less>();
  return search_room::best_of<By>(where, "argmax", in, search_room::greatest_first<X>(less));
}
template <class X, class Less = std::less<>, class By = this_compiler>
void argmax(const context& where, const X& in, device_span<std::uint64_t> out, const Less& less = {}) {
  search_room::require_relation<X, X, Less>();
  search_room::best_on_device<By>(where, "argmax", in, out, search_room::greatest_first<X>(less));
}

// The standard's names: places, too.
template <class X, class Less = std::less<>>
std::uint64_t min_element(const context& where, const X& in, const Less& less = {}) {
  return upsweep::argmin(where, in, less);
}
template <class X, class Less = std::less<>>
std::uint64_t max_element(const context& where, const X& in, const Less& less = {}) {
  return upsweep::argmax(where, in, less);
}
template <class X, class Less = std::less<>>
least_and_greatest<std::uint64_t> minmax_element(const context& where, const X& in, const Less& less = {}) {
  return {upsweep::argmin(where, in, less), upsweep::argmax(where, in, less)};
}

template <class X, class Less = std::less<>, class By = this_compiler>
least_and_greatest<core::value_of<X>> minmax(const context& where, const X& in, const Less& less = {}) {
  search_room::require_relation<X, X, Less>();
  if (core::elements_in(in) == 0)
    throw error(fault::bad_argument, "minmax", "there are no elements", "give it one at least");
  const auto [least, greatest] = upsweep::minmax_element(where, in, less);
  return {search_room::element_at<By>(where, "minmax", in, least),
          search_room::element_at<By>(where, "minmax", in, greatest)};
}

// ---- Many queries in one sorted range

template <class X, class Q, class Y, class Less = std::less<>, class By = this_compiler>
  requires operands<Y>
void lower_bound(const context& where, const X& sorted, const Q& queries, Y&& out, const Less& less = {}) {
  search_room::look_up<search_room::bound::lower, By>(where, "lower_bound", sorted, queries, core::written_operand(out),
                                                      less);
}

template <class X, class Q, class Y, class Less = std::less<>, class By = this_compiler>
  requires operands<Y>
void upper_bound(const context& where, const X& sorted, const Q& queries, Y&& out, const Less& less = {}) {
  search_room::look_up<search_room::bound::upper, By>(where, "upper_bound", sorted, queries, core::written_operand(out),
                                                      less);
}

// Query i is equal to elements [first_i, last_i).
template <class X, class Q, class Y, class Z, class Less = std::less<>, class By = this_compiler>
  requires operands<Y> && operands<Z>
void equal_range(const context& where, const X& sorted, const Q& queries, Y&& first, Z&& last, const Less& less = {}) {
  const auto firsts = core::written_operand(first);
  const auto lasts = core::written_operand(last);
  core::require_apart("equal_range", where, {{"the first places", firsts}, {"the last places", lasts}});
  search_room::look_up<search_room::bound::lower, By>(where, "equal_range", sorted, queries, firsts, less);
  search_room::look_up<search_room::bound::upper, By>(where, "equal_range", sorted, queries, lasts, less);
}

// Whether each query is among them: u8 or bool.
template <class X, class Q, class Y, class Less = std::less<>, class By = this_compiler>
  requires operands<Y>
void binary_search(const context& where, const X& sorted, const Q& queries, Y&& out, const Less& less = {}) {
  search_room::look_up<search_room::bound::found, By>(where, "binary_search", sorted, queries,
                                                      core::written_operand(out), less);
}

}  // namespace UPSWEEP_COMPILED
}  // namespace upsweep
