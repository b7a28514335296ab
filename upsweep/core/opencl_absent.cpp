// Stubs that calls with user-defined types and operators link to in a build without OpenCL, which has no contexts of
// kind opencl.
#if !UPSWEEP_WITH_OPENCL
#include "upsweep/compact/opencl/compact_opencl_jit.hpp"
#include "upsweep/for_each/opencl/for_each_opencl_jit.hpp"
#include "upsweep/recurrence/opencl/recurrence_opencl_jit.hpp"
#include "upsweep/search/opencl/search_opencl_jit.hpp"
#include "upsweep/segmented/opencl/segmented_opencl_jit.hpp"
#include "upsweep/select/opencl/select_opencl_jit.hpp"
#include "upsweep/sets/opencl/sets_opencl_jit.hpp"
#include "upsweep/sort/opencl/sort_opencl_jit.hpp"
#include "upsweep/sort/opencl/sort_opencl_rank.hpp"

namespace upsweep::opencl {

namespace {

error absent(const char* where) {
  return {fault::no_device, where, "this build has no OpenCL",
          "install OpenCL headers and a loader (ocl-icd-opencl-dev, opencl-clhpp-headers) and build again"};
}

}  // namespace

void reduce_custom(upsweep::device&, const custom_kernel& k, memory, std::uint64_t, memory) { throw absent(k.where); }
void scan_custom(upsweep::device&, const custom_kernel& k, memory, std::uint64_t, memory, bool) {
  throw absent(k.where);
}

void select_by(upsweep::device&, const selection_jit& s, std::initializer_list<moved_elements>) {
  throw absent(s.call);
}
void select_by_flags(upsweep::device&, const char* call, const detail::select_impl::problem&, std::size_t) {
  throw absent(call);
}
void run_lengths_by(upsweep::device&, const selection_jit& s, memory, memory) { throw absent(s.call); }
void end_offsets(upsweep::device&, memory, memory, std::uint64_t) { throw absent("group_by"); }

void fold_by_key(upsweep::device&, const custom_kernel& k, const question*, const detail::segmented_impl::problem&) {
  throw absent(k.where);
}
void fold_by_segment(upsweep::device&, const custom_kernel& k, const detail::segmented_impl::problem&) {
  throw absent(k.where);
}

void find_rank(upsweep::device&, const detail::sort_impl::problem&, std::uint64_t, void*) { throw absent("nth_element"); }
void merge_sort(upsweep::device&, const custom_order& order, const merge_problem&) { throw absent(order.call); }
void merge_two(upsweep::device&, const custom_order& order, memory, std::uint64_t, memory, std::uint64_t, memory) {
  throw absent(order.call);
}
std::uint64_t first_break(upsweep::device&, const custom_order& order, memory, std::uint64_t) {
  throw absent(order.call);
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
void for_each_jit(upsweep::device&, std::uint64_t, const index_source& t) { throw absent(t.call); }
void recur_jit(upsweep::device&, std::uint64_t, const recurrence_source& t, memory, memory) { throw absent(t.call); }
void keep_jit(upsweep::device&, const custom_order& order, const detail::sets_impl::problem&) {
  throw absent(order.call);
}

}  // namespace upsweep::opencl
#endif
