#include "upsweep/core/host_chunks.hpp"

namespace upsweep::core {

std::uint64_t chunk_elements(const device& d, std::uint64_t n, std::uint64_t size) {
  d.require_no_capture("a call on host memory");
  // A quarter leaves room for scratch and for other programs on the device. The chunk is a power of two, so that the
  // boundaries of chunks, and with them the grouping of a float sum, depend on free memory as little as possible.
  std::uint64_t chunk = 1;
  while (chunk < n && chunk * 2 * size <= d.free_memory() / 4) chunk *= 2;
  return std::min(std::max<std::uint64_t>(n, 1), chunk);
}

}  // namespace upsweep::core
