// Limits that the user sets by environment variables.
#pragma once

#include <charconv>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <system_error>

#include "upsweep/error.hpp"

namespace upsweep::core {

// The number in that variable, with the suffix K, M or G for powers of 1024; `otherwise` if the variable is not set.
// `unit` is what it counts, for the error: "bytes".
inline std::uint64_t number_from_environment(const char* variable, std::uint64_t otherwise, const std::string& where,
                                             const char* unit, const char* examples) {
  const char* const asked = std::getenv(variable);
  if (!asked) return otherwise;
  const std::string_view text(asked);
  std::uint64_t value = 0;
  const auto [end, wrong] = std::from_chars(text.data(), text.data() + text.size(), value);
  const std::string_view suffix(end, static_cast<std::size_t>(text.data() + text.size() - end));
  const int shift = suffix.empty() ? 0 : suffix == "K" ? 10 : suffix == "M" ? 20 : suffix == "G" ? 30 : -1;
  if (wrong != std::errc{} || shift < 0 || value > (~std::uint64_t{0} >> shift))
    throw error(fault::bad_argument, where,
                std::string(variable) + "=" + std::string(text) + " is not a number of " + unit,
                std::string("write ") + examples);
  return value << shift;
}

}  // namespace upsweep::core
