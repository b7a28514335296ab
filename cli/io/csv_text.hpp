// Text of a file, fit for a sentence on a terminal.
#pragma once

#include <string>
#include <string_view>

inline std::string shown(std::string_view text) {
  std::string safe;
  for (char c : text.substr(0, 40)) safe += static_cast<unsigned char>(c) >= ' ' && c != 127 ? c : '?';
  return safe + (text.size() > 40 ? "..." : "");
}
