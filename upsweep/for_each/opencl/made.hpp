// Inputs that are made as they are read (inputs.hpp), by text: the statement that stores them, where a device's
// compiler is to make them. What has one: device memory; counting, constant, permuted, reversed and strided of such;
// transformed by a function with a text, of one input or of two that are zipped; and zipped nowhere else.
#pragma once

#include "upsweep/core/making.hpp"
#include "upsweep/expression.hpp"
#include "upsweep/for_each/opencl/text.hpp"
#include "upsweep/inputs.hpp"

namespace upsweep::opencl {

template <class At>
using made_by = std::remove_cvref_t<std::invoke_result_t<const At&, std::uint64_t>>;

template <class At>
inline constexpr bool has_made_text = false;
template <class T>
inline constexpr bool has_made_text<core::from_device<T>> = has_type_text<T>;
template <class T>
inline constexpr bool has_made_text<core::counted_from<T>> = builtin_type<T> && !std::same_as<T, half>;
template <class T>
inline constexpr bool has_made_text<core::always<T>> = has_type_text<T>;
template <class At, class F>
inline constexpr bool has_made_text<core::through<At, F>> =
    has_made_text<At> && has_opencl_text<F> && has_type_text<made_by<core::through<At, F>>>;
template <class A, class B, class F>
inline constexpr bool has_made_text<core::through<core::side_by_side<A, B>, core::of_both<F>>> =
    has_made_text<A> && has_made_text<B> && has_opencl_text<F> &&
    has_type_text<std::remove_cvref_t<std::invoke_result_t<const F&, made_by<A>, made_by<B>>>>;
template <class At, class Index>
inline constexpr bool has_made_text<core::picked<At, Index>> = has_made_text<At> && has_made_text<Index>;
template <class At>
inline constexpr bool has_made_text<core::stepping<At>> = has_made_text<At>;
template <class At>
inline constexpr bool has_made_text<core::in_rows<At>> = has_made_text<At>;
template <class At>
inline constexpr bool has_made_text<core::as_array<At>> = has_made_text<At>;

template <class In>
using made_by_array = std::remove_cvref_t<decltype(std::declval<const In&>()[0])>;

constexpr const char* text_of_transform(transform_kind k, bool is_unsigned) {
  switch (k) {
    case transform_kind::negate: return "-x";
    case transform_kind::absolute: return is_unsigned ? "x" : "x < 0 ? -x : x";
    case transform_kind::square: return "x * x";
    default: return "x";
  }
}

// Whether there is a function in it that nvcc cannot call.
template <class At>
inline constexpr bool made_of_text_alone = false;
template <class At, class F>
inline constexpr bool made_of_text_alone<core::through<At, F>> = is_only_text<F> || made_of_text_alone<At>;
template <class F>
inline constexpr bool is_only_text<core::of_both<F>> = is_only_text<F>;
template <class A, class B>
inline constexpr bool made_of_text_alone<core::side_by_side<A, B>> = made_of_text_alone<A> || made_of_text_alone<B>;
template <class At, class Index>
inline constexpr bool made_of_text_alone<core::picked<At, Index>> = made_of_text_alone<At> || made_of_text_alone<Index>;
template <class At>
inline constexpr bool made_of_text_alone<core::stepping<At>> = made_of_text_alone<At>;
template <class At>
inline constexpr bool made_of_text_alone<core::in_rows<At>> = made_of_text_alone<At>;
template <class At>
inline constexpr bool made_of_text_alone<core::as_array<At>> = made_of_text_alone<At>;

// Writes the expression of an input at an index, and what it names.
class made_text {
 public:
  made_text(const char* call, compiler of) { text_.call = call, text_.before.call = call, text_.before.of = of; }

  template <class T>
  std::string value(const core::from_device<T>& at, const std::string& i) {
    return operand("m", device_span<const T>(at.where, 0)) + "[" + i + "]";
  }
  template <class T>
  std::string value(const core::counted_from<T>& at, const std::string& i) {
    const std::string type = text_.before.type<T>();
    return "(" + type + ")(" + operand("first", at.first) + " + (" + type + ")(" + i + "))";
  }
  template <class T>
  std::string value(const core::always<T>& at, const std::string&) {
    return operand("value", at.value);
  }
  template <class At, class F>
  std::string value(const core::through<At, F>& at, const std::string& i) {
    return applied(at.f, at.at, i);
  }
  template <class At, class Index>
  std::string value(const core::picked<At, Index>& at, const std::string& i) {
    return value(at.at, "(ulong)(" + value(at.index, i) + ")");
  }
  template <class At>
  std::string value(const core::stepping<At>& at, const std::string& i) {
    return value(at.at, "(" + operand("first", at.first) + " + (" + i + ") * " + operand("step", at.step) + ")");
  }
  template <class At>
  std::string value(const core::in_rows<At>& at, const std::string& i) {
    const std::string columns = operand("columns", at.columns);
    return value(at.at, "((" + i + ") / " + columns + " * " + operand("row", at.row_step) + " + (" + i + ") % " +
                            columns + " * " + operand("column", at.column_step) + ")");
  }

