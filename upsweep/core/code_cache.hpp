// Code that was compiled where a program ran, kept for the next program: in $XDG_CACHE_HOME/upsweep, or else in
// ~/.cache/upsweep. Any number of processes may read, write and clear it at once: an entry is written beside its name
// and then renamed. What is damaged, belongs to another user or may be written by one, or cannot be read or written, is
// as if it were not there.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace upsweep::code_cache {

// Empty where the environment names none.
std::string folder();

// `key`: all that the code depends on, in full.
std::optional<std::string> read(std::string_view key);
void write(std::string_view key, std::string_view code) noexcept;

struct held {
  std::uint64_t entries = 0, bytes = 0;
};
held size();
// Takes all entries away, and says what they were.
held clear();

}  // namespace upsweep::code_cache
