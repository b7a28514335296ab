#include "upsweep/core/device_table_cache.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include "upsweep/core/recently_used.hpp"
#include "upsweep/core/thread_exit.hpp"

namespace upsweep::core {

memory kept_on(device& d, std::string_view name, std::span<const std::byte> bytes) {
  // A name that no other scratch has: the contents that other users leave would be mistaken for the bytes.
  const std::string own = "kept: " + std::string(name);
  // A graph reads the bytes of its capture whenever it runs, so later bytes of that name get memory of their own.
  if (d.capture() != 0) return d.constant_of_capture(own, bytes);
  // The bytes that this thread's scratch holds. A new device at the address of a destroyed one has no scratch yet, so
  // it allocates. Tables that are not compared any more are uploaded again.
  constexpr std::size_t most_tables = 64;
  constexpr std::uint64_t most_bytes = std::uint64_t{16} << 20;
  [[maybe_unused]] static thread_local const bool reserved = core::reserve_thread_exit_hook();
  static thread_local core::recently_used<std::vector<std::byte>> held;
  const std::uint64_t before = d.temporary_storage_allocations();
  const memory there = d.scratch(own, bytes.size());
  if (bytes.empty()) return there;
  std::string key = std::to_string(reinterpret_cast<std::uintptr_t>(&d)) + ' ' + own;
  const std::vector<std::byte>* const last = held.find(key);
  if (last && d.temporary_storage_allocations() == before && std::ranges::equal(*last, bytes)) return there;
  held.remove(key);  // if the upload throws
  d.upload(there, bytes.data(), bytes.size());
  held.add(std::move(key), {bytes.begin(), bytes.end()}, bytes.size());
  held.shrink(most_tables, most_bytes);
  return there;
}

}  // namespace upsweep::core
