// Problems made of a selection's operands, and the checks of what only their contents tell.
#pragma once

#include <concepts>

#include "upsweep/core/operands.hpp"
#include "upsweep/select/select_problem.hpp"

namespace upsweep::detail::select_impl {

using namespace core;

// Whether the library itself was compiled for this type and test.
template <class T, class Test>
inline constexpr bool builtin_test = builtin_type<T> && std::is_same_v<Test, compared<T>>;

template <class T, class Test>
constexpr bool require_test() {
  return core::require_test_of<T, Test>();
}

// Values that the library's own variants carry along.
template <class V>
inline constexpr bool moves_beside =
    std::is_trivially_copyable_v<V> && (sizeof(V) == 1 || sizeof(V) == 2 || sizeof(V) == 4 || sizeof(V) == 8) &&
    alignof(V) == sizeof(V);

template <class T>
problem selection_of(selection how, operand<const T> in, operand<T> out, operand<std::uint64_t> count) {
  problem p;
  if constexpr (builtin_type<T>) p.type = dtype_of<T>;
  p.how = how;
  p.in = in.where(), p.out = out.where(), p.count = count.where();
  p.n = in.size();
  return p;
}

template <class T, class I>
problem movement_of(primitive what, operand<const T> in, operand<const I> in2, operand<T> out) {
  problem p;
  p.what = what, p.index_bytes = sizeof(I);
  p.in = in.where(), p.in2 = in2.where(), p.out = out.where();
  return p;
}

// Integers of four or eight bytes, as u32 or u64: a negative one is past every end.
template <class T>
auto as_indices(operand<const T> all) {
  constexpr bool fits = std::is_integral_v<T> && (sizeof(T) == 4 || sizeof(T) == 8);
  static_assert(fits, "upsweep: indices are u32 or u64");
  using I = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
  return operand<const I>(all.where(), all.size(), all.on_host());
}
template <class X>
auto indices_in(const X& x) {
  return detail::select_impl::as_indices(core::read_operand(x));
}

template <class T>
operand<const std::uint8_t> as_flags(operand<const T> all) {
  static_assert(sizeof(T) == 1 && std::is_integral_v<T>, "upsweep: flags are u8 or bool");
  return {all.where(), all.size(), all.on_host()};
}
template <class X>
operand<const std::uint8_t> flags_in(const X& x) {
  return detail::select_impl::as_flags(core::read_operand(x));
}

// Throws fault::bad_argument where an index, of those flagged where there are flags, is not below `limit`.
void require_indices_below(const context&, const char* where, operand<const std::uint64_t> indices,
                           operand<const std::uint8_t> flags, std::uint64_t limit);
void require_indices_below(const context&, const char* where, operand<const std::uint32_t> indices,
                           operand<const std::uint8_t> flags, std::uint64_t limit);
// Throws fault::bad_argument if the lengths do not add up to `size`.
void require_sum(const context&, operand<const std::uint64_t> lengths, std::uint64_t size);

}  // namespace upsweep::detail::select_impl
