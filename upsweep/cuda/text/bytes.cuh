// An element of which nothing is known but how it lies in memory.
#pragma once

#include <cstdint>
#include <type_traits>

namespace upsweep::text {

template <int Bytes, int Align>
struct alignas(Align) bytes {
  using word = std::conditional_t<
      Align >= 8, std::uint64_t,
      std::conditional_t<Align == 4, std::uint32_t, std::conditional_t<Align == 2, std::uint16_t, std::uint8_t>>>;
  word words[Bytes / sizeof(word)];
};

}  // namespace upsweep::text
