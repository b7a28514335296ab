#include "upsweep/core/streaming.hpp"

#include "upsweep/core/custom.hpp"

namespace upsweep {

std::uint64_t chunk_elements(const device& d, std::uint64_t n, std::uint64_t size) {
  // A quarter leaves room for scratch and for others on the device. The chunk is a power of two, so that where the
  // seams lie, and with them the grouping of a float sum, depends on free memory as little as can be.
  std::uint64_t chunk = 1;
  while (chunk < n && chunk * 2 * size <= d.free_memory() / 4) chunk *= 2;
  return std::min(std::max<std::uint64_t>(n, 1), chunk);
}

void check_scan_spans(memory in, std::uint64_t in_size, memory out, std::uint64_t out_size, std::uint64_t element_bytes,
                      bool bases_are_addresses) {
  if (in_size != out_size)
    throw error(fault::bad_argument, "scan",
                "the input has " + std::to_string(in_size) + " elements and the output " + std::to_string(out_size),
                "give both the same size");
  if (in_size == 0) return;
  if (!bases_are_addresses && in.base != out.base) return;
  const auto begin = [](memory m) { return reinterpret_cast<std::uintptr_t>(m.base) + m.offset; };
  const std::uint64_t a = begin(in), b = begin(out), bytes = in_size * element_bytes;
  if (a != b && a < b + bytes && b < a + bytes)
    throw error(fault::bad_argument, "scan", "the input and the output overlap without being the same",
                "scan in place exactly, or into memory of its own");
}

}  // namespace upsweep
