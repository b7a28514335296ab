// Stubs that calls with device source link to in a build without CUDA, which has no contexts of kind cuda.
#if !UPSWEEP_WITH_CUDA
#include "upsweep/compact/opencl/compact_opencl_jit.hpp"
#include "upsweep/for_each/opencl/for_each_opencl_jit.hpp"
#include "upsweep/recurrence/cuda/recurrence_cuda_jit.hpp"
#include "upsweep/recurrence/opencl/recurrence_opencl_jit.hpp"
#include "upsweep/reduce/cuda/reduce_cuda_jit.hpp"
#include "upsweep/scan/cuda/scan_cuda_jit.hpp"
#include "upsweep/search/cuda/search_cuda_jit.hpp"
#include "upsweep/segmented/opencl/segmented_opencl_jit.hpp"
#include "upsweep/select/opencl/select_opencl_jit.hpp"
#include "upsweep/sets/cuda/sets_cuda_jit.hpp"
#include "upsweep/sort/opencl/sort_opencl_jit.hpp"
#include "upsweep/transform/opencl/transform_map.hpp"

namespace upsweep::cuda {

namespace {

error absent(const char* where) {
  return {fault::no_device, where, "this build has no CUDA", "install NVIDIA's toolkit and build again"};
}

}  // namespace

void reduce_jit(upsweep::device&, const opencl::custom_kernel& k, memory, std::uint64_t, memory) {
  throw absent(k.where);
}
void scan_jit(upsweep::device&, const opencl::custom_kernel& k, memory, std::uint64_t, memory, bool, memory) {
  throw absent(k.where);
}
void select_by(upsweep::device&, const opencl::selection_jit& s, memory, memory, opencl::kept_program*,
               const beside_selected&) {
  throw absent(s.call);
}
void end_offsets(upsweep::device&, memory, memory, std::uint64_t) { throw absent("group_by"); }
void fold_by_key(upsweep::device&, const opencl::custom_kernel& k, const keys_jit&,
                 const detail::segmented_impl::problem&) {
  throw absent(k.where);
}
void sort_jit(upsweep::device&, const kept_order& o, const opencl::merge_problem&) { throw absent(o.order.call); }
void merge_jit(upsweep::device&, const kept_order& o, memory, std::uint64_t, memory, std::uint64_t, memory) {
  throw absent(o.order.call);
}
std::uint64_t first_break_jit(upsweep::device&, const kept_order& o, memory, std::uint64_t) {
  throw absent(o.order.call);
}
void count_jit(upsweep::device&, const search_source& s, detail::search_impl::seek, memory, memory, std::uint64_t,
               std::uint64_t, memory) {
  throw absent(s.call);
}
void first_jit(upsweep::device&, const search_source& s, detail::search_impl::seek, memory, memory, std::uint64_t,
               std::uint64_t, std::uint64_t, memory) {
  throw absent(s.call);
}
void best_jit(upsweep::device&, const search_source& s, memory, std::uint64_t, memory) { throw absent(s.call); }
void bounds_jit(upsweep::device&, const search_source& s, detail::search_impl::bound, memory, std::uint64_t, memory,
                std::uint64_t, memory, std::size_t) {
  throw absent(s.call);
}
void keep_jit(upsweep::device&, const sets_source& s, detail::sets_impl::primitive, const sets_operands&) {
  throw absent(s.order.call);
}
void for_each_jit(upsweep::device&, std::uint64_t, const core::coded_object&, opencl::kept_program&) {
  throw absent("for_each_index");
}
void for_each_jit(upsweep::device&, std::uint64_t, const opencl::index_source& t) { throw absent(t.call); }
void recur_jit(upsweep::device&, std::uint64_t, const coded_steps&, void*, opencl::kept_program&) {
  throw absent("recurrence");
}
void recur_jit(upsweep::device&, std::uint64_t, const opencl::recurrence_source& t, memory) { throw absent(t.call); }
void map(upsweep::device&, const opencl::map_kernel& k, std::uint64_t, std::uint64_t, memory) { throw absent(k.call); }

}  // namespace upsweep::cuda
#endif
