// expression: an operator, a transform, a test, a comparator or an equality given as a string, which is compiled at run
// time for whichever device the call uses.
//
//   float most = upsweep::reduce(where, x, upsweep::expression("a > b ? a : b", 0.0f));       // with its identity
//   upsweep::transform(where, x, y, upsweep::expression("x * x + 1"));
//   std::vector<float> few(3);
//   auto kept = upsweep::copy_if(where, x, few, upsweep::expression("0.5f < x && x < 2"));
//   upsweep::sort(where, keys, upsweep::expression("a % 10 < b % 10"));
//   auto above = upsweep::count_if(where, x, upsweep::expression("x > t", {"t", limit}));     // a value of the program
//   upsweep::transform(where, x, y, upsweep::expression("a * x + b1", {{"a", 2.5f}, {"b1", -1.0f}}));
//
// Syntax      An expression of C: ?: || && | ^ & == != < <= > >= << >> + - * / % ! ~, parentheses, casts to the number
//             types of OpenCL C (char uchar short ushort int uint long ulong float double), C literals (1, 1u, 1l,
//             0xff, 1.5, 1.5f), true, false; for floats sqrt fabs floor ceil trunc rint fmin fmax isnan isinf isfinite;
//             for integers of one type min and max. The names are x for a single argument; a, b, c to h for several; i
//             for an index.
// Result      That of C and OpenCL C: arguments narrower than int are promoted to int, operands of two types are
//             converted to the wider one, and the result is converted to the type of the arguments. Integers wrap.
//             Undefined behaviour of C is unspecified here: division by zero, floats that do not fit an integer. A
//             test, a comparator and an equality are true where the value is not zero.
// Values      A user-defined name is replaced by a value, given after the string (and after the identity): a number of
//             a built-in type but f16, in its type; an integer narrower than int is an int. Names have letters, digits
//             and _. x, i and a to h can be such names where they are not arguments. All values of a name share one
//             compiled program, also next to / % << and >>.
// Where       On the CPU for arguments that are all of one built-in type (not f16) or bool. The expression is
//             interpreted there as a list of steps, at a few nanoseconds a step; a C++ function is faster. On other
//             devices the device's compiler compiles it (on CUDA NVRTC), and it runs as fast as any function;
//             docs/calls.md lists the calls that take it. User-defined types are not supported: they need functions
//             with device source (jit/jit.hpp).
// Literals    Off the CPU, expressions that differ only in the values of literals share one compiled program: `x > 17`
//             and `x > 18`, but not `x > 18u`, whose literal has another type. OpenCL kernels take the values as
//             arguments; on CUDA the compiled program is loaded once for each set of values, without the compiler.
//             Both are kept in memory as long as compiled programs are. Results are those of the expression with its
//             literals. The compiler runs for each value of
//               - operands of / % << and >>, as in `x % 10`
//               - parts without arguments, as in `60 * 60`
//               - literals with the suffix ll, literals after the 32nd of a call, and an operator's identity
//               - all literals of a call that takes a user-defined type
//             As in C, a float and a literal without f are compared in double; on GPUs 17.5f can be faster.
// Threads     A copy is cheap and shares the compiled form. Any threads may call it at once.
// Errors      upsweep::error with the position in the string. The constructor throws if the string is not an
//             expression; the first call throws if it does not support the arguments' types, or if the expression
//             uses names for which there are no arguments.
#pragma once

#include <atomic>
#include <initializer_list>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "upsweep/types.hpp"

namespace upsweep {

namespace core {

// An argument or a result, in one of the types of the calculation: integers narrower than int are ints.
union calculated {
  std::int32_t i32;
  std::uint32_t u32;
  std::int64_t i64;
  std::uint64_t u64;
  float f32;
  double f64;
};

template <class T>
inline constexpr bool is_calculated = builtin_type<T> && !std::is_same_v<T, half>;
template <>
inline constexpr bool is_calculated<bool> = true;

// The type in which values of T are calculated.
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

}  // namespace core

// A value that an expression names.
class named_value {
 public:
  template <class T>
    requires core::is_calculated<T>
  named_value(std::string its_name, T x) : name(std::move(its_name)), type(dtype_of<core::wide_type<T>>) {
    core::put<core::wide_type<T>>(value, x);
  }

  std::string name;
  dtype type;
  core::calculated value{};
};

namespace core {

// A parsed expression, and its list of steps for each argument type, which the first call with that type creates.
class compiled_expression {
 public:
  explicit compiled_expression(std::string source, std::span<const named_value> values = {});
  compiled_expression(const compiled_expression&) = delete;
  ~compiled_expression();

  // The source that OpenCL and NVRTC compile: as_float(bits) and the like replace the names of values.
  const std::string& device_source() const { return device_source_; }
  // The value for `count` arguments of `type`, one of the types of the calculation. The result is converted to `type`.
  calculated at(dtype type, const calculated* arguments, int count) const;

  struct node;
  struct steps;

 private:
  const steps& steps_for(dtype type) const;
  [[noreturn]] void wrong_count(int count) const;

  std::string source_, device_source_;
  std::unique_ptr<const node[]> nodes_;
  int size_ = 0, least_arguments_ = 1, most_arguments_ = 8;
  mutable std::atomic<const steps*> made_[6]{};  // by type of the calculation
};

struct no_identity {};

}  // namespace core

template <class Identity = core::no_identity>
class expression {
 public:
  // The source that OpenCL and NVRTC compile.
  std::string source;
  static constexpr bool is_only_source = true;

  explicit expression(std::string code, std::initializer_list<named_value> values = {})
      : expression(std::make_shared<core::compiled_expression>(std::move(code), as_span(values)), {}) {}
  expression(std::string code, named_value value) : expression(std::move(code), {std::move(value)}) {}
  expression(std::string code, Identity e, std::initializer_list<named_value> values = {})
      : expression(std::make_shared<core::compiled_expression>(std::move(code), as_span(values)), std::move(e)) {}
  expression(std::string code, Identity e, named_value value)
      : expression(std::move(code), std::move(e), {std::move(value)}) {}

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
  expression(std::shared_ptr<const core::compiled_expression> compiled, Identity e)
      : source(compiled->device_source()), compiled_(std::move(compiled)), identity_(std::move(e)) {}
  static std::span<const named_value> as_span(std::initializer_list<named_value> v) { return {v.begin(), v.size()}; }

  std::shared_ptr<const core::compiled_expression> compiled_;
  [[no_unique_address]] Identity identity_{};
};

expression(std::string) -> expression<>;
expression(std::string, std::initializer_list<named_value>) -> expression<>;
expression(std::string, named_value) -> expression<>;
template <class E>
expression(std::string, E) -> expression<E>;
template <class E>
expression(std::string, E, std::initializer_list<named_value>) -> expression<E>;
template <class E>
expression(std::string, E, named_value) -> expression<E>;

template <class X>
inline constexpr bool is_expression = false;
template <class E>
inline constexpr bool is_expression<expression<E>> = true;

}  // namespace upsweep
