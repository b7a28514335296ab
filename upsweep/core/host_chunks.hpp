// Streams host memory in chunks through a device that cannot read it. The caller processes each chunk as a whole and
// carries state from one chunk to the next.
#pragma once

#include <algorithm>

#include "upsweep/core/device.hpp"

namespace upsweep::core {

// Device memory that is allocated for one call.
class staging {
 public:
  staging(device& d, std::uint64_t bytes) : device_(d), where_(d.allocate(bytes)) {}
  staging(const staging&) = delete;
  staging& operator=(const staging&) = delete;
  ~staging() {
    if (where_.base) device_.deallocate(where_);
  }
  memory where() const { return where_; }

 private:
  device& device_;
  memory where_;
};

// The number of elements of `size` bytes that a call on host memory copies to the device at once: all, or as many as
// fit a quarter of the free memory.
std::uint64_t chunk_elements(const device& d, std::uint64_t n, std::uint64_t size);

// Calls body(first, count) for consecutive chunks of n elements, with at most `chunk` elements each.
template <class Body>
void for_each_chunk_of(std::uint64_t chunk, std::uint64_t n, Body body) {
  for (std::uint64_t first = 0; first < n; first += chunk) body(first, (std::min)(chunk, n - first));
}
// for_each_chunk_of with the chunk size of chunk_elements.
template <class Body>
void for_each_chunk(const device& d, std::uint64_t n, std::uint64_t size, Body body) {
  core::for_each_chunk_of(chunk_elements(d, n, size), n, body);
}

}  // namespace upsweep::core