  template <class At>
  std::string value(const core::as_array<At>& at, const std::string& i) {
    return value(at.at, "(" + operand("first", at.first) + " + (" + i + "))");
  }
  // f of it. Built-in transforms calculate in the type that is folded in.
  template <class In, class F>
  std::string value(const In& in, const std::string& i, const F& f) {
    if constexpr (std::same_as<F, identity>) {
      return value(in, i);
    } else if constexpr (core::is_widening<F>) {
      using A = decltype(f(in[0]));
      const std::string x = value(in, i), type = text_.before.type<A>(), name = "made" + std::to_string(functions_++);
      text_.before.function(type + " " + name + "(" + type + " x)", "the transform's text",
                            opencl::text_of_transform(F::kind, std::is_unsigned_v<A>));
      return name + "((" + type + ")(" + x + "))";
    } else {
      return applied(f, in.at, "(" + operand("first", in.first) + " + (" + i + "))");
    }
  }

  // to[i] = f of the input's element i
  template <class T, class In, class F = identity>
  index_text storing(const In& in, device_span<T> to, const F& f = {}) && {
    const std::string made = value(in, "i", f);
    text_.statements = operand("to", to) + "[i] = " + made + ";";
    return std::move(text_);
  }

 private:
  template <class At, class F>
  std::string applied(const F& f, const At& at, const std::string& i) {
    using V = made_by<At>;
    const std::string x = value(at, i), type = text_.before.type<V>();
    return function<V, made_by<core::through<At, F>>>(f, type + " x") + "(" + x + ")";
  }
  template <class A, class B, class F>
  std::string applied(const core::of_both<F>& f, const core::side_by_side<A, B>& at, const std::string& i) {
    using V = made_by<A>;
    using W = made_by<B>;
    using R = std::remove_cvref_t<std::invoke_result_t<const F&, V, W>>;
    const std::string a = value(at.at, i), b = value(at.rest.at, i), arguments = "(" + a + ", " + b + ")";
    const std::string types = text_.before.type<V>() + " a, " + text_.before.type<W>() + " b";
    if constexpr (is_expression<F>)
      return function<std::common_type_t<V, W>, R>(f.f, types) + arguments;
    else
      return function<V, R>(f.f, types) + arguments;
  }
  template <class T>
  std::string operand(const char* what, const T& x) {
    named_operand o = operand_named("", x);
    o.name = what + std::to_string(text_.operands.size());
    text_.operands.push_back(std::move(o));
    return text_.operands.back().name;
  }
  // Of a text of C an expression's result is of its arguments' type.
  template <class Arguments, class R, class F>
  std::string function(const F& f, const std::string& parameters) {
    const std::string name = "made" + std::to_string(functions_++);
    std::string result;
    if constexpr (is_expression<F>)
      result = text_.before.type<Arguments>();
    else
      result = text_.before.type<R>();
    text_.before.function(result + " " + name + "(" + parameters + ")", "the function's text", opencl::text_of(f));
    return name;
  }

  index_text text_;
  int functions_ = 0;
};

}  // namespace upsweep::opencl

namespace upsweep::core {

// Stores f of a made input in `to`, device memory of OpenCL or CUDA. Enqueued.
template <class T, class At, class F = identity>
void store_by_text(const context& where, const char* call, const At& at, std::uint64_t n, memory to, const F& f = {}) {
  const bool cuda = where.kind() == backend::cuda;
  opencl::made_text text(call, cuda ? opencl::compiler::cuda : opencl::compiler::opencl);
  const opencl::index_text t = std::move(text).template storing<T>(at, device_span<T>(to, n), f);
  cuda ? cuda::for_each_by_text(where.dev(), n, t) : opencl::for_each_by_text(where.dev(), n, t);
}

// Of an input as an array, in[i].
template <class In, class F>
constexpr bool makes_by_text() {
  if constexpr (std::same_as<F, identity>)
    return opencl::has_made_text<In>;
  else if constexpr (is_widening<F>)
    return opencl::has_made_text<In> && builtin_type<std::invoke_result_t<const F&, opencl::made_by_array<In>>>;
  else
    return opencl::has_made_text<through<decltype(In::at), F>>;
}

template <class In, class F>
  requires(core::makes_by_text<In, F>())
struct by_text<In, F> {
  static constexpr bool is_there = true, is_only_text = opencl::made_of_text_alone<In> || opencl::is_only_text<F>;
  template <class T>
  static void store(const context& where, const char* call, const In& in, std::uint64_t n, const F& f, memory to) {
    core::store_by_text<T>(where, call, in, n, to, f);
  }
};

}  // namespace upsweep::core
