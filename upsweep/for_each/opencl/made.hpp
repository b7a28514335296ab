// Inputs that are made as they are read (inputs.hpp), by text: the statement that stores them, where a device's
// compiler is to make them. What has one: device memory; counting, constant, permuted, reversed and strided of such;
// transformed by a function with a text, of one input or of two that are zipped; and zipped nowhere else.
#pragma once

#include "upsweep/core/reading.hpp"
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
inline constexpr bool has_made_text<core::through<core::side_by_side<A, core::side_by_side<B>>, core::of_both<F>>> =
    has_made_text<A> && has_made_text<B> && has_opencl_text<F> &&
    has_type_text<std::remove_cvref_t<std::invoke_result_t<const F&, made_by<A>, made_by<B>>>>;
template <class At, class Index>
inline constexpr bool has_made_text<core::picked<At, Index>> = has_made_text<At> && has_made_text<Index>;
template <class At>
inline constexpr bool has_made_text<core::stepping<At>> = has_made_text<At>;
template <class At>
inline constexpr bool has_made_text<core::in_rows<At>> = has_made_text<At>;

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
    using V = made_by<At>;
    const std::string x = value(at.at, i), type = text_.before.type<V>();
    return function<V, made_by<core::through<At, F>>>(at.f, type + " x") + "(" + x + ")";
  }
  template <class A, class B, class F>
  std::string value(const core::through<core::side_by_side<A, core::side_by_side<B>>, core::of_both<F>>& at,
                    const std::string& i) {
    using V = made_by<A>;
    using W = made_by<B>;
    using R = std::remove_cvref_t<std::invoke_result_t<const F&, V, W>>;
    const std::string a = value(at.at.at, i), b = value(at.at.rest.at, i);
    const std::string types = text_.before.type<V>() + " a, " + text_.before.type<W>() + " b";
    return function<std::common_type_t<V, W>, R>(at.f.f, types) + "(" + a + ", " + b + ")";
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

  // to[i] = the input's element i
  template <class T, class At>
  index_text storing(const At& at, device_span<T> to) && {
    const std::string made = value(at, "i");
    text_.statements = operand("to", to) + "[i] = " + made + ";";
    return std::move(text_);
  }

 private:
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

// Stores a made input in `to`, device memory of OpenCL or CUDA. Enqueued.
template <class T, class At>
void store_by_text(const context& where, const char* call, const At& at, std::uint64_t n, memory to) {
  const bool cuda = where.kind() == backend::cuda;
  opencl::made_text text(call, cuda ? opencl::compiler::cuda : opencl::compiler::opencl);
  const opencl::index_text t = std::move(text).template storing<T>(at, device_span<T>(to, n));
  cuda ? cuda::for_each_by_text(where.dev(), n, t) : opencl::for_each_by_text(where.dev(), n, t);
}

}  // namespace upsweep::core
