// Offsets and lengths of four bytes for what reads eight.
#pragma once

#include "upsweep/core/operands.hpp"

namespace upsweep::for_each_room {

// to[i] = from[i], u64 of u32. Enqueued; memory of that context's device.
void widen(const context&, memory from, std::uint64_t n, memory to);

// Offsets as u64: those that are given, or a copy that is wider. It lasts as long as this, and in device memory until
// the context's next of that name.
class wide_offsets {
 public:
  wide_offsets(const context&, const char*, core::operand<const std::uint64_t> o) : all_(o) {}
  wide_offsets(const context&, const char* name, core::operand<const std::uint32_t> o);
  operator core::operand<const std::uint64_t>() const { return all_; }

 private:
  core::host_array<std::uint64_t> on_host_;
  core::operand<const std::uint64_t> all_;
};

// Of integers of four or eight bytes. A negative one lies past every end.
template <class X>
wide_offsets offsets_in(const context& where, const X& x, const char* name = "for-each/wide offsets") {
  using T = element_of<X>;
  constexpr bool fits = std::is_integral_v<T> && (sizeof(T) == 4 || sizeof(T) == 8);
  static_assert(fits, "upsweep: offsets and lengths are u32 or u64");
  if constexpr (fits) {
    using wanted = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
    const auto all = core::read_operand(x);
    return {where, name, core::operand<const wanted>(all.where(), all.size(), all.on_host())};
  }
}

}  // namespace upsweep::for_each_room
