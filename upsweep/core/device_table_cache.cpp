#include "upsweep/core/device_table_cache.hpp"

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "upsweep/core/thread_exit.hpp"

namespace upsweep::core {

memory kept_on(device& d, std::string_view name, std::span<const std::byte> bytes) {
  // A name that no other scratch has: the contents that other users leave would be mistaken for the bytes.
  const std::string own = "kept: " + std::string(name);
  // A graph reads the bytes of its capture whenever it runs, so later bytes of that name get memory of their own.
  if (d.capture() != 0) return d.constant_of_capture(own, bytes);
  // The bytes that this thread's scratch holds. A new device at the address of a destroyed one has no scratch yet, so
  // it allocates.
  [[maybe_unused]] static thread_local const bool reserved = core::reserve_thread_exit_hook();
  static thread_local std::map<std::pair<const device*, std::string>, std::vector<std::byte>> held;
  constexpr std::size_t most_held = 64;
  const std::uint64_t before = d.temporary_storage_allocations();
  const memory there = d.scratch(own, bytes.size());
  if (bytes.empty()) return there;
  if (held.size() > most_held) held.clear();
  std::vector<std::byte>& last = held[{&d, own}];
  if (d.temporary_storage_allocations() == before && std::ranges::equal(last, bytes)) return there;
  last.clear();  // if the upload throws
  d.upload(there, bytes.data(), bytes.size());
  last.assign(bytes.begin(), bytes.end());
  return there;
}

}  // namespace upsweep::core
