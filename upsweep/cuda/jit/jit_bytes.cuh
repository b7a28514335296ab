// An element of which only the size and alignment are known.
#pragma once

#include <cstdint>
#include <type_traits>

namespace upsweep::jit {

template <int Bytes, int Align>
struct alignas(Align) bytes {
  using word = std::conditional_t<
      Align >= 8, std::uint64_t,
      std::conditional_t<Align == 4, std::uint32_t, std::conditional_t<Align == 2, std::uint16_t, std::uint8_t>>>;
  word words[Bytes / sizeof(word)];
};

}  // namespace upsweep::jit
