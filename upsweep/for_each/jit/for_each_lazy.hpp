// Lazy views (views.hpp) by device source: the statement that stores their elements, where a device's compiler
// evaluates them. These have device source: device memory; iota and repeat; permute, reverse and stride of inputs that
// have it; transform by a function that has it, of one such input or of a zip of two. A zip has none elsewhere.
#pragma once

#include "upsweep/core/lazy_view.hpp"
#include "upsweep/expression.hpp"
#include "upsweep/for_each/jit/for_each_jit.hpp"
#include "upsweep/views.hpp"

namespace upsweep::opencl {

template <class At>
using made_by = std::remove_cvref_t<std::invoke_result_t<const At&, std::uint64_t>>;

template <class At>
inline constexpr bool has_view_source = false;
template <class T>
inline constexpr bool has_view_source<core::from_device<T>> = has_type_source<T>;
template <class T>
inline constexpr bool has_view_source<core::iota_function<T>> = builtin_type<T> && !std::same_as<T, half>;
template <class T>
inline constexpr bool has_view_source<core::repeat_function<T>> = has_type_source<T>;
template <class At, class F>
inline constexpr bool has_view_source<core::transform_function<At, F>> =
    has_view_source<At> && has_source<F> && has_type_source<made_by<core::transform_function<At, F>>>;
template <class A, class B, class F>
inline constexpr bool has_view_source<core::transform_function<core::zip_function<A, B>, core::call_with_both<F>>> =
    has_view_source<A> && has_view_source<B> && has_source<F> &&
    has_type_source<std::remove_cvref_t<std::invoke_result_t<const F&, made_by<A>, made_by<B>>>>;
template <class At, class Index>
inline constexpr bool has_view_source<core::permute_function<At, Index>> =
    has_view_source<At> && has_view_source<Index>;
template <class At>
inline constexpr bool has_view_source<core::stride_function<At>> = has_view_source<At>;
template <class At>
inline constexpr bool has_view_source<core::stride_rows_function<At>> = has_view_source<At>;
template <class At>
inline constexpr bool has_view_source<core::as_array<At>> = has_view_source<At>;
template <class Folds, class Kept>
inline constexpr bool has_view_source<core::fold_or_kept_function<Folds, Kept>> =
    has_view_source<Folds> && has_view_source<Kept>;
template <class T, class In, class F>
constexpr bool has_present_source() {
  if constexpr (std::same_as<F, identity>)
    return has_view_source<In>;
  else if constexpr (core::is_widening<F>)
    return has_view_source<In> && builtin_type<T>;
  else
    return has_type_source<T> && has_view_source<core::transform_function<decltype(In::at), F>>;
}
template <class T, class In, class F>
inline constexpr bool has_view_source<core::present_function<T, In, F>> = opencl::has_present_source<T, In, F>();

template <class In>
using made_by_array = std::remove_cvref_t<decltype(std::declval<const In&>()[0])>;

constexpr const char* source_of_transform(transform_kind k, bool is_unsigned) {
  switch (k) {
    case transform_kind::negate: return "-x";
    case transform_kind::absolute: return is_unsigned ? "x" : "x < 0 ? -x : x";
    case transform_kind::square: return "x * x";
    default: return "x";
  }
}

// Writes the expression of an input at an index, and the operands that it names.
class view_source {
 public:
  view_source(const char* call, compiler of) {
    source_.call = call, source_.before.call = call, source_.before.of = of;
  }

  template <class T>
  std::string value(const core::from_device<T>& at, const std::string& i) {
    return operand("m", device_span<const T>(at.where, 0)) + "[" + i + "]";
  }
  template <class T>
  std::string value(const core::iota_function<T>& at, const std::string& i) {
    const std::string type = source_.before.type<T>();
    return "(" + type + ")(" + operand("first", at.first) + " + (" + type + ")(" + i + "))";
  }
  template <class T>
  std::string value(const core::repeat_function<T>& at, const std::string&) {
    return operand("value", at.value);
  }
  template <class At, class F>
  std::string value(const core::transform_function<At, F>& at, const std::string& i) {
    return applied(at.f, at.at, i);
  }
  template <class At, class Index>
  std::string value(const core::permute_function<At, Index>& at, const std::string& i) {
    return value(at.at, "(ulong)(" + value(at.index, i) + ")");
  }
  template <class At>
  std::string value(const core::stride_function<At>& at, const std::string& i) {
    return value(at.at, "(" + operand("first", at.first) + " + (" + i + ") * " + operand("step", at.step) + ")");
  }
  template <class At>
  std::string value(const core::stride_rows_function<At>& at, const std::string& i) {
    const std::string columns = operand("columns", at.columns);
    return value(at.at, "((" + i + ") / " + columns + " * " + operand("row", at.row_step) + " + (" + i + ") % " +
                            columns + " * " + operand("column", at.column_step) + ")");
  }

