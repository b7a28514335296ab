// search: counts and finds elements that pass a test, compares two inputs, finds minima and maxima, and looks up many
// values in a sorted range.
//
//   std::uint64_t cold = upsweep::count_if(gpu, x.span(), upsweep::less_than(0.0f));
//   std::uint64_t at = upsweep::find_if(cpu, words, [](const std::string& w) { return w.size() > 9; });
//   bool same = upsweep::equal(gpu, x.span(), y.span());
//   std::uint64_t best = upsweep::argmax(gpu, scores.span());
//   upsweep::argmax(gpu, scores.span(), place.span());                                // the place stays on the device
//   upsweep::lower_bound(gpu, edges.span(), values.span(), bins.span());              // many values at once
//
//   count_if, count             the number of elements that pass a test, or are equal to a value
//   any_of, all_of, none_of     whether any, all or no elements pass a test
//   find_if, find_if_not, find  the index of the first element that passes a test, fails it, or is equal to a value
//   adjacent_find               the first element that is equal to the next one
//   find_first_of               the first element that is equal to an element of a set
//   search                      the index at which one sequence first occurs in another
//   mismatch, equal             the first index at which two inputs differ; whether there is none
//   lexicographical_compare     whether one input precedes another in dictionary order
//   argmin, argmax              the indices of the extremes; also named min_element, max_element, minmax_element
//   minmax                      the extremes themselves
//   lower_bound, upper_bound    the position of every query in a sorted range
//   equal_range, binary_search  both positions of every query; whether a query is in the sorted range
//   partition_point             the index at which the elements that pass end, if all of them are first
//   is_partitioned              whether all elements that pass are first
//
// Result       Indices are u64. A call returns the first index that qualifies, or n, the size of the input, if there is
//              none. Two inputs of different sizes are compared up to the shorter size: mismatch returns that size if
//              they agree, and equal returns false. argmin and argmax of an empty input are 0; minmax of an empty input
//              is an error. lower_bound is the number of sorted elements that are less than the query, upper_bound the
//              number that are not greater, both written as u64 or u32.
// NaN          Elements are compared with == and <. argmin, argmax, minmax and their variants skip NaNs: they return
//              the extremes of the other elements, and index 0 if all elements are NaN. Bounds order NaNs last, as sort
//              does.
// Inputs       Device spans, buffers, ranges with random access and a size, and lazy views (views.hpp).
// Tests        less_than(x) and the similar tests of operators/comparisons.hpp work on built-in types from any .cpp
//              file. x has the type of the elements, or another type whose value the elements' type holds. User-defined
//              tests and comparisons work on the CPU, and on CUDA when nvcc compiles the call. With device source
//              (jit/jit.hpp) they work on OpenCL and on CUDA, for inputs in memory and for lazy views whose
//              functions have device source. A comparison is a strict weak order: std::less, std::greater, or bool(T a,
//              T b).
// Requires     Tests and comparisons are callable as const, from several threads at once, and always return the same
//              result for the same elements. Sorted ranges are sorted by the given comparison.
// Work         n tests or comparisons. On the CPU the find calls stop at the first match. search and find_first_of: at
//              most n·m. Bounds: log2 m per query. partition_point bisects an input that the CPU can read, and searches
//              any other from the start.
// Scratch      O(1) on a GPU, O(blocks) on the CPU, owned by the context; the second call allocates nothing.
// Determinism  Bit for bit the same on every device.
// Asynchrony   Calls that return a value wait for it. Calls on device memory with an output span of one element, and
//              bounds, are enqueued. Calls on host memory return after the work is done. Host memory is streamed
//              through the device in chunks, but sets, patterns and sorted ranges must fit there.
// Errors       upsweep::error: an output of the wrong size, overlap, a test, comparison or type that the device does
//              not support.
#pragma once

#include "upsweep/core/no_overload.hpp"
#include "upsweep/search/search_dispatch.hpp"
#include "upsweep/views.hpp"

