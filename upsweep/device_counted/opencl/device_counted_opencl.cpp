// Launches of device_counted_opencl.cl.
#include "upsweep/device_counted/device_counted_steps.hpp"
#include "upsweep/opencl/elements_as_words.hpp"

namespace upsweep::detail::device_counted_impl {

void run_opencl(device& any, const step& s) {
  using opencl::operand;
  opencl::device& d = opencl::of(any);
  if (const char* lacks = opencl::lacks_lanes(d))
    throw error(fault::unsupported, "device_counted", d.name() + " lacks " + lacks, "use another device");
  const auto kernel = [&](const char* name) -> opencl::loaded_kernel {
    return d.kernel({"device_counted/opencl/device_counted_opencl.cl"},
                    std::string("-D WORD=") + opencl::word_name(s.word_bytes) + " -D WORDS=" + std::to_string(s.words),
                    name);
  };
  const operand in{s.in, s.word_bytes}, out{s.out, s.word_bytes}, count{s.count, 8};
  const std::uint64_t groups = opencl::groups_for(s.size);
  switch (s.what) {
    case step_kind::pad:
      return d.launch(kernel("pad"), groups, opencl::lanes, in, out, count, cl_ulong(s.size),
                      opencl::value{s.value, std::size_t{s.word_bytes} * s.words});
    case step_kind::pad_unlike_last:
      return d.launch(kernel("pad_unlike_last"), groups, opencl::lanes, in, out, count, cl_ulong(s.size));
    case step_kind::take: return d.launch(kernel("take"), groups, opencl::lanes, in, out, count, cl_ulong(s.size));
    case step_kind::join:
      return d.launch(kernel("join"), groups, opencl::lanes, in, operand{s.in2, s.word_bytes}, out, count,
                      operand{s.kept, 8}, cl_ulong(s.size), cl_uint(s.behind));
    case step_kind::correct:
      return d.launch(kernel("correct"), 1, opencl::lanes, operand{s.in, 8}, operand{s.out, 8}, count, cl_ulong(s.size),
                      cl_uint(s.each));
  }
}

}  // namespace upsweep::detail::device_counted_impl
