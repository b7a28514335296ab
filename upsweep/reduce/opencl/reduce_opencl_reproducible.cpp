// Reproducible sums on OpenCL devices. The kernels are in reduce_opencl_reproducible.cl.
#include <algorithm>
#include <array>
#include <vector>

#include "upsweep/opencl/opencl_device.hpp"
#include "upsweep/reduce/reduce_problem.hpp"
#include "upsweep/reduce/reduce_reproducible_entry.hpp"

namespace upsweep::detail::reduce_impl {

namespace {

struct launched {
  memory total;  // a row: the digits, then the flags
  int digits;
};

// Adds in[0 … n). With `out`, also adds init and writes the rounded sum there.
launched enqueue(opencl::device& d, dtype type, memory in, std::uint64_t n, scalar init, memory out) {
  const bool f32 = type == dtype::f32;
  const int digits = f32 ? exact_format<float>::digits : exact_format<double>::digits;
  const std::uint64_t size = size_of(type), row = (digits + 1) * 8;
  // A CPU runs the work-items of a group one after another, so one item per group avoids merging. On a GPU the columns
  // of a group must fit into local memory, for several groups at once.
  std::uint64_t group = d.is_cpu() ? 1 : f32 ? 128 : 32;
  while (group > 1 && (group * (digits * 8 + 4) + 1024 > d.local_memory() || group > d.max_group_size())) group /= 2;
  const std::uint64_t most = d.is_cpu() ? 4 * d.compute_units() : 1024;
  const std::uint64_t rows = std::clamp<std::uint64_t>(n / (group * (d.is_cpu() ? 4096 : 16)), 1, most);

  const memory sums = d.scratch("reduce/reproducible", (most + 1) * row);
  const std::string options =
      std::string(f32 ? "-D FORMAT_f32" : "-D FORMAT_f64") + " -D GROUP=" + std::to_string(group);
  d.launch(d.kernel({"reduce/opencl/reduce_opencl_reproducible.cl"}, options, "add_columns"), rows, group,
           opencl::operand{in, size}, cl_ulong(n), opencl::operand{sums, 8});
  const bool has_out = out.base != nullptr;
  d.launch(d.kernel({"reduce/opencl/reduce_opencl_reproducible.cl"}, options, "add_rows"), 1, group,
           opencl::operand{sums, 8}, cl_uint(rows), cl_uint(has_out), opencl::value{init.bytes, size},
           opencl::operand{has_out ? out : sums, size});
  return {sums.plus_bytes(rows * row), digits};
}

void run(device& d, const problem& p) { enqueue(opencl::of(d), p.type, p.in, p.n, p.init, p.out); }

}  // namespace

void add_exactly_opencl(device& d, dtype type, memory in, std::uint64_t n, std::int64_t* digits, std::uint32_t& flags) {
  const launched sum = enqueue(opencl::of(d), type, in, n, {}, {});
  std::vector<std::int64_t> total(sum.digits + 1);
  d.download(total.data(), sum.total, total.size() * 8);
  for (int i = 0; i < sum.digits; ++i) digits[i] += total[i];
  type == dtype::f32 ? exact_normalise<float>(digits, 1) : exact_normalise<double>(digits, 1);
  flags |= static_cast<std::uint32_t>(total[sum.digits]);
}

std::span<const variant> reproducible_opencl() {
  static const std::array list{[] {
    variant v = reproducible_entry(backend::opencl, run);
    v.transforms = false;
    v.limits =
        "sums of f32 and f64; no fused transform, which would need the device's own floating point and its rounding";
    return v;
  }()};
  return list;
}

}  // namespace upsweep::detail::reduce_impl
