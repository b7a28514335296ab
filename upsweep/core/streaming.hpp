// Host memory through a device that cannot read it: in chunks, each worked on as a whole; what is carried from one to
// the next is the caller's rule.
#pragma once

#include <algorithm>

#include "upsweep/core/device.hpp"

namespace upsweep::core {

// Device memory for one call.
class staging {
 public:
  staging(device& d, std::uint64_t bytes) : device_(d), where_(d.allocate(bytes)) {}
  staging(const staging&) = delete;
  staging& operator=(const staging&) = delete;
  ~staging() {
    if (where_.base) device_.release(where_);
  }
  memory where() const { return where_; }

 private:
  device& device_;
  memory where_;
};

// Elements of `size` bytes that a host call moves to the device at once: all, or what a quarter of its free memory
// holds.
std::uint64_t chunk_elements(const device& d, std::uint64_t n, std::uint64_t size);

// Calls body(first, count) for one chunk of n elements after the other, at most `chunk` of them each.
template <class Body>
void for_each_chunk_of(std::uint64_t chunk, std::uint64_t n, Body body) {
  for (std::uint64_t first = 0; first < n; first += chunk) body(first, std::min(chunk, n - first));
}
// ... of elements of `size` bytes, as large as the device takes.
template <class Body>
void for_each_chunk(const device& d, std::uint64_t n, std::uint64_t size, Body body) {
  core::for_each_chunk_of(chunk_elements(d, n, size), n, body);
}

}  // namespace upsweep::core
