#include "lens/own/arena.hpp"

#include <sys/mman.h>

namespace upsweep::lens::own {

namespace {

constexpr std::size_t apart = 1 << 20, page = 4096, kept = 1000;

}  // namespace

// Pages that are never touched take no memory.
arena::arena() {
  for (std::size_t bytes = std::size_t{1} << 38; bytes >= (std::size_t{1} << 28); bytes /= 4) {
    void* at = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (at == MAP_FAILED) continue;
    base_ = next_ = static_cast<unsigned char*>(at);
    end_ = base_ + bytes;
    return;
  }
}

arena::~arena() {
  if (base_ != nullptr) munmap(base_, static_cast<std::size_t>(end_ - base_));
}

region* arena::allocate(std::size_t bytes, space where) {
  const std::size_t whole = (bytes + page - 1) / page * page + 2 * apart;
  if (std::deque<region*>& old = retired_[whole]; old.size() > kept) {
    region* const again = old.front();
    old.pop_front();
    again->bytes = bytes, again->where = where, again->freed = false;
    last_ = nullptr;
    return again;
  }
  if (static_cast<std::size_t>(end_ - next_) < whole || bytes > static_cast<std::size_t>(end_ - base_)) return nullptr;
  auto r = std::make_unique<region>();
  r->begin = next_ + apart, r->bytes = bytes, r->where = where;
  region* const made = r.get();
  slots_[next_] = std::move(r);
  next_ += whole;
  last_ = nullptr;
  return made;
}

void arena::retire(region* r) {
  r->freed = true;
  retired_[(r->bytes + page - 1) / page * page + 2 * apart].push_back(r);
}

region& arena::adopt(void* at, std::size_t bytes, space where) {
  auto r = std::make_unique<region>();
  r->begin = static_cast<unsigned char*>(at), r->bytes = bytes, r->where = where;
  last_ = nullptr;
  return *(slots_[r->begin] = std::move(r));
}

region* arena::find(const void* at) {
  const auto* p = static_cast<const unsigned char*>(at);
  if (last_ != nullptr && p >= last_begin_ && p < last_end_) return last_;
  auto next = slots_.upper_bound(p);
  if (next == slots_.begin()) return nullptr;
  const auto mine = std::prev(next);
  region& r = *mine->second;
  const bool adopted = mine->first == r.begin;
  const unsigned char* end = adopted ? r.begin + r.bytes : r.begin + (r.bytes + page - 1) / page * page + apart;
  if (p >= end) return nullptr;
  last_ = &r, last_begin_ = mine->first, last_end_ = end;
  return &r;
}

}  // namespace upsweep::lens::own
