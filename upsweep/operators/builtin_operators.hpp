// The built-in operators, transforms and comparisons by name.
#pragma once

#include <optional>

#include "upsweep/types.hpp"

namespace upsweep {

enum class op_kind : std::uint8_t {
  plus,
  multiplies,
  minimum,
  maximum,
  bit_and,
  bit_or,
  bit_xor,
  logical_and,
  logical_or,
  compose_affine
};

inline constexpr std::array all_ops{op_kind::plus,       op_kind::multiplies,    op_kind::minimum, op_kind::maximum,
                                    op_kind::bit_and,    op_kind::bit_or,        op_kind::bit_xor, op_kind::logical_and,
                                    op_kind::logical_or, op_kind::compose_affine};

constexpr std::string_view name_of(op_kind op) {
  constexpr std::string_view names[]{"plus",   "multiplies", "minimum",     "maximum",    "bit_and",
                                     "bit_or", "bit_xor",    "logical_and", "logical_or", "compose_affine"};
  return names[static_cast<int>(op)];
}

constexpr std::optional<op_kind> op_named(std::string_view name) {
  for (op_kind op : all_ops)
    if (name_of(op) == name) return op;
  return std::nullopt;
}

// Bit operators take integers, compose_affine takes u64; the others take every type that reduce supports.
constexpr bool accepts(op_kind op, dtype t) {
  if (!does_fold(t)) return false;
  if (op == op_kind::compose_affine) return t == dtype::u64;
  const bool bitwise = op == op_kind::bit_and || op == op_kind::bit_or || op == op_kind::bit_xor;
  return !(bitwise && is_floating(t));
}

constexpr bool commutes(op_kind op) { return op != op_kind::compose_affine; }

enum class transform_kind : std::uint8_t { identity, negate, absolute, square };

inline constexpr std::array all_transforms{transform_kind::identity, transform_kind::negate, transform_kind::absolute,
                                           transform_kind::square};

constexpr std::string_view name_of(transform_kind f) {
  constexpr std::string_view names[]{"identity", "negate", "absolute", "square"};
  return names[static_cast<int>(f)];
}

constexpr std::optional<transform_kind> transform_named(std::string_view name) {
  for (transform_kind f : all_transforms)
    if (name_of(f) == name) return f;
  return std::nullopt;
}

enum class comparison : std::uint8_t { less, less_equal, greater, greater_equal, equal, not_equal };

inline constexpr std::array all_comparisons{comparison::less,          comparison::less_equal, comparison::greater,
                                            comparison::greater_equal, comparison::equal,      comparison::not_equal};

constexpr std::string_view name_of(comparison c) {
  constexpr std::string_view names[]{"<", "<=", ">", ">=", "==", "!="};
  return names[static_cast<int>(c)];
}

}  // namespace upsweep
