// Operands as spans of one device, and scratch, for the calls that grouped.hpp is composed of. Host memory belongs to
// the CPU.
#pragma once

#include "upsweep/core/operands.hpp"

namespace upsweep::detail::grouped_impl {

using namespace core;

template <class Y>
context worked_on_by(const context& asked) {
  return on_device<Y> || asked.kind() == backend::cpu ? asked : context::cpu();
}

template <class X>
device_span<const element_of<X>> read_span(const X& x) {
  const auto o = core::read_operand(x);
  return {o.where(), o.size()};
}
template <class Y>
device_span<element_of<Y>> written_span(Y&& y) {
  const auto o = core::written_operand(y);
  return {o.where(), o.size()};
}

// Scratch for n elements under a name; at least 16 bytes.
template <class T>
device_span<T> scratch_of(const context& where, const char* name, std::uint64_t n) {
  static_assert(std::is_trivially_copyable_v<T>,
                "upsweep: this call copies elements as bytes to sort them; give a trivially copyable type");
  return {where.device().scratch(name, std::max<std::uint64_t>(n * sizeof(T), 16)), n};
}

template <class T>
T fetched(const context& where, device_span<const T> x, std::uint64_t i) {
  T value;
  where.device().download(&value, x.subspan(i, 1).where(), sizeof value);
  return value;
}

template <class K>
constexpr void require_keys() {
  static_assert(builtin_type<K>, "upsweep: this call sorts its keys as numbers; give it keys of a built-in type");
}

}  // namespace upsweep::detail::grouped_impl