namespace upsweep {
inline namespace UPSWEEP_COMPILED {

// ---- Tests of one element

template <class X, class Test, class By = this_compiler>
  requires(!is_device_span<Test>)
std::uint64_t count_if(const context& where, const X& in, const Test& test) {
  if constexpr (detail::search_impl::require_test<X, Test>()) {
    return detail::search_impl::asked<By, detail::search_impl::primitive::count_if>(
        where, detail::search_impl::asked_whether<X>("count_if", test), in);
  } else {
    return {};
  }
}
template <class X, class Test, class By = this_compiler>
void count_if(const context& where, const X& in, device_span<std::uint64_t> out, const Test& test) {
  if constexpr (detail::search_impl::require_test<X, Test>()) {
    detail::search_impl::ask_on_device<By, detail::search_impl::primitive::count_if>(
        where, detail::search_impl::asked_whether<X>("count_if", test), out, in);
  }
}

template <class X, class Test, class By = this_compiler>
  requires(!is_device_span<Test>)
std::uint64_t find_if(const context& where, const X& in, const Test& test) {
  if constexpr (detail::search_impl::require_test<X, Test>()) {
    return detail::search_impl::asked<By, detail::search_impl::primitive::find_if>(
        where, detail::search_impl::asked_whether<X>("find_if", test), in);
  } else {
    return {};
  }
}
template <class X, class Test, class By = this_compiler>
void find_if(const context& where, const X& in, device_span<std::uint64_t> out, const Test& test) {
  if constexpr (detail::search_impl::require_test<X, Test>()) {
    detail::search_impl::ask_on_device<By, detail::search_impl::primitive::find_if>(
        where, detail::search_impl::asked_whether<X>("find_if", test), out, in);
  }
}

template <class X, class Test, class By = this_compiler>
  requires(!is_device_span<Test>)
std::uint64_t find_if_not(const context& where, const X& in, const Test& test) {
  if constexpr (detail::search_impl::require_test<X, Test>()) {
    return detail::search_impl::asked<By, detail::search_impl::primitive::find_if>(
        where, detail::search_impl::asked_whether<X>("find_if_not", test, true), in);
  } else {
    return {};
  }
}
template <class X, class Test, class By = this_compiler>
void find_if_not(const context& where, const X& in, device_span<std::uint64_t> out, const Test& test) {
  if constexpr (detail::search_impl::require_test<X, Test>()) {
    detail::search_impl::ask_on_device<By, detail::search_impl::primitive::find_if>(
        where, detail::search_impl::asked_whether<X>("find_if_not", test, true), out, in);
  }
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

// The number of elements equal to a value, and the index of the first one.
template <class X, class V>
std::uint64_t count(const context& where, const X& in, const V& value) {
  core::require_input<X>();
  if constexpr (!core::readable_input<X> || !core::require_equality<core::value_of<X>>())
    return {};
  else
    return detail::search_impl::with_value<core::value_of<X>>(
        "count", value, std::uint64_t{0}, [&](const auto& test) { return upsweep::count_if(where, in, test); });
}
template <class X, class V>
std::uint64_t find(const context& where, const X& in, const V& value) {
  core::require_input<X>();
  if constexpr (!core::readable_input<X> || !core::require_equality<core::value_of<X>>())
    return {};
  else
    return detail::search_impl::with_value<core::value_of<X>>(
        "find", value, core::elements_in(in), [&](const auto& test) { return upsweep::find_if(where, in, test); });
}

// ---- Partitions

template <class X, class Test, class By = this_compiler>
std::uint64_t partition_point(const context& where, const X& in, const Test& test) {
  if constexpr (detail::search_impl::require_test<X, Test>()) {
    if (where.kind() != backend::cpu && core::memory_space_of<X> == memory_space::device)
      return upsweep::find_if_not(where, in, test);
    return detail::search_impl::bisected(core::reading(where.device(), "partition_point", in), core::elements_in(in),
                                         core::asked_of<core::value_of<X>>("partition_point", test));
  } else {
    return {};
  }
}

template <class X, class Test, class By = this_compiler>
bool is_partitioned(const context& where, const X& in, const Test& test) {
  const std::uint64_t point = upsweep::find_if_not(where, in, test);
  return upsweep::none_of(where, detail::search_impl::rest_of(in, point), test);
}

// ---- Neighbours, sets, patterns

template <class X, class Equal = std::equal_to<>, class By = this_compiler>
std::uint64_t adjacent_find(const context& where, const X& in, const Equal& equal = {}) {
  if constexpr (detail::search_impl::require_relation<X, X, Equal>()) {
    return detail::search_impl::asked<By, detail::search_impl::primitive::find_if>(
        where, detail::search_impl::comparing<detail::search_impl::seek::adjacent, X>("adjacent_find", equal), in);
  } else {
    return {};
  }
}

template <class X, class Set, class Equal = std::equal_to<>, class By = this_compiler>
std::uint64_t find_first_of(const context& where, const X& in, const Set& set, const Equal& equal = {}) {
  if constexpr (detail::search_impl::require_relation<X, Set, Equal>()) {
    return detail::search_impl::asked<By, detail::search_impl::primitive::find_if>(
        where, detail::search_impl::comparing<detail::search_impl::seek::one_of, X>("find_first_of", equal), in, set);
  } else {
    return {};
  }
}

// An empty pattern occurs at index 0.
template <class X, class Pattern, class Equal = std::equal_to<>, class By = this_compiler>
std::uint64_t search(const context& where, const X& in, const Pattern& pattern, const Equal& equal = {}) {
  if constexpr (detail::search_impl::require_relation<X, Pattern, Equal>()) {
    return detail::search_impl::asked<By, detail::search_impl::primitive::find_if>(
        where, detail::search_impl::comparing<detail::search_impl::seek::beginning, X>("search", equal), in, pattern);
  } else {
    return {};
  }
}

// ---- Two inputs

template <class X, class Y, class Equal = std::equal_to<>, class By = this_compiler>
  requires(!std::is_convertible_v<const Equal&, device_span<std::uint64_t>>)
std::uint64_t mismatch(const context& where, const X& x, const Y& y, const Equal& equal = {}) {
  if constexpr (detail::search_impl::require_relation<X, Y, Equal>()) {
    return detail::search_impl::asked<By, detail::search_impl::primitive::mismatch>(
        where, detail::search_impl::comparing<detail::search_impl::seek::unequal, X>("mismatch", equal), x, y);
  } else {
    return {};
  }
}
template <class X, class Y, class Equal = std::equal_to<>, class By = this_compiler>
void mismatch(const context& where, const X& x, const Y& y, device_span<std::uint64_t> out, const Equal& equal = {}) {
  if constexpr (detail::search_impl::require_relation<X, Y, Equal>()) {
    detail::search_impl::ask_on_device<By, detail::search_impl::primitive::mismatch>(
        where, detail::search_impl::comparing<detail::search_impl::seek::unequal, X>("mismatch", equal), out, x, y);
  }
}

template <class X, class Y, class Equal = std::equal_to<>>
bool equal(const context& where, const X& x, const Y& y, const Equal& same = {}) {
  if constexpr (detail::search_impl::require_relation<X, Y, Equal>()) {
    const std::uint64_t n = core::elements_in(x);
    return n == core::elements_in(y) && upsweep::mismatch(where, x, y, same) == n;
  } else {
    return {};
  }
}

template <class X, class Y, class Less = std::less<>, class By = this_compiler>
bool lexicographical_compare(const context& where, const X& x, const Y& y, const Less& less = {}) {
  if constexpr (detail::search_impl::require_relation<X, Y, Less>()) {
    const char* const call = "lexicographical_compare";
    const std::uint64_t at = detail::search_impl::asked<By, detail::search_impl::primitive::mismatch>(
        where, detail::search_impl::telling_apart<X>(call, less), x, y);
    const std::uint64_t nx = core::elements_in(x), ny = core::elements_in(y);
    if (at == (std::min)(nx, ny)) return nx < ny;
    return detail::search_impl::lexical_order<X>(less)(detail::search_impl::element_at<By>(where, call, x, at),
                                                       detail::search_impl::element_at<By>(where, call, y, at));
  } else {
    return {};
  }
}

// ---- The smallest and the largest element

template <class T>
struct minmax_result {
  T min, max;
  friend bool operator==(const minmax_result&, const minmax_result&) = default;
};

template <class X, class Less = std::less<>, class By = this_compiler>
  requires(!std::is_convertible_v<const Less&, device_span<std::uint64_t>>)
std::uint64_t argmin(const context& where, const X& in, const Less& less = {}) {
  if constexpr (detail::search_impl::require_relation<X, X, Less>()) {
    return detail::search_impl::best_of<By>(where, "argmin", in, detail::search_impl::order_of_min<X>(less));
  } else {
    return {};
  }
}
template <class X, class Less = std::less<>, class By = this_compiler>
void argmin(const context& where, const X& in, device_span<std::uint64_t> out, const Less& less = {}) {
  if constexpr (detail::search_impl::require_relation<X, X, Less>()) {
    detail::search_impl::best_on_device<By>(where, "argmin", in, out, detail::search_impl::order_of_min<X>(less));
  }
}

template <class X, class Less = std::less<>, class By = this_compiler>
  requires(!std::is_convertible_v<const Less&, device_span<std::uint64_t>>)
std::uint64_t argmax(const context& where, const X& in, const Less& less = {}) {
  if constexpr (detail::search_impl::require_relation<X, X, Less>()) {
    return detail::search_impl::best_of<By>(where, "argmax", in, detail::search_impl::order_of_max<X>(less));
  } else {
    return {};
  }
}
template <class X, class Less = std::less<>, class By = this_compiler>
void argmax(const context& where, const X& in, device_span<std::uint64_t> out, const Less& less = {}) {
  if constexpr (detail::search_impl::require_relation<X, X, Less>()) {
    detail::search_impl::best_on_device<By>(where, "argmax", in, out, detail::search_impl::order_of_max<X>(less));
  }
}

// The names of the C++ standard library. They return indices, not iterators.
template <class X, class Less = std::less<>>
std::uint64_t min_element(const context& where, const X& in, const Less& less = {}) {
  return upsweep::argmin(where, in, less);
}
template <class X, class Less = std::less<>>
std::uint64_t max_element(const context& where, const X& in, const Less& less = {}) {
  return upsweep::argmax(where, in, less);
}
template <class X, class Less = std::less<>>
minmax_result<std::uint64_t> minmax_element(const context& where, const X& in, const Less& less = {}) {
  return {upsweep::argmin(where, in, less), upsweep::argmax(where, in, less)};
}

template <class X, class Less = std::less<>, class By = this_compiler>
minmax_result<core::value_of<X>> minmax(const context& where, const X& in, const Less& less = {}) {
  if constexpr (detail::search_impl::require_relation<X, X, Less>()) {
    if (core::elements_in(in) == 0)
      core::throw_error(error(fault::bad_argument, "minmax", "there are no elements", "give at least one"));
    const auto [min, max] = upsweep::minmax_element(where, in, less);
    return {detail::search_impl::element_at<By>(where, "minmax", in, min),
            detail::search_impl::element_at<By>(where, "minmax", in, max)};
  } else {
    return {};
  }
}

// ---- Many queries in one sorted range

template <class X, class Q, class Y, class Less = std::less<>, class By = this_compiler>
  requires operands<Y>
void lower_bound(const context& where, const X& sorted, const Q& queries, Y&& out, const Less& less = {}) {
  detail::search_impl::look_up<detail::search_impl::bound::lower, By>(where, "lower_bound", sorted, queries,
                                                                      core::written_operand(out), less);
}

template <class X, class Q, class Y, class Less = std::less<>, class By = this_compiler>
  requires operands<Y>
void upper_bound(const context& where, const X& sorted, const Q& queries, Y&& out, const Less& less = {}) {
  detail::search_impl::look_up<detail::search_impl::bound::upper, By>(where, "upper_bound", sorted, queries,
                                                                      core::written_operand(out), less);
}

// Query i is equal to the elements [first_i, last_i).
template <class X, class Q, class Y, class Z, class Less = std::less<>, class By = this_compiler>
  requires operands<Y> && operands<Z>
void equal_range(const context& where, const X& sorted, const Q& queries, Y&& first, Z&& last, const Less& less = {}) {
  const auto firsts = core::written_operand(first);
  const auto lasts = core::written_operand(last);
  core::require_no_overlap("equal_range", where, {{"the first places", firsts}, {"the last places", lasts}});
  detail::search_impl::look_up<detail::search_impl::bound::lower, By>(where, "equal_range", sorted, queries, firsts,
                                                                      less);
  detail::search_impl::look_up<detail::search_impl::bound::upper, By>(where, "equal_range", sorted, queries, lasts,
                                                                      less);
}

// Writes whether each query is in the sorted range, as u8 or bool.
template <class X, class Q, class Y, class Less = std::less<>, class By = this_compiler>
  requires operands<Y>
void binary_search(const context& where, const X& sorted, const Q& queries, Y&& out, const Less& less = {}) {
  detail::search_impl::look_up<detail::search_impl::bound::found, By>(where, "binary_search", sorted, queries,
                                                                      core::written_operand(out), less);
}

}  // namespace UPSWEEP_COMPILED
UPSWEEP_REFUSED(lower_bound, "lower_bound takes sorted elements, queries, an output for their places, and an order")
UPSWEEP_REFUSED(upper_bound, "upper_bound takes sorted elements, queries, an output for their places, and an order")
UPSWEEP_REFUSED(equal_range, "equal_range takes sorted elements, queries, two outputs for their places, and an order")
UPSWEEP_REFUSED(binary_search,
                "binary_search takes sorted elements, queries, an output for what is found, and an order")

}  // namespace upsweep
