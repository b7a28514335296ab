// The emulated device's memory, at addresses that the user's pointers hold.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "lens/memory.hpp"

namespace upsweep::lens::own {

enum class space : std::uint8_t { device, both, constant, shared };  // both: the host's, too

struct region {
  unsigned char* begin = nullptr;
  std::size_t bytes = 0;
  space where = space::device;
  bool freed = false;
  std::uint32_t of = 0;                   // shared memory: whose block's
  memory_block* block = nullptr;          // the state of its elements
  std::unique_ptr<memory_block> its_own;  // of all but shared memory, whose blocks are the machine's
};

// Each region is between stretches of memory that belong to no region, so that an index out of bounds hits no other.
class arena {
 public:
  arena();
  ~arena();
  arena(const arena&) = delete;
  arena& operator=(const arena&) = delete;

  region* allocate(std::size_t bytes, space);         // null if no memory is left
  void retire(region*);                               // freed: its addresses come again after a thousand others
  region& adopt(void* at, std::size_t bytes, space);  // a variable of the program's
  // The region that an address belongs to, or was meant to belong to: it may be outside of the region.
  region* find(const void* at);
  bool holds(const void* at) const { return at >= base_ && at < next_; }

 private:
  unsigned char *base_ = nullptr, *next_ = nullptr, *end_ = nullptr;
  std::map<const unsigned char*, std::unique_ptr<region>> slots_;  // by where the stretch before begins
  std::map<std::size_t, std::deque<region*>> retired_;             // by size, the oldest first
  region* last_ = nullptr;
  const unsigned char *last_begin_ = nullptr, *last_end_ = nullptr;
};

}  // namespace upsweep::lens::own
