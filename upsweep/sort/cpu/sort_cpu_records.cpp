#include "upsweep/sort/sort_records.hpp"

#include "upsweep/sort/cpu/sort_permute.hpp"

namespace upsweep::detail::sort_impl {

void gather_records(device& d, memory in, std::uint64_t record_bytes, memory index, std::uint32_t index_bytes,
                    std::uint64_t n, memory out) {
  if (n == 0 || record_bytes == 0) return;
  switch (d.kind()) {
    case backend::cpu:
      return cpu::permute(d, in.address(), record_bytes, index.address(), index_bytes, n, out.address());
#if UPSWEEP_WITH_CUDA
    case backend::cuda: return gather_records_on_cuda(d, in, record_bytes, index, index_bytes, n, out);
#endif
#if UPSWEEP_WITH_OPENCL
    case backend::opencl: return gather_records_on_opencl(d, in, record_bytes, index, index_bytes, n, out);
#endif
    default: break;
  }
}

}  // namespace upsweep::detail::sort_impl
