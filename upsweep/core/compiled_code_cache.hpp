// A cache on disk of code that was compiled at run time, in $XDG_CACHE_HOME/upsweep or else in ~/.cache/upsweep. Any
// number of processes may read, write and clear it at once: an entry is written to a temporary file and then renamed.
// Entries are ignored if they are damaged, belong to another user or are writable by one, or cannot be read or written.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace upsweep::code_cache {

// Empty if the environment does not define a folder.
std::string folder();

// `key` contains everything on which the code depends.
std::optional<std::string> read(std::string_view key);
void write(std::string_view key, std::string_view code) noexcept;

struct held {
  std::uint64_t entries = 0, bytes = 0;
};
held size();
// Removes all entries and returns their number and size.
held clear();

// How often this process ran a device's compiler, OpenCL's or NVRTC. Cache hits do not count.
std::uint64_t compilations();
void note_compilation();

}  // namespace upsweep::code_cache
