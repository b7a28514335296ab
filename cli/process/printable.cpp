#include "cli/process/printable.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>

namespace {

// The length and the value of the first character; 0 if it is not UTF-8.
std::size_t character(std::string_view text, std::uint32_t& which) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char first = byte(0);
  const std::size_t bytes = first < 0x80 ? 1 : first >> 5 == 6 ? 2 : first >> 4 == 14 ? 3 : first >> 3 == 30 ? 4 : 0;
  if (bytes == 0 || bytes > text.size()) return 0;
  which = bytes == 1 ? first : first & (0x7fu >> bytes);
  for (std::size_t i = 1; i < bytes; ++i) {
    if (byte(i) >> 6 != 2) return 0;
    which = which << 6 | (byte(i) & 0x3f);
  }
  constexpr std::uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
  return which < least[bytes] || which > 0x10ffff || (which >= 0xd800 && which < 0xe000) ? 0 : bytes;
}

// C0, DEL and C1 move the cursor; marks of direction let a name look like another.
bool shown(std::uint32_t c) {
  return c >= 0x20 && !(c >= 0x7f && c < 0xa0) && !(c >= 0x202a && c <= 0x202e) && !(c >= 0x2066 && c <= 0x2069);
}

}  // namespace

std::string printable(std::string_view text, bool lines) {
  std::string safe;
  while (!text.empty()) {
    std::uint32_t which = 0;
    const std::size_t bytes = character(text, which);
    if (bytes > 0 && (shown(which) || (lines && which == '\n')))
      safe += text.substr(0, bytes);
    else
      for (std::size_t i = 0; i < std::max<std::size_t>(bytes, 1); ++i)
        safe += fmt::format("\\x{:02x}", static_cast<unsigned char>(text[i]));
    text.remove_prefix(std::max<std::size_t>(bytes, 1));
  }
  return safe;
}
