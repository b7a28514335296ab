// Definitions that callers of search link to in a build without CUDA or without OpenCL.
#if !UPSWEEP_WITH_CUDA || !UPSWEEP_WITH_OPENCL
#include "upsweep/jit/jit_absent.hpp"
#include "upsweep/search/jit/search_jit.hpp"
#endif

#if !UPSWEEP_WITH_CUDA
namespace upsweep::cuda {

void count_jit(upsweep::device&, const search_source& s, detail::search_impl::seek, memory, memory, std::uint64_t,
               std::uint64_t, memory) {
  throw jit::no_cuda(s.call);
}
void first_jit(upsweep::device&, const search_source& s, detail::search_impl::seek, memory, memory, std::uint64_t,
               std::uint64_t, std::uint64_t, memory) {
  throw jit::no_cuda(s.call);
}
void best_jit(upsweep::device&, const search_source& s, memory, std::uint64_t, memory) { throw jit::no_cuda(s.call); }
void bounds_jit(upsweep::device&, const search_source& s, detail::search_impl::bound, memory, std::uint64_t, memory,
                std::uint64_t, memory, std::size_t) {
  throw jit::no_cuda(s.call);
}

}  // namespace upsweep::cuda
#endif

#if !UPSWEEP_WITH_OPENCL
namespace upsweep::opencl {

void count_jit(upsweep::device&, const search_source& s, detail::search_impl::seek, memory, memory, std::uint64_t,
               std::uint64_t, memory) {
  throw jit::no_opencl(s.call);
}
void first_jit(upsweep::device&, const search_source& s, detail::search_impl::seek, memory, memory, std::uint64_t,
               std::uint64_t, std::uint64_t, memory) {
  throw jit::no_opencl(s.call);
}
void best_jit(upsweep::device&, const search_source& s, memory, std::uint64_t, memory) { throw jit::no_opencl(s.call); }
void bounds_jit(upsweep::device&, const search_source& s, detail::search_impl::bound, memory, std::uint64_t, memory,
                std::uint64_t, memory, std::size_t) {
  throw jit::no_opencl(s.call);
}

}  // namespace upsweep::opencl
#endif
