// What calls by texts link to when CUDA is not in the build. No context of kind cuda exists then.
#if !UPSWEEP_WITH_CUDA
#include "upsweep/compact/opencl/custom.hpp"
#include "upsweep/for_each/opencl/text.hpp"
#include "upsweep/recurrence/cuda/text.hpp"
#include "upsweep/recurrence/opencl/text.hpp"
#include "upsweep/reduce/cuda/text.hpp"
#include "upsweep/scan/cuda/text.hpp"
#include "upsweep/search/cuda/text.hpp"
#include "upsweep/segmented/opencl/custom.hpp"
#include "upsweep/select/opencl/custom.hpp"
#include "upsweep/sets/cuda/text.hpp"
#include "upsweep/sort/opencl/custom.hpp"
#include "upsweep/transform/opencl/map.hpp"

namespace upsweep::cuda {

namespace {

error absent(const char* where) {
  return {fault::no_device, where, "this build has no CUDA", "install NVIDIA's toolkit and build again"};
}

}  // namespace

void reduce_by_text(upsweep::device&, const opencl::custom_kernel& k, memory, std::uint64_t, memory) {
  throw absent(k.where);
}
void scan_by_text(upsweep::device&, const opencl::custom_kernel& k, memory, std::uint64_t, memory, bool, memory) {
  throw absent(k.where);
}
void select_by(upsweep::device&, const opencl::selection_by_text& s, memory, memory, opencl::kept_program*,
               const beside_selected&) {
  throw absent(s.call);
}
void end_offsets(upsweep::device&, memory, memory, std::uint64_t) { throw absent("group_by"); }
void fold_by_key(upsweep::device&, const opencl::custom_kernel& k, const keys_by_text&,
                 const segmented_room::problem&) {
  throw absent(k.where);
}
void sort_by_text(upsweep::device&, const kept_order& o, const opencl::merge_problem&) { throw absent(o.order.call); }
void merge_by_text(upsweep::device&, const kept_order& o, memory, std::uint64_t, memory, std::uint64_t, memory) {
  throw absent(o.order.call);
}
std::uint64_t first_break_by_text(upsweep::device&, const kept_order& o, memory, std::uint64_t) {
  throw absent(o.order.call);
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
void keep_by_text(upsweep::device&, const sets_text& s, sets_room::primitive, const sets_operands&) {
  throw absent(s.order.call);
}
void for_each_by_text(upsweep::device&, std::uint64_t, const core::coded_object&, opencl::kept_program&) {
  throw absent("for_each_index");
}
void for_each_by_text(upsweep::device&, std::uint64_t, const opencl::index_text& t) { throw absent(t.call); }
void recur_by_text(upsweep::device&, std::uint64_t, const coded_steps&, void*, opencl::kept_program&) {
  throw absent("recurrence");
}
void recur_by_text(upsweep::device&, std::uint64_t, const opencl::recurrence_text& t, memory) { throw absent(t.call); }
void map(upsweep::device&, const opencl::map_kernel& k, std::uint64_t, std::uint64_t, memory) { throw absent(k.call); }

}  // namespace upsweep::cuda
#endif
