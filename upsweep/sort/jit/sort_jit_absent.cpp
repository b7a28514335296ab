// Definitions that callers of sort link to in a build without CUDA or without OpenCL.
#if !UPSWEEP_WITH_CUDA || !UPSWEEP_WITH_OPENCL
#include "upsweep/jit/jit_absent.hpp"
#include "upsweep/sort/jit/sort_jit.hpp"
#include "upsweep/sort/opencl/sort_opencl_rank.hpp"
#endif

#if !UPSWEEP_WITH_CUDA
namespace upsweep::cuda {

void sort_jit(upsweep::device&, const kept_order& o, const opencl::merge_problem&) { throw jit::no_cuda(o.order.call); }
void merge_jit(upsweep::device&, const kept_order& o, memory, std::uint64_t, memory, std::uint64_t, memory) {
  throw jit::no_cuda(o.order.call);
}
std::uint64_t first_break_jit(upsweep::device&, const kept_order& o, memory, std::uint64_t) {
  throw jit::no_cuda(o.order.call);
}

}  // namespace upsweep::cuda
#endif

#if !UPSWEEP_WITH_OPENCL
namespace upsweep::opencl {

void find_rank(upsweep::device&, const detail::sort_impl::problem&, std::uint64_t, void*) {
  throw jit::no_opencl("nth_element");
}
void merge_sort(upsweep::device&, const custom_order& order, const merge_problem&) { throw jit::no_opencl(order.call); }
void merge_two(upsweep::device&, const custom_order& order, memory, std::uint64_t, memory, std::uint64_t, memory) {
  throw jit::no_opencl(order.call);
}
std::uint64_t first_break(upsweep::device&, const custom_order& order, memory, std::uint64_t) {
  throw jit::no_opencl(order.call);
}

}  // namespace upsweep::opencl
#endif
