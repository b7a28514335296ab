// Before a pstl test of libc++'s: its calls with an execution policy, answered by this library in whatever memory the
// test's own iterators stand for. What no operand of this library can be, types that cannot be copied, std:: answers
// without the policy. As std:: has it, an exception out of such a call ends the program.
#pragma once

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <iterator>
#include <memory>
#include <nlohmann/json.hpp>
#include <numeric>
#include <span>
#include <type_traits>
#include <utility>

#include "upsweep/upsweep.hpp"

namespace on_upsweep {

inline int calls = 0;
inline const upsweep::context here = upsweep::context::cpu();

template <class It>
using value_in = typename std::iterator_traits<It>::value_type;

// A pointer to what an iterator names: pointers, a vector's, and the tests' own around a pointer.
template <class It>
auto address(const It& it) {
  if constexpr (std::contiguous_iterator<It>)
    return std::to_address(it);
  else
    return base(it);
}
template <class It>
concept memory = std::copyable<value_in<It>> && requires(It it) {
  { on_upsweep::address(it) } -> std::convertible_to<const value_in<It>*>;
};
template <memory It>
std::size_t length(It first, It last) {
  return static_cast<std::size_t>(on_upsweep::address(last) - on_upsweep::address(first));
}
template <memory It>
auto view(It first, std::size_t n) {
  return std::span(on_upsweep::address(first), n);
}
template <memory It>
auto view(It first, It last) {
  return on_upsweep::view(first, on_upsweep::length(first, last));
}
template <memory It>
It at(It first, std::size_t n) {
  if constexpr (requires { first + std::ptrdiff_t(n); })
    return first + static_cast<std::ptrdiff_t>(n);
  else
    return It(on_upsweep::address(first) + n);
}

// A test that wants to change what it is asked about is given a copy.
template <class It, class Test>
auto asked(Test test) {
  using T = value_in<It>;
  if constexpr (std::predicate<const Test&, const T&>) {
    return test;
  } else {
    return [test](T x) { return static_cast<bool>(test(x)); };
  }
}

namespace ours {

// --- each element by itself ---

template <memory It, memory Out>
Out copy(It first, It last, Out out) {
  upsweep::copy(here, view(first, last), view(out, length(first, last)));
  return at(out, length(first, last));
}
template <memory It, class Size, memory Out>
Out copy_n(It first, Size n, Out out) {
  return ours::copy(first, at(first, n), out);
}
template <memory It, class T>
void fill(It first, It last, const T& value) {
  upsweep::fill(here, view(first, last), static_cast<value_in<It>>(value));
}
template <memory It, class Size, class T>
It fill_n(It first, Size n, const T& value) {
  ours::fill(first, at(first, n), value);
  return at(first, n);
}
template <memory It, class F>
void generate(It first, It last, F f) {
  upsweep::generate(here, view(first, last), f);
}
template <memory It, class Size, class F>
It generate_n(It first, Size n, F f) {
  ours::generate(first, at(first, n), f);
  return at(first, n);
}
template <memory It, class Size, class F>
It for_each_n(It first, Size n, F f) {
  const auto x = view(first, n);
  upsweep::for_each_index(here, n, [x, f](std::uint64_t i) { f(x[i]); });
  return at(first, n);
}
template <memory It, class F>
void for_each(It first, It last, F f) {
  ours::for_each_n(first, length(first, last), f);
}
template <memory It, memory Out, class F>
Out transform(It first, It last, Out out, F f) {
  upsweep::transform(here, view(first, last), view(out, length(first, last)), f);
  return at(out, length(first, last));
}
template <memory A, memory B, memory Out, class F>
Out transform(A first, A last, B second, Out out, F f) {
  const std::size_t n = length(first, last);
  upsweep::transform(here, view(first, n), view(second, n), view(out, n), f);
  return at(out, n);
}
template <memory It, class T>
void replace(It first, It last, const T& old, const T& value) {
  upsweep::replace(here, view(first, last), static_cast<value_in<It>>(old), static_cast<value_in<It>>(value));
}
template <memory It, class Test, class T>
void replace_if(It first, It last, Test test, const T& value) {
  upsweep::replace_if(here, view(first, last), asked<It>(test), static_cast<value_in<It>>(value));
}
template <memory It, memory Out, class T>
void replace_copy(It first, It last, Out out, const T& old, const T& value) {
  upsweep::replace_copy(here, view(first, last), view(out, length(first, last)), static_cast<value_in<It>>(old),
                        static_cast<value_in<It>>(value));
}
template <memory It, memory Out, class Test, class T>
void replace_copy_if(It first, It last, Out out, Test test, const T& value) {
  upsweep::replace_copy_if(here, view(first, last), view(out, length(first, last)), asked<It>(test),
                           static_cast<value_in<It>>(value));
}

// --- searches ---

// x == value as the test wrote it, whatever the two types.
template <class T>
auto equal_to(const T& value) {
  return [value](const auto& x) { return static_cast<bool>(x == value); };
}
template <memory It, class Test>
It find_if(It first, It last, Test test) {
  return at(first, upsweep::find_if(here, view(first, last), asked<It>(test)));
}
template <memory It, class Test>
It find_if_not(It first, It last, Test test) {
  return at(first, upsweep::find_if_not(here, view(first, last), asked<It>(test)));
}
template <memory It, class T>
It find(It first, It last, const T& value) {
  return ours::find_if(first, last, ours::equal_to(value));
}
template <memory It, class Test>
auto count_if(It first, It last, Test test) {
  return static_cast<std::iter_difference_t<It>>(upsweep::count_if(here, view(first, last), asked<It>(test)));
}
template <memory It, class T>
auto count(It first, It last, const T& value) {
  return ours::count_if(first, last, ours::equal_to(value));
}
template <memory It, class Test>
bool all_of(It first, It last, Test test) {
  return upsweep::all_of(here, view(first, last), asked<It>(test));
}
template <memory It, class Test>
bool any_of(It first, It last, Test test) {
  return upsweep::any_of(here, view(first, last), asked<It>(test));
}
template <memory It, class Test>
bool none_of(It first, It last, Test test) {
  return upsweep::none_of(here, view(first, last), asked<It>(test));
}
template <memory It, class Test>
bool is_partitioned(It first, It last, Test test) {
  return upsweep::is_partitioned(here, view(first, last), asked<It>(test));
}

// --- folds ---

template <memory It, std::copyable T, class Op, class F>
  requires(!memory<T>)
T transform_reduce(It first, It last, T init, Op op, F f) {
  return upsweep::transform_reduce(here, view(first, last), std::move(init), op, f);
}
template <memory A, memory B, std::copyable T, class Op, class F>
T transform_reduce(A first, A last, B second, T init, Op op, F f) {
  const std::size_t n = length(first, last);
  return upsweep::transform_reduce(here, view(first, n), view(second, n), std::move(init), op, f);
}
template <memory A, memory B, std::copyable T>
T transform_reduce(A first, A last, B second, T init) {
  const std::size_t n = length(first, last);
  return upsweep::inner_product(here, view(first, n), view(second, n), std::move(init));
}
template <memory It, std::copyable T, class Op = std::plus<>>
T reduce(It first, It last, T init, Op op = {}) {
  return upsweep::reduce(here, view(first, last), std::move(init), op);
}
template <memory It>
auto reduce(It first, It last) {
  return ours::reduce(first, last, value_in<It>());
}

// --- sorts ---

template <memory It, class Less = std::less<>>
void stable_sort(It first, It last, Less less = {}) {
  upsweep::stable_sort(here, view(first, last), less);
}
template <memory It, class Less = std::less<>>
void sort(It first, It last, Less less = {}) {
  upsweep::sort(here, view(first, last), less);
}
template <memory A, memory B, memory Out, class Less = std::less<>>
Out merge(A first, A last, B second, B end, Out out, Less less = {}) {
  const std::size_t n = length(first, last) + length(second, end);
  upsweep::merge(here, view(first, last), view(second, end), view(out, n), less);
  return at(out, n);
}

}  // namespace ours

// Folds of what can only be moved.
namespace theirs {

using namespace std;

template <class It, class T, class Op = plus<>>
T reduce(It first, It last, T init, Op op = {}) {
  return accumulate(first, last, move(init), op);
}
template <class It, class T, class Op, class F>
T transform_reduce(It first, It last, T init, Op op, F f) {
  return accumulate(first, last, move(init), [&](T sum, const auto& x) { return op(move(sum), f(x)); });
}
template <class A, class B, class T, class Op = plus<>, class F = multiplies<>>
  requires requires(B b) { *b; }
T transform_reduce(A first, A last, B second, T init, Op op = {}, F f = {}) {
  return inner_product(first, last, second, move(init), op, f);
}

}  // namespace theirs
}  // namespace on_upsweep

