// The memory and the values that a text names, where a text is more than a function of its arguments: for_each_index
// and the steps of recur. A function of the user's own names them beside its text:
//
//   struct scaled {
//     upsweep::device_span<float> x;
//     float by;
//     void operator()(std::uint64_t i) const { x.data()[i] *= by; }       // what the CPU runs
//     static constexpr const char* opencl = "x[i] *= by;";                // what OpenCL and CUDA run
//     auto named_operands() const { return upsweep::named("x", x, "by", by); }
//   };
//
// An operand is a device span, which the text reads and writes as an array (an array of const where the span is one),
// or a value: a number or bool, or a struct with its text (custom.hpp). Its name is an identifier of C. What is no span
// travels as bytes.
#pragma once

#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "upsweep/core/custom.hpp"
#include "upsweep/opencl/custom.hpp"

namespace upsweep {

namespace opencl {

struct named_operand {
  std::string name;
  bool is_memory = false, is_read_only = false;
  memory where;
  std::string bytes;                // of a value
  std::size_t size = 0, align = 0;  // of an element, or of the value
  std::string (*type)(preamble&) = nullptr;
};
using operand_list = std::vector<named_operand>;

template <class T>
named_operand operand_named(const char* name, const T& x) {
  named_operand o;
  o.name = name;
  if constexpr (is_device_span<T>) {
    using E = element_of<T>;
    o.is_memory = true, o.is_read_only = !std::is_same_v<T, device_span<E>>;
    o.where = x.where(), o.size = sizeof(E), o.align = alignof(E);
    o.type = [](preamble& p) { return p.type<E>(); };
  } else {
    static_assert(std::is_trivially_copyable_v<T> && !std::is_pointer_v<T>,
                  "upsweep: an operand that a text names is a device span, or a value without addresses in it");
    o.size = sizeof(T), o.align = alignof(T);
    o.bytes.assign(reinterpret_cast<const char*>(&x), sizeof(T));
    o.type = [](preamble& p) { return p.type<T>(); };
  }
  return o;
}

inline void add_named(operand_list&) {}
template <class T, class... Rest>
void add_named(operand_list& to, const char* name, const T& x, const Rest&... rest) {
  to.push_back(opencl::operand_named(name, x));
  opencl::add_named(to, rest...);
}

template <class F>
concept names_operands = requires(const F& f) {
  { f.named_operands() } -> std::same_as<operand_list>;
};
template <class F>
concept has_index_text = carries_text<F> && names_operands<F>;

// How a unit writes them.
struct operand_texts {
  std::string parameters;         // ", global const float* x, float by", of functions
  std::string names;              // ", x, by", which hand them on
  std::string kernel_parameters;  // "global const float* p0, ulong p0_at, float p1, "
  std::string arguments;          // ", p0 + p0_at, p1"
  std::string members;            // "const float* x; float by; ", of a struct in CUDA C++
};
operand_texts texts_of(preamble&, const operand_list&);

// "void at(ulong i)" and statements in the parameters, in a file of their own by the name that messages are to call it.
void add_statements(preamble&, const std::string& head, const std::string& called, const std::string& statements);
// The same of one expression, that a function of that head returns.
void add_expression(preamble&, const std::string& head, const std::string& called, const std::string& expression);

}  // namespace opencl

// Names and operands by turns.
template <class... NamesAndOperands>
opencl::operand_list named(const NamesAndOperands&... all) {
  static_assert(sizeof...(all) % 2 == 0, "upsweep: named() takes names and operands by turns");
  opencl::operand_list list;
  list.reserve(sizeof...(all) / 2);
  opencl::add_named(list, all...);
  return list;
}

}  // namespace upsweep
