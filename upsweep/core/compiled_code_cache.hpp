// A cache on disk of code that was compiled at run time, in $XDG_CACHE_HOME/upsweep or else in ~/.cache/upsweep. Any
// number of processes may read, write and clear it at once: an entry is written to a temporary file and then renamed.
// Entries are ignored if they are damaged, belong to another user or are writable by one, or cannot be read or written.
//
// Both this cache and the programs that a device keeps in memory are bounded, because their keys contain the user's
// source: a program that builds expressions from its input would fill them. The least recently used entries are
// removed.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace upsweep::code_cache {

// Empty if the environment does not define a folder.
std::string folder();

// `key` contains everything on which the code depends. read() throws if UPSWEEP_CODE_CACHE_LIMIT is no number. write()
// removes the least recently used entries if all of them together exceed that limit.
std::optional<std::string> read(std::string_view key);
void write(std::string_view key, std::string_view code) noexcept;

// The bound of the cache on disk in bytes: UPSWEEP_CODE_CACHE_LIMIT ("256M", the default). 0: nothing is stored.
std::uint64_t most_bytes_on_disk();
// How many programs with the user's source a device keeps in memory: UPSWEEP_PROGRAM_LIMIT (512 by default).
std::size_t most_programs();

struct held {
  std::uint64_t entries = 0, bytes = 0;
};
held size();
// Removes all entries and returns their number and size.
held clear();

// How often this process ran a device's compiler, OpenCL's or NVRTC. Cache hits do not count.
std::uint64_t compilations();
void note_compilation();
// How many programs with the user's source this process has in memory, of all devices.
std::int64_t programs_in_memory();
void note_programs(std::int64_t change);

}  // namespace upsweep::code_cache