#define ON_UPSWEEP(name)                                                             \
  namespace on_upsweep {                                                             \
  template <class Policy, class... Arguments>                                        \
  decltype(auto) name(Policy&&, Arguments... arguments) noexcept {                   \
    if constexpr (requires { ours::name(std::forward<Arguments>(arguments)...); }) { \
      ++calls;                                                                       \
      return ours::name(std::forward<Arguments>(arguments)...);                      \
    } else {                                                                         \
      return theirs::name(std::forward<Arguments>(arguments)...);                    \
    }                                                                                \
  }                                                                                  \
  }
ON_UPSWEEP(all_of)
ON_UPSWEEP(any_of)
ON_UPSWEEP(copy)
ON_UPSWEEP(copy_n)
ON_UPSWEEP(count)
ON_UPSWEEP(count_if)
ON_UPSWEEP(fill)
ON_UPSWEEP(fill_n)
ON_UPSWEEP(find)
ON_UPSWEEP(find_if)
ON_UPSWEEP(find_if_not)
ON_UPSWEEP(for_each)
ON_UPSWEEP(for_each_n)
ON_UPSWEEP(generate)
ON_UPSWEEP(generate_n)
ON_UPSWEEP(is_partitioned)
ON_UPSWEEP(merge)
ON_UPSWEEP(none_of)
ON_UPSWEEP(reduce)
ON_UPSWEEP(replace)
ON_UPSWEEP(replace_copy)
ON_UPSWEEP(replace_copy_if)
ON_UPSWEEP(replace_if)
ON_UPSWEEP(sort)
ON_UPSWEEP(stable_sort)
ON_UPSWEEP(transform)
ON_UPSWEEP(transform_reduce)
#undef ON_UPSWEEP
