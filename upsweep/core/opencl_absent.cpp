// What calls with types and operators of their own link to when OpenCL is not in the build. No context of kind opencl
// exists then.
#if !UPSWEEP_WITH_OPENCL
#include "upsweep/compact/opencl/custom.hpp"
#include "upsweep/for_each/opencl/text.hpp"
#include "upsweep/recurrence/opencl/text.hpp"
#include "upsweep/search/opencl/custom.hpp"
#include "upsweep/segmented/opencl/custom.hpp"
#include "upsweep/select/opencl/custom.hpp"
#include "upsweep/sets/opencl/custom.hpp"
#include "upsweep/sort/opencl/custom.hpp"

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

void select_by(upsweep::device&, const selection_by_text& s, std::initializer_list<moved_elements>) {
  throw absent(s.call);
}
void select_by_flags(upsweep::device&, const char* call, const select_room::problem&, std::size_t) {
  throw absent(call);
}
void run_lengths_by(upsweep::device&, const selection_by_text& s, memory, memory) { throw absent(s.call); }
void end_offsets(upsweep::device&, memory, memory, std::uint64_t) { throw absent("group_by"); }

void fold_by_key(upsweep::device&, const custom_kernel& k, const question*, const segmented_room::problem&) {
  throw absent(k.where);
}
void fold_by_segment(upsweep::device&, const custom_kernel& k, const segmented_room::problem&) {
  throw absent(k.where);
}

void merge_sort(upsweep::device&, const custom_order& order, const merge_problem&) { throw absent(order.call); }
void merge_two(upsweep::device&, const custom_order& order, memory, std::uint64_t, memory, std::uint64_t, memory) {
  throw absent(order.call);
}
std::uint64_t first_break(upsweep::device&, const custom_order& order, memory, std::uint64_t) {
  throw absent(order.call);
}

void count_by_text(upsweep::device&, const search_text& s, search_room::seek, memory, memory, std::uint64_t,
                   std::uint64_t, memory) {
  throw absent(s.call);
}
void first_by_text(upsweep::device&, const search_text& s, search_room::seek, memory, memory, std::uint64_t,
                   std::uint64_t, std::uint64_t, memory) {
  throw absent(s.call);
}
void best_by_text(upsweep::device&, const search_text& s, memory, std::uint64_t, memory) { throw absent(s.call); }
void bounds_by_text(upsweep::device&, const search_text& s, search_room::bound, memory, std::uint64_t, memory,
                    std::uint64_t, memory, std::size_t) {
  throw absent(s.call);
}
void for_each_by_text(upsweep::device&, std::uint64_t, const index_text& t) { throw absent(t.call); }
void recur_by_text(upsweep::device&, std::uint64_t, const recurrence_text& t, memory, memory) { throw absent(t.call); }
void keep_by_text(upsweep::device&, const custom_order& order, const sets_room::problem&) { throw absent(order.call); }

}  // namespace upsweep::opencl
#endif
