#include <array>

#include "upsweep/opencl/elements_as_words.hpp"
#include "upsweep/vector_add/vector_add_entry.hpp"

namespace upsweep::detail::vector_add_impl {

namespace {

void run_item_per_element(device& any, const problem& p) {
  opencl::device& d = opencl::of(any);
  if (p.n == 0) return;
  const std::size_t bytes = size_of(p.type);
  const std::string options = "-D TYPE_" + std::string(name_of(p.type)) + " -D OP_plus";
  d.launch(d.kernel({"opencl/operators.cl", "vector_add/opencl/vector_add_opencl.cl"}, options, "add_vectors"),
           opencl::groups_for(p.n), opencl::lanes, opencl::operand{p.in, bytes}, opencl::operand{p.in2, bytes},
           opencl::operand{p.out, bytes}, cl_ulong(p.n));
}

}  // namespace

std::span<const variant> opencl() {
  static const std::array list{[] {
    variant v = entry(backend::opencl, "vector-add/item-per-element", "One item an element.", run_item_per_element);
    v.device_lacks = opencl::lacks_lanes;
    v.limits = "plus alone; no fused transform; work-groups of 256 items";
    return v;
  }()};
  return list;
}

}  // namespace upsweep::detail::vector_add_impl
