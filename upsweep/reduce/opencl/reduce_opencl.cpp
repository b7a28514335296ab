// reduce on OpenCL: shapes, launches and catalog entry. The kernels are in reduce_opencl.cl.
#include <algorithm>
#include <array>

#include "upsweep/opencl/opencl_fold.hpp"
#include "upsweep/reduce/opencl/reduce_opencl_tuning.hpp"
#include "upsweep/reduce/reduce_problem.hpp"

namespace upsweep {

namespace opencl {

shape& reduce_shape(const device& d, std::size_t element_bytes) {
  // lanes, rows, groups per compute unit, registers, chunk bytes
  static shape cpu{1, 0, 0, 0,
                   128 << 10};  // one work-item per group; the input is read once, so a chunk need not fit into a cache
  static shape gpu_4{256, 5, 8, 0, 0};  // five 16-byte loads in flight per work-item, 2048 work-items per compute unit
  static shape gpu_8{256, 5, 8, 0, 0};
  return d.is_cpu() ? cpu : element_bytes <= 4 ? gpu_4 : gpu_8;
}

namespace {

void enqueue_reduce(device& d, const folding& f, memory in, std::uint64_t n, memory out) {
  const shape& s = reduce_shape(d, f.size);
  const fitted fit_to = fit(d, s, f, in, in);
  // The last group reads the results of the others, which requires a fence for the whole device.
  const bool one_launch = fit_to.lanes > 1 && d.speaks_ptx();
  const std::string options = f.options + fit_to.options + (one_launch ? " -D ONE_LAUNCH=1" : "");
  const auto kernel = [&](const char* name) -> loaded_kernel {
    if (fit_to.lanes == 1)
      return d.kernel({"opencl/operators.cl", "reduce/opencl/reduce_opencl.cl"}, options, name, f.before);
    if (one_launch)
      return d.kernel({"opencl/operators.cl", "opencl/warp.cl", "opencl/tile.cl", "reduce/opencl/reduce_opencl.cl"},
                      options, name, f.before);
    return d.kernel({"opencl/operators.cl", "opencl/tile.cl", "reduce/opencl/reduce_opencl.cl"}, options, name,
                    f.before);
  };

  // A GPU runs persistent groups, each with a contiguous run of tiles. A CPU runs one group per chunk.
  const std::uint64_t tiles = std::max<std::uint64_t>((n + fit_to.tile - 1) / fit_to.tile, 1);
  const std::uint64_t most =
      fit_to.lanes == 1 ? tiles : static_cast<std::uint64_t>(d.compute_units()) * s.groups_per_unit;
  const std::uint64_t tiles_each = (tiles + most - 1) / most, groups = (tiles + tiles_each - 1) / tiles_each;

  const bool alone = groups == 1;
  const operand partials{alone ? out : d.scratch("reduce/opencl", groups * f.carried), alone ? f.size : f.carried};
  if (one_launch) {
    const operand arrived{d.scratch("reduce/opencl/arrived", 4), 4};  // zero at the beginning and after every launch
    d.launch(kernel("fold_chunks"), groups, fit_to.lanes, operand{in, f.size}, partials, cl_ulong(n),
             cl_uint(tiles_each), f.init, cl_uint(alone), operand{out, f.size}, arrived);
    return;
  }
  d.launch(kernel("fold_chunks"), groups, fit_to.lanes, operand{in, f.size}, partials, cl_ulong(n), cl_uint(tiles_each),
           f.init, cl_uint(alone));
  if (!alone)
    d.launch(kernel("fold_partials"), 1, fit_to.lanes, partials, cl_uint(groups), operand{out, f.size}, f.init);
}

}  // namespace

void reduce_custom(upsweep::device& d, const custom_kernel& k, memory in, std::uint64_t n, memory out) {
  enqueue_reduce(of(d), folding(k).on(of(d)), in, n, out);
}

}  // namespace opencl

namespace detail::reduce_impl {

std::span<const variant> opencl() {
  static const std::array list{[] {
    variant v;
    v.name = "reduce/contiguous-chunks";
    v.where = backend::opencl;
    v.what = primitive::reduce;
    v.kind = variant_kind::tuned;
    v.year = 2026;
    v.source = "upsweep";
    v.teaches =
        "As many work-groups as the device holds fold a contiguous chunk each; a second launch folds their results in "
        "order.";
    v.work = {"n", [](double n) { return n; }};
    v.span = {"min(n, n/1024 + 1100)", [](double n) { return std::min(n, n / 1024 + 1100); }};
    v.launches = {"2", [](double) { return 2.0; }};
    v.traffic = {"n", [](double n) { return n; }};
    v.run = [](device& d, const problem& p) {
      opencl::enqueue_reduce(opencl::of(d), opencl::folding(p.type, p).on(opencl::of(d)), p.in, p.n, p.out);
    };
    return v;
  }()};
  return list;
}

}  // namespace detail::reduce_impl

}  // namespace upsweep
