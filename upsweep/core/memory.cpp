#include "upsweep/memory.hpp"

namespace upsweep {

namespace core {

std::uint64_t first_fit_allocator::take(std::uint64_t bytes) {
  if (bytes > size_) return none;
  const std::uint64_t whole = (bytes + step - 1) / step * step;
  std::uint64_t at = 0;
  for (const auto& [offset, length] : pieces_) {
    if (offset - at >= whole) break;
    at = offset + length;
  }
  // The last piece need not be whole steps long.
  if (at > size_ || size_ - at < bytes) return none;
  pieces_[at] = whole;
  used_ += whole;
  most_ = std::max(most_, at + whole);
  return at;
}

void first_fit_allocator::give_back(std::uint64_t offset) {
  const auto it = pieces_.find(offset);
  if (it == pieces_.end()) return;
  used_ -= it->second;
  pieces_.erase(it);
}

memory tracking_resource::allocate(std::uint64_t bytes) {
  const memory m = device_.allocate(bytes);
  const std::scoped_lock held(lock_);
  offsets_[m.base] = pieces_.take(bytes);
  return m;
}

void tracking_resource::deallocate(memory m, std::uint64_t) noexcept {
  {
    const std::scoped_lock held(lock_);
    if (const auto it = offsets_.find(m.base); it != offsets_.end()) {
      pieces_.give_back(it->second);
      offsets_.erase(it);
    }
  }
  device_.deallocate(m);
}

std::uint64_t tracking_resource::most() const {
  const std::scoped_lock held(lock_);
  return pieces_.most();
}

}  // namespace core

namespace {

std::uint64_t to_next_step(memory block, backend kind) {
  const std::uint64_t at = block.offset + (kind == backend::opencl ? 0 : reinterpret_cast<std::uintptr_t>(block.base));
  return (core::first_fit_allocator::step - at % core::first_fit_allocator::step) % core::first_fit_allocator::step;
}

}  // namespace

arena_resource::arena_resource(memory block, std::uint64_t bytes, backend kind)
    : block_(block),
      lost_(block.base ? std::min(bytes, to_next_step(block, kind)) : 0),
      size_(block.base ? bytes - lost_ : 0),
      pieces_(size_) {}

memory arena_resource::allocate(std::uint64_t bytes) {
  const std::scoped_lock held(lock_);
  const std::uint64_t at = pieces_.take(bytes);
  if (at == core::first_fit_allocator::none) return {};
  return block_.plus_bytes(lost_ + at);
}

void arena_resource::deallocate(memory m, std::uint64_t) noexcept {
  const std::scoped_lock held(lock_);
  pieces_.give_back(m.offset - block_.offset - lost_);
}

std::uint64_t arena_resource::free_bytes() const {
  const std::scoped_lock held(lock_);
  return pieces_.used() < size_ ? size_ - pieces_.used() : 0;
}

std::uint64_t arena_resource::most_used() const {
  const std::scoped_lock held(lock_);
  return std::min(pieces_.most(), size_);
}

}  // namespace upsweep
