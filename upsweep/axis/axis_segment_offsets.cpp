#include "upsweep/axis/axis_segment_offsets.hpp"

#include <algorithm>

namespace upsweep::detail::axis_impl {

const moves& moves_on(const device& d) {
  switch (d.kind()) {
#if UPSWEEP_WITH_OPENCL
    case backend::opencl: return opencl_moves();
#endif
#if UPSWEEP_WITH_CUDA
    case backend::cuda: return cuda_moves();
#endif
    default: return cpu_moves();
  }
}

memory offsets_of(device& d, const lines& l) {
  const memory offsets = d.scratch("axis/offsets", (l.count() + 1) * sizeof(std::uint64_t));
  moves_on(d).offsets(d, offsets, l.count(), l.length);
  return offsets;
}

memory gathered_lines(device& d, memory in, const lines& l, std::uint64_t bytes) {
  const memory to = d.scratch("axis/lines", std::max<std::uint64_t>(l.elements() * bytes, 16));
  moves_on(d).transpose(d, {in, to, bytes, bytes, l.outer, l.length, l.inner, l.inner, 0});
  return to;
}

void spread_lines(device& d, memory from, memory out, const lines& l, std::uint64_t bytes) {
  moves_on(d).transpose(d, {from, out, bytes, bytes, l.outer, l.inner, l.length, l.length, 0});
}

}  // namespace upsweep::detail::axis_impl
