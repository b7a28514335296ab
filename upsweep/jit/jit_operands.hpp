// The memory and values that a device source names, where it uses more than its arguments: for_each_index and the
// steps of recur. A user-defined function names them next to its source:
//
//   struct scaled {
//     upsweep::device_span<float> x;
//     float by;
//     void operator()(std::uint64_t i) const { x.data()[i] *= by; }       // the CPU runs this
//     static constexpr const char* source = "x[i] *= by;";                // OpenCL and CUDA run this
//     auto named_operands() const { return upsweep::named("x", x, "by", by); }
//   };
//
// An operand is a device span, which the source reads and writes as an array (an array of const for a span of const),
// or a value: a number or bool, or a struct with a device source (jit/jit.hpp). Its name is an identifier of C.
// Values are passed as bytes.
#pragma once

#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "upsweep/core/custom_operator.hpp"
#include "upsweep/jit/jit.hpp"

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
                  "upsweep: an operand named in device source is a device span, or a value without addresses");
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
concept has_index_source = has_source_member<F> && names_operands<F>;

// Their forms in the source of a unit.
struct operand_sources {
  std::string parameters;         // ", global const float* x, float by", of functions
  std::string names;              // ", x, by", which hand them on
  std::string kernel_parameters;  // "global const float* p0, ulong p0_at, float p1, "
  std::string arguments;          // ", p0 + p0_at, p1"
  std::string members;            // "const float* x; float by; ", of a struct in CUDA C++
};
operand_sources sources_of(preamble&, const operand_list&);

// Adds a function: "void at(ulong i)" and statements in its parameters, as a file with the name that messages show.
void add_statements(preamble&, const std::string& head, const std::string& called, const std::string& statements);
// Like add_statements(), for one expression that a function with that head returns.
void add_expression(preamble&, const std::string& head, const std::string& called, const std::string& expression);

}  // namespace opencl

// Names and operands alternate.
template <class... NamesAndOperands>
opencl::operand_list named(const NamesAndOperands&... all) {
  static_assert(sizeof...(all) % 2 == 0, "upsweep: named() takes a name before each operand");
  opencl::operand_list list;
  list.reserve(sizeof...(all) / 2);
  opencl::add_named(list, all...);
  return list;
}

}  // namespace upsweep
