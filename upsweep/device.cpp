#include "upsweep/device.hpp"

namespace upsweep {

memory device::scratch(std::string_view name, std::uint64_t bytes) {
  auto it = scratch_.find(name);
  if (it == scratch_.end()) it = scratch_.emplace(std::string(name), block{}).first;
  block& held = it->second;
  if (held.bytes < bytes) {
    if (held.where.base) {
      synchronize();  // work already enqueued may still use it
      release(held.where);
      held = {};
    }
    held.where = allocate(bytes);
    held.bytes = bytes;
    ++scratch_allocations_;
    fill(held.where, 0, bytes);
  }
  return held.where;
}

scratch_use device::scratch_used() const {
  scratch_use use{0, scratch_allocations_};
  for (const auto& [name, held] : scratch_) use.bytes += held.bytes;
  return use;
}

void device::release_scratch() noexcept {
  for (auto& [name, held] : scratch_)
    if (held.where.base) release(held.where);
  scratch_.clear();
}

}  // namespace upsweep
