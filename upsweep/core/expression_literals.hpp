// Passes number literals of expressions as kernel arguments, so that expressions that differ only in them share one
// compiled program: in `x > 17` a name replaces the literal, and the kernel receives its value separately.
//
// A literal is replaced if its value does not help the compiler to optimise and does not change any rounding. These
// literals stay in the source:
//   - operands of / % << >>, which compilers turn into cheaper operations, or into other roundings
//   - literals in a part without arguments (60 * 60, sqrt(2.0f)), which the compiler evaluates
//   - literals with the suffix ll, which OpenCL C does not have
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace upsweep::core {

// In order of C's conversion rank.
enum class literal_type : std::uint8_t { i32, u32, i64, u64, f32, f64 };

struct literal {
  literal_type type{};
  unsigned char bytes[8]{};  // the value begins at the first byte
};
constexpr std::size_t size_of(literal_type t) {
  return t == literal_type::i32 || t == literal_type::u32 || t == literal_type::f32 ? 4 : 8;
}
const char* name_of(literal_type);  // the name in OpenCL C: "uint"

struct placed_literal {
  std::size_t at = 0, end = 0;  // in the device source
  literal value;
};
// The replaceable literals of an expression (upsweep/expression.hpp), in their order; empty for a string that is not an
// expression.
std::vector<placed_literal> literals_of(const std::string& expression);

struct hoisted_source {
  std::string source;  // the name upsweep_literal_k replaces the k-th literal
  std::vector<literal> literals;
};
// Replaces literals in the expressions of a preamble (jit/jit.hpp), which it finds by the lines around them.
// If the preamble contains user definitions, nothing is replaced, because they may redefine names of the expression.
// Line numbers do not change.
hoisted_source hoist_literals(std::string_view unit);
// Further literals stay in the source.
inline constexpr std::size_t most_literals = 32;

}  // namespace upsweep::core
