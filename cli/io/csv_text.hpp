// Text of a file for use in a message.
#pragma once

#include <string>
#include <string_view>

inline std::string shown(std::string_view text) {
  std::string safe;
  for (char c : text.substr(0, 40)) safe += static_cast<unsigned char>(c) >= ' ' && c != 127 ? c : '?';
  return safe + (text.size() > 40 ? "..." : "");
}

// Throws if the text begins as UTF-16 or UTF-32, with the command that converts it.
void refuse_wide_text(const std::string& name, const std::string& path, std::string_view text);
