// expression: an operator, a transform, a test, a comparator or an equality that is only a text.
//
//   float most = upsweep::reduce(where, x, upsweep::expression("a > b ? a : b", 0.0f));       // with its identity
//   upsweep::transform(where, x, y, upsweep::expression("x * x + 1"));
//   std::vector<float> few(3);
//   auto kept = upsweep::copy_if(where, x, few, upsweep::expression("0.5f < x && x < 2"));
//   upsweep::sort(where, keys, upsweep::expression("a % 10 < b % 10"));
//
// The text    an expression of C: ?: || && | ^ & == != < <= > >= << >> + - * / % ! ~, parentheses, casts to OpenCL C's
//             numbers (char uchar short ushort int uint long ulong float double), literals as C writes them (1, 1u, 1l,
//             0xff, 1.5, 1.5f), true, false; of floats sqrt fabs floor ceil trunc rint fmin fmax isnan isinf isfinite,
//             and of integers of one type min and max. Its names are x, of one argument; a, b, c to h, of several; i,
//             an index.
// Result      what C and OpenCL C make of it: arguments narrower than int are widened to it, the wider of two types is
//             calculated in, and what comes out is brought to the arguments' type. Integers wrap. What C leaves
//             undefined is unspecified: quotients by zero, floats that an integer does not hold. A test, a comparator
//             and an equality say yes by what is not zero.
// Where       on the CPU, of arguments that are all of one built-in type (not f16) or bool: it is compiled to a list of
//             steps, which costs a few nanoseconds each; a function in C++ is faster. Off the CPU the device's compiler
//             has it (on CUDA NVRTC), and there it runs as fast as any; which calls take it, docs/calls.md says. Not of
//             types of your own: those take functions with a text (opencl/custom.hpp).
// Threads     a copy is cheap and shares what was compiled; calls may come from any threads at once.
// Errors      upsweep::error with the place in the text: when it is made, where it is no expression; when it is first
//             called, where the arguments' types do not allow it, or it has other names than there are arguments.
#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "upsweep/types.hpp"

namespace upsweep {

namespace core {

// An argument or a result, in one of the types that are calculated in: integers narrower than int are ints.
union calculated {
  std::int32_t i32;
  std::uint32_t u32;
  std::int64_t i64;
  std::uint64_t u64;
  float f32;
  double f64;
};

// A text, looked through; and the steps that it comes to for each type of its arguments, made when they are first asked
// for.
class compiled_text {
 public:
  explicit compiled_text(std::string text);
  compiled_text(const compiled_text&) = delete;
  ~compiled_text();

  const std::string& text() const { return text_; }
  // With `count` arguments of that type, which is one that is calculated in; the result is brought to it.
  calculated at(dtype type, const calculated* arguments, int count) const;

  struct node;
  struct steps;

 private:
  const steps& steps_for(dtype type) const;
  [[noreturn]] void wrong_count(int count) const;

  std::string text_;
  std::unique_ptr<const node[]> nodes_;
  int size_ = 0, least_arguments_ = 1, most_arguments_ = 8;
  mutable std::atomic<const steps*> made_[6]{};  // by the types that are calculated in
};

template <class T>
inline constexpr bool is_calculated = builtin_type<T> && !std::is_same_v<T, half>;
template <>
inline constexpr bool is_calculated<bool> = true;

// The type that a T is calculated in.
template <class T>
using wide_type = std::conditional_t<std::is_integral_v<T> && sizeof(T) < 4, std::int32_t, T>;

template <class W>
void put(calculated& c, W x) {
  if constexpr (std::is_same_v<W, std::int32_t>) c.i32 = x;
  if constexpr (std::is_same_v<W, std::uint32_t>) c.u32 = x;
  if constexpr (std::is_same_v<W, std::int64_t>) c.i64 = x;
  if constexpr (std::is_same_v<W, std::uint64_t>) c.u64 = x;
  if constexpr (std::is_same_v<W, float>) c.f32 = x;
  if constexpr (std::is_same_v<W, double>) c.f64 = x;
}
template <class W>
W taken(const calculated& c) {
  if constexpr (std::is_same_v<W, std::int32_t>) return c.i32;
  if constexpr (std::is_same_v<W, std::uint32_t>) return c.u32;
  if constexpr (std::is_same_v<W, std::int64_t>) return c.i64;
  if constexpr (std::is_same_v<W, std::uint64_t>) return c.u64;
  if constexpr (std::is_same_v<W, float>) return c.f32;
  if constexpr (std::is_same_v<W, double>) return c.f64;
}

struct no_identity {};

}  // namespace core

template <class Identity = core::no_identity>
class expression {
 public:
  // What OpenCL and NVRTC compile.
  std::string opencl;
  static constexpr bool is_only_text = true;

  explicit expression(std::string text) : opencl(text), compiled_(std::make_shared<core::compiled_text>(text)) {}
  expression(std::string text, Identity e)
      : opencl(text), compiled_(std::make_shared<core::compiled_text>(text)), identity_(e) {}

  const std::string& text() const { return opencl; }

  template <class T, class... Rest>
    requires core::is_calculated<T> && (std::is_same_v<T, Rest> && ...)
  T operator()(const T& first, const Rest&... rest) const {
    using W = core::wide_type<T>;
    core::calculated arguments[1 + sizeof...(Rest)];
    int k = 0;
    core::put<W>(arguments[k++], first);
    (core::put<W>(arguments[k++], rest), ...);
    return static_cast<T>(core::taken<W>(compiled_->at(dtype_of<W>, arguments, k)));
  }

  UPSWEEP_HD Identity identity() const
    requires(!std::is_same_v<Identity, core::no_identity>)
  {
    return identity_;
  }

 private:
  std::shared_ptr<const core::compiled_text> compiled_;
  [[no_unique_address]] Identity identity_{};
};

expression(const char*) -> expression<>;
expression(std::string) -> expression<>;
template <class E>
expression(const char*, E) -> expression<E>;
template <class E>
expression(std::string, E) -> expression<E>;

template <class X>
inline constexpr bool is_expression = false;
template <class E>
inline constexpr bool is_expression<expression<E>> = true;

}  // namespace upsweep
