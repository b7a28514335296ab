// Widens offsets and lengths of four bytes for kernels that read eight.
#pragma once

#include "upsweep/core/operands.hpp"

namespace upsweep::detail::for_each_impl {

// to[i] = from[i], from u32 to u64. Enqueued; both in the memory of the context's device.
void widen(const context&, memory from, std::uint64_t n, memory to);

// Offsets as u64: the given ones, or a wider copy. A copy in host memory lives as long as this object, one in device
// memory until the context's next of that name.
class wide_offsets {
 public:
  wide_offsets(const context&, const char*, core::operand<const std::uint64_t> o) : all_(o) {}
  wide_offsets(const context&, const char* name, core::operand<const std::uint32_t> o);
  operator core::operand<const std::uint64_t>() const { return all_; }

 private:
  core::host_array<std::uint64_t> on_host_;
  core::operand<const std::uint64_t> all_;
};

// For integers of four or eight bytes. A negative one becomes larger than every valid end.
template <class T>
wide_offsets as_offsets(const context& where, core::operand<const T> all, const char* name = "for-each/wide offsets") {
  constexpr bool fits = std::is_integral_v<T> && (sizeof(T) == 4 || sizeof(T) == 8);
  static_assert(fits, "upsweep: offsets and lengths are u32 or u64");
  if constexpr (fits) {
    using wanted = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
    return {where, name, core::operand<const wanted>(all.where(), all.size(), all.on_host())};
  } else {
    return {where, name, core::operand<const std::uint64_t>()};
  }
}
template <class X>
wide_offsets offsets_in(const context& where, const X& x, const char* name = "for-each/wide offsets") {
  return detail::for_each_impl::as_offsets(where, core::read_operand(x), name);
}

}  // namespace upsweep::detail::for_each_impl
