#include "upsweep/core/device.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "upsweep/core/calls_in_progress.hpp"
#include "upsweep/core/environment.hpp"
#include "upsweep/memory.hpp"

namespace upsweep {

namespace {

// All devices that hold scratch, so that other devices can release it. Never destroyed, because contexts may be
// destroyed at program exit.
struct scratch_holders {
  std::mutex lock;
  std::vector<device*> all;
};
scratch_holders& holders() {
  static scratch_holders* const them = new scratch_holders;
  return *them;
}

// The limit of cached scratch on one device in bytes: UPSWEEP_SCRATCH_LIMIT ("8G"), or half of the device's memory.
std::uint64_t scratch_limit(const device& d) {
  return core::number_from_environment("UPSWEEP_SCRATCH_LIMIT", d.total_memory() / 2, d.name(), "bytes",
                                       "8589934592, 8192M or 8G");
}

}  // namespace

memory device::scratch(std::string_view name, std::uint64_t bytes) {
  if (kind_ == backend::cuda)
    if (const std::uint64_t now = capture(); now != 0) return scratch_of_capture(now, name, bytes);
  const std::size_t thread = core::thread_number();
  if (!listed_) {
    const std::scoped_lock other(holders().lock);
    if (std::ranges::find(holders().all, this) == holders().all.end()) holders().all.push_back(this);
    listed_ = true;
  }
  std::unique_lock all(scratch_lock_);
  while (scratch_.size() <= thread) scratch_.emplace_back();
  auto& mine = scratch_[thread];
  auto it = mine.find(name);
  if (it == mine.end()) it = mine.emplace(std::string(name), block{}).first;
  block& held = it->second;
  held.call = core::current_call();
  if (held.bytes >= bytes) return held.where;
  // The allocation runs without the lock: it may take long, other threads help on the CPU, and memory may have to be
  // released first. Only this thread uses the block. If the allocation fails, the block stays empty and the next call
  // allocates again.
  const memory before = std::exchange(held.where, {});
  held.bytes = 0;
  all.unlock();
  if (before.base) {
    synchronize();  // work already enqueued may still use it
    deallocate(before);
  }
  keep_within_bound(bytes);
  const memory made = allocate(bytes);
  all.lock();
  held.where = made;
  ++scratch_allocations_;
  all.unlock();
  fill(made, 0, bytes);
  all.lock();
  held.bytes = bytes;
  return made;
}

std::uint64_t device::temporary_storage_bytes() const {
  const std::scoped_lock all(scratch_lock_);
  std::uint64_t bytes = 0;
  for (const auto& thread : scratch_)
    for (const auto& [name, held] : thread) bytes += held.bytes;
  return bytes;
}

std::uint64_t device::temporary_storage_allocations() const {
  const std::scoped_lock all(scratch_lock_);
  return scratch_allocations_;
}

void device::keep_within_bound(std::uint64_t grows_by) {
  if (given_.resource) return;
  std::uint64_t kept = 0;
  {
    const std::scoped_lock other(holders().lock);
    const std::string mine = name();
    for (const device* d : holders().all)
      if (!d->given_.resource && d->name() == mine) kept += d->temporary_storage_bytes();
  }
  if (kept != 0 && kept + grows_by > scratch_limit(*this)) release_idle_scratch(false);
}

std::uint64_t device::release_own_idle_scratch(bool between_calls) {
  const std::scoped_lock all(scratch_lock_);
  std::vector<block*> idle;
  for (std::size_t thread = 0; thread < scratch_.size(); ++thread)
    for (auto& [name, held] : scratch_[thread])
      if (held.where.base && core::is_idle(thread, held.call, between_calls)) idle.push_back(&held);
  if (idle.empty()) return 0;
  wait_for_scratch();
  std::uint64_t released = 0;
  for (block* held : idle) {
    deallocate_unused(held->where);
    released += held->bytes;
    *held = {};
  }
  return released;
}

std::uint64_t device::release_idle_scratch(bool between_calls) noexcept {
  std::uint64_t released = 0;
  const auto of = [&](device& d) {
    try {
      released += d.release_own_idle_scratch(between_calls);
    } catch (const std::exception&) {
      // The device keeps its scratch if waiting for it fails, or if the host has no memory for the list.
    }
  };
  if (given_.resource) {  // its memory is useless to other devices
    of(*this);
    return released;
  }
  const std::scoped_lock other(holders().lock);
  try {
    const std::string mine = name();
    for (device* d : holders().all)
      if (!d->given_.resource && d->name() == mine) of(*d);
  } catch (const std::bad_alloc&) {
  }
  return released;
}

// ---- Captures

// After the end of a capture, its memory belongs to the graph alone.
memory device::known_to_capture(std::uint64_t capture, const std::string& key, std::uint64_t bytes) {
  const std::scoped_lock all(scratch_lock_);
  if (capture_ != capture) capture_ = capture, of_capture_.clear();
  const auto at = of_capture_.find(key);
  return at != of_capture_.end() && at->second.bytes >= bytes ? at->second.where : memory{};
}
void device::know_to_capture(std::uint64_t capture, const std::string& key, memory made, std::uint64_t bytes) {
  const std::scoped_lock all(scratch_lock_);
  ++scratch_allocations_;
  if (capture_ == capture) of_capture_[key] = {made, bytes, 0};
}

memory device::scratch_of_capture(std::uint64_t capture, std::string_view name, std::uint64_t bytes) {
  const std::string key = std::to_string(core::thread_number()) + ' ' + std::string(name);
  if (const memory known = known_to_capture(capture, key, bytes); known.base || bytes == 0) return known;
  const memory made = zeroed_for_capture(bytes);
  if (given_.resource) {
    const std::scoped_lock all(scratch_lock_);
    of_graphs_.push_back(made);
  }
  know_to_capture(capture, key, made, bytes);
  return made;
}

memory device::constant_of_capture(std::string_view name, std::span<const std::byte> bytes) {
  const std::uint64_t now = capture();
  std::string key = "constant " + std::string(name) + '\0';
  key.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  if (const memory known = known_to_capture(now, key, bytes.size()); known.base || bytes.empty()) return known;
  const memory made = constant_for_capture(bytes);
  know_to_capture(now, key, made, bytes.size());
  return made;
}

memory device::zeroed_for_capture(std::uint64_t) { cannot_capture(name()); }
memory device::constant_for_capture(std::span<const std::byte>) { cannot_capture(name()); }

void device::cannot_capture(std::string_view call) const {
  throw error(fault::unsupported, std::string(call),
              "it waits for " + name() + ", and the stream is being captured into a CUDA graph",
              "make the call before or after the capture, or have its result stay in device memory, for which no call "
              "waits; the capture, the stream and the context can still be used");
}

std::shared_ptr<device> device::with(const stream_and_memory& given) {
  if (given.resource || !given.stream) return make_with(given);
  const std::scoped_lock held(by_stream_lock_);
  std::shared_ptr<device>& kept = by_stream_[*given.stream];
  if (!kept) kept = make_with(given);
  return kept;
}

std::shared_ptr<device> device::make_with(const stream_and_memory&) {
  throw error(fault::unsupported, "context::with", name() + " does not support the caller's streams or memory",
              "leave .stream and .memory out");
}

void device::refuse(memory_owner owner, std::string_view call, std::string_view operand) const {
  const std::string whose = owner == core::owned_by_cpu ? "cpu"
                            : owner % 4 == 2            ? "cuda:" + std::to_string(owner / 4)
                            : kind_ == backend::opencl  ? "another OpenCL context"
                                                        : "an OpenCL device";
  throw error(fault::bad_argument, std::string(call),
              std::string(operand) + " is memory of " + whose + ", which " + name() + " cannot read",
              "download it and upload it to memory of this context, or call through a context of its own device");
}

memory device::from_resource(std::uint64_t bytes) {
  memory m = given_.resource->allocate(bytes);
  if (!m.base && release_idle_scratch(false) != 0) m = given_.resource->allocate(bytes);
  if (!m.base)
    throw error(fault::out_of_memory, name(),
                std::to_string(bytes) + " bytes were requested and the memory resource has " +
                    std::to_string(given_.resource->free_bytes()) + " free",
                "give it more memory; upsweep::scratch_needed returns the size that a call needs");
  const std::uint64_t at = m.offset + (kind_ == backend::opencl ? 0 : reinterpret_cast<std::uintptr_t>(m.base));
  if (at % 256 != 0) {
    given_.resource->deallocate(m, bytes);
    throw error(fault::bad_argument, name(), "the memory resource gave memory that is not aligned to 256 bytes",
                "let it round addresses and sizes up to 256");
  }
  if (!can_read(m)) {
    given_.resource->deallocate(m, bytes);
    refuse(m.owner, name(), "memory of the memory resource");
  }
  const std::scoped_lock held(by_stream_lock_);
  from_resource_[{m.base, m.offset}] = bytes;
  m.owner = owner_;
  return m;
}

void device::to_resource(memory m) noexcept {
  std::uint64_t bytes = 0;
  {
    const std::scoped_lock held(by_stream_lock_);
    const auto it = from_resource_.find({m.base, m.offset});
    if (it == from_resource_.end()) return;
    bytes = it->second;
    from_resource_.erase(it);
  }
  given_.resource->deallocate(m, bytes);
}

void device::release_scratch() noexcept {
  // A device that is not in the list does not call holders(), whose first call allocates.
  if (listed_) {
    const std::scoped_lock other(holders().lock);
    std::erase(holders().all, this);
  }
  for (const memory m : of_graphs_) deallocate(m);
  of_graphs_.clear();
  for (auto& thread : scratch_)
    for (auto& [name, held] : thread)
      if (held.where.base) deallocate(held.where);
  scratch_.clear();
}

}  // namespace upsweep
