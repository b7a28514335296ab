#include "upsweep/core/device.hpp"

#include <vector>

#include "upsweep/core/thread_end.hpp"
#include "upsweep/memory.hpp"

namespace upsweep {

namespace {

// Small numbers for the threads that are there: the least that is free, given back when its thread ends. What a thread
// left in scratch of that number is in the device's order before whatever the next one enqueues.
class thread_number {
 public:
  thread_number() {
    const std::scoped_lock held(all().lock);
    while (value_ < all().taken.size() && all().taken[value_]) ++value_;
    if (value_ == all().taken.size()) all().taken.push_back(false);
    all().taken[value_] = true;
  }
  ~thread_number() {
    const std::scoped_lock held(all().lock);
    all().taken[value_] = false;
  }
  thread_number(const thread_number&) = delete;
  thread_number& operator=(const thread_number&) = delete;
  std::size_t value() const { return value_; }

 private:
  struct numbers {
    std::mutex lock;
    std::vector<bool> taken;
  };
  static numbers& all() {
    static numbers* const them = new numbers;  // threads may end after everything static is gone
    return *them;
  }
  std::size_t value_ = 0;
};

std::size_t this_threads_number() {
  [[maybe_unused]] static thread_local const bool room = core::room_for_thread_end();
  static thread_local const thread_number mine;
  return mine.value();
}

}  // namespace

memory device::scratch(std::string_view name, std::uint64_t bytes) {
  const std::size_t thread = this_threads_number();
  std::unique_lock all(scratch_lock_);
  while (scratch_.size() <= thread) scratch_.emplace_back();
  auto& mine = scratch_[thread];
  auto it = mine.find(name);
  if (it == mine.end()) it = mine.emplace(std::string(name), block{}).first;
  block& held = it->second;
  if (held.bytes < bytes) {
    if (held.where.base) {
      synchronize();  // work already enqueued may still use it
      release(held.where);
      held = {};
    }
    held.where = allocate(bytes);
    ++scratch_allocations_;
    // Not under the lock, as it may be long and other threads help on the CPU. The block is this thread's own; where
    // the fill is ended it has no bytes, and the next call begins anew.
    all.unlock();
    fill(held.where, 0, bytes);
    all.lock();
    held.bytes = bytes;
  }
  return held.where;
}

scratch_use device::scratch_used() const {
  const std::scoped_lock all(scratch_lock_);
  scratch_use use{0, scratch_allocations_};
  for (const auto& thread : scratch_)
    for (const auto& [name, held] : thread) use.bytes += held.bytes;
  return use;
}

std::shared_ptr<device> device::placed(const placement& given) {
  if (given.resource || !given.stream) return make_placed(given);
  const std::scoped_lock held(placed_lock_);
  std::shared_ptr<device>& kept = by_stream_[*given.stream];
  if (!kept) kept = make_placed(given);
  return kept;
}

std::shared_ptr<device> device::make_placed(const placement&) {
  throw error(fault::unsupported, "context::with", name() + " has neither streams nor memory of a caller's",
              "leave .stream and .memory out");
}

memory device::from_resource(std::uint64_t bytes) {
  const memory m = given_.resource->allocate(bytes);
  if (!m.base)
    throw error(fault::out_of_memory, name(),
                std::to_string(bytes) + " bytes were asked for and the memory resource has " +
                    std::to_string(given_.resource->free_bytes()) + " free",
                "give it more memory; upsweep::scratch_needed tells what a call takes");
  const std::uint64_t at = m.offset + (kind_ == backend::opencl ? 0 : reinterpret_cast<std::uintptr_t>(m.base));
  if (at % 256 != 0) {
    given_.resource->release(m, bytes);
    throw error(fault::bad_argument, name(), "the memory resource gave memory that is not aligned to 256 bytes",
                "let it round addresses and sizes up to 256");
  }
  const std::scoped_lock held(placed_lock_);
  from_resource_[{m.base, m.offset}] = bytes;
  return m;
}

void device::to_resource(memory m) noexcept {
  std::uint64_t bytes = 0;
  {
    const std::scoped_lock held(placed_lock_);
    const auto it = from_resource_.find({m.base, m.offset});
    if (it == from_resource_.end()) return;
    bytes = it->second;
    from_resource_.erase(it);
  }
  given_.resource->release(m, bytes);
}

void device::release_scratch() noexcept {
  for (auto& thread : scratch_)
    for (auto& [name, held] : thread)
      if (held.where.base) release(held.where);
  scratch_.clear();
}

}  // namespace upsweep
