#include "upsweep/opencl/opencl_device.hpp"

namespace upsweep::detail::for_each_impl {

void widen_on_opencl(device& where, memory from, std::uint64_t n, memory to) {
  opencl::device& d = opencl::of(where);
  const std::uint64_t group = std::min<std::uint64_t>(128, d.max_group_size());
  d.launch(d.kernel({"for_each/opencl/for_each_opencl_widen.cl"}, "", "widen"), (n + group - 1) / group, group,
           opencl::operand{from, sizeof(std::uint32_t)}, cl_ulong(n), opencl::operand{to, sizeof(std::uint64_t)});
}

}  // namespace upsweep::detail::for_each_impl