  template <class At>
  std::string value(const core::as_array<At>& at, const std::string& i) {
    return value(at.at, "(" + operand("first", at.first) + " + (" + i + "))");
  }
  template <class Folds, class Kept>
  std::string value(const core::fold_or_kept_function<Folds, Kept>& at, const std::string& i) {
    const std::string fold = value(at.folds, i);
    return "(" + fold + ".is_present ? " + fold + ".value : " + value(at.kept, i) + ")";
  }
  template <class T, class In, class F>
  std::string value(const core::present_function<T, In, F>& at, const std::string& i) {
    const std::string x = value(at.in, "(" + i + ")", at.f), type = source_.before.type<core::optional_value<T>>();
    return (source_.before.of == compiler::cuda ? type : "(" + type + ")") + "{" + x + ", 1u}";
  }
  // f of the expression. Built-in transforms compute in the accumulator's type.
  template <class In, class F>
  std::string value(const In& in, const std::string& i, const F& f) {
    if constexpr (std::same_as<F, identity>) {
      return value(in, i);
    } else if constexpr (core::is_widening<F>) {
      using A = decltype(f(in[0]));
      const std::string x = value(in, i), type = source_.before.type<A>(), name = "made" + std::to_string(functions_++);
      source_.before.function(type + " " + name + "(" + type + " x)", "the transform's source",
                              opencl::source_of_transform(F::kind, std::is_unsigned_v<A>));
      return name + "((" + type + ")(" + x + "))";
    } else {
      return applied(f, in.at, "(" + operand("first", in.first) + " + (" + i + "))");
    }
  }

  // to[i] = f of the input's element i
  template <class T, class In, class F = identity>
  index_source storing(const In& in, device_span<T> to, const F& f = {}) && {
    const std::string made = value(in, "i", f);
    source_.statements = operand("to", to) + "[i] = " + made + ";";
    return std::move(source_);
  }

 private:
  template <class At, class F>
  std::string applied(const F& f, const At& at, const std::string& i) {
    using V = made_by<At>;
    const std::string x = value(at, i), type = source_.before.type<V>();
    return function<V, made_by<core::transform_function<At, F>>>(f, type + " x") + "(" + x + ")";
  }
  template <class A, class B, class F>
  std::string applied(const core::call_with_both<F>& f, const core::zip_function<A, B>& at, const std::string& i) {
    using V = made_by<A>;
    using W = made_by<B>;
    using R = std::remove_cvref_t<std::invoke_result_t<const F&, V, W>>;
    const std::string a = value(at.at, i), b = value(at.rest.at, i), arguments = "(" + a + ", " + b + ")";
    const std::string types = source_.before.type<V>() + " a, " + source_.before.type<W>() + " b";
    if constexpr (is_expression<F>)
      return function<std::common_type_t<V, W>, R>(f.f, types) + arguments;
    else
      return function<V, R>(f.f, types) + arguments;
  }
  template <class T>
  std::string operand(const char* what, const T& x) {
    named_operand o = operand_named("", x);
    o.name = what + std::to_string(source_.operands.size());
    source_.operands.push_back(std::move(o));
    return source_.operands.back().name;
  }
  // In C source the type of an expression's result is that of its arguments.
  template <class Arguments, class R, class F>
  std::string function(const F& f, const std::string& parameters) {
    const std::string name = "made" + std::to_string(functions_++);
    std::string result;
    if constexpr (is_expression<F>)
      result = source_.before.type<Arguments>();
    else
      result = source_.before.type<R>();
    source_.before.function(result + " " + name + "(" + parameters + ")", "the function's source",
                            opencl::source_of(f));
    return name;
  }

  index_source source_;
  int functions_ = 0;
};

}  // namespace upsweep::opencl

namespace upsweep::core {

// Materializes f of a lazy view in `to`, device memory of OpenCL or CUDA. Enqueued.
template <class T, class At, class F = identity>
void store_jit(const context& where, const char* call, const At& at, std::uint64_t n, memory to, const F& f = {}) {
  core::require_readable(where.device(), call, at);
  const bool cuda = where.kind() == backend::cuda;
  opencl::view_source source(call, cuda ? opencl::compiler::cuda : opencl::compiler::opencl);
  const opencl::index_source t = std::move(source).template storing<T>(at, device_span<T>(to, n), f);
  cuda ? cuda::for_each_jit(where.device(), n, t) : opencl::for_each_jit(where.device(), n, t);
}

// For an input as an array: in[i].
template <class In, class F>
constexpr bool can_view_jit() {
  if constexpr (std::same_as<F, identity>)
    return opencl::has_view_source<In>;
  else if constexpr (is_widening<F>)
    return opencl::has_view_source<In> && builtin_type<std::invoke_result_t<const F&, opencl::made_by_array<In>>>;
  else
    return opencl::has_view_source<transform_function<decltype(In::at), F>>;
}

template <class In, class F>
  requires(core::can_view_jit<In, F>())
struct jit_materializer<In, F> {
  static constexpr bool is_there = true, is_only_source = core::is_only_source<In> || core::is_only_source<F>;
  template <class T>
  static void store(const context& where, const char* call, const In& in, std::uint64_t n, const F& f, memory to) {
    core::store_jit<T>(where, call, in, n, to, f);
  }
};

}  // namespace upsweep::core
