// scan on OpenCL: shapes, launches and catalog entries. The kernels are in scan_opencl.cl.
#include "upsweep/scan/opencl/scan_opencl_tuning.hpp"

#include <algorithm>
#include <array>

#include "upsweep/scan/scan_problem.hpp"

namespace upsweep {

namespace opencl {

shape& scan_shape(const device& d, std::size_t element_bytes) {
  // lanes, rows, groups per compute unit, registers, chunk bytes
  static shape cpu{1, 0, 0, 0, 256 << 10};  // a chunk is read twice, the second time from the second-level cache
  // A work-item holds vectors of two tiles in registers, the current one and the one being loaded: 88 registers. So a
  // multiprocessor with 64 Ki registers holds four groups of 128 items, with 88 KiB in flight.
  static shape gpu_4{128, 11, 4, 0, 0};
  static shape gpu_8{128, 11, 4, 0, 0};
  return d.is_cpu() ? cpu : element_bytes <= 4 ? gpu_4 : gpu_8;
}

namespace {

constexpr std::uint64_t parts = 8;  // parts of a chunk in the kernels for CPUs; each has a partial fold of its own

struct plan {
  fitted cut;
  std::string options;
  std::uint64_t tiles, most;         // the number of tiles, and of persistent groups that the device holds
  std::uint64_t groups, tiles_each;  // each group takes a contiguous run of tiles
};

plan plan_scan(const device& d, const folding& f, memory in, std::uint64_t n, memory out, bool inclusive) {
  const shape& s = scan_shape(d, f.size);
  plan it{fit(d, s, f, in, out), f.options, 0, 0, 0, 0};
  it.tiles = (n + it.cut.tile - 1) / it.cut.tile;
  it.most = it.cut.lanes == 1 ? it.tiles : static_cast<std::uint64_t>(d.compute_units()) * s.groups_per_unit;
  it.tiles_each = (it.tiles + it.most - 1) / it.most;
  it.groups = (it.tiles + it.tiles_each - 1) / it.tiles_each;
  it.options += it.cut.options + (inclusive ? " -D INCLUSIVE=1" : " -D INCLUSIVE=0");
  // Look-back passes values in 64-bit words: half a value and a tag. It is implemented for the built-in types.
  if (f.builtin_type && d.has_int64_atomics()) it.options += " -D WORDS=" + std::to_string(f.carried / 4);
  if (d.volatile_reads()) it.options += " -D VOLATILE_READS=1";
  if (d.volatile_writes()) it.options += " -D VOLATILE_WRITES=1";
  return it;
}

loaded_kernel kernel(device& d, const folding& f, const plan& p, const char* name) {
  if (p.cut.lanes == 1)
    return d.kernel({"opencl/operators.cl", "scan/opencl/scan_opencl.cl"}, p.options, name, f.before);
  return d.kernel({"opencl/operators.cl", "opencl/tile.cl", "scan/opencl/scan_opencl.cl"}, p.options, name, f.before);
}

void enqueue_reduce_then_scan(device& d, const folding& f, memory in, std::uint64_t n, memory out, bool inclusive) {
  if (n == 0) return;
  const plan p = plan_scan(d, f, in, n, out, inclusive);
  const std::uint64_t count = p.groups * (p.cut.lanes == 1 ? parts : 1);
  const operand partials{d.scratch("scan/opencl/partials", count * f.carried), f.carried}, from{in, f.size},
      to{out, f.size};
  d.launch(kernel(d, f, p, "fold_chunks"), p.groups, p.cut.lanes, from, partials, cl_ulong(n), cl_uint(p.tiles_each));
  d.launch(kernel(d, f, p, "scan_partials"), 1, p.cut.lanes, partials, cl_uint(count), f.init);
  d.launch(kernel(d, f, p, "scan_chunks"), p.groups, p.cut.lanes, from, to, partials, cl_ulong(n),
           cl_uint(p.tiles_each));
}

void enqueue_look_back(device& d, const folding& f, memory in, std::uint64_t n, memory out, bool inclusive) {
  if (n == 0) return;
  const plan p = plan_scan(d, f, in, n, out, inclusive);
  // The counters are zero at the beginning and after every launch.
  const operand states{d.scratch("scan/opencl/states", p.tiles * 2 * f.carried), 8},
      counters{d.scratch("scan/opencl/counters", 8), 4};
  // The device may schedule groups in any order: tickets assign the tiles, so any number of groups is correct. As many
  // as are resident at once is fastest.
  d.launch(kernel(d, f, p, "look_back"), std::min(p.tiles, p.most), p.cut.lanes, operand{in, f.size},
           operand{out, f.size}, states, counters, cl_ulong(n), cl_uint(d.next_epoch()), f.init);
}

const char* lacks_for_look_back(const upsweep::device& any) {
  const device& d = of(any);
  if (!d.has_int64_atomics()) return "64-bit atomics";
  if (!d.begun_groups_progress()) return "work-groups that are known to run on once they have begun";
  return nullptr;
}

}  // namespace

// For elements of any size on any device: reduce-then-scan.
void scan_custom(upsweep::device& d, const custom_kernel& k, memory in, std::uint64_t n, memory out, bool inclusive) {
  enqueue_reduce_then_scan(of(d), folding(k).on(of(d)), in, n, out, inclusive);
}

}  // namespace opencl

namespace detail::scan_impl {

std::span<const variant> opencl() {
  static const std::array list = [] {
    std::array<variant, 2> both;
    for (variant& v : both) {
      v.where = backend::opencl;
      v.what = primitive::scan;
      v.kind = variant_kind::tuned;
      v.source = "upsweep";
      v.work = {"2n", [](double n) { return 2 * n; }};
      v.span = {"min(2n, n/1024 + 16384)", [](double n) { return std::min(2 * n, n / 1024 + 16384); }};
      v.max_n = std::uint64_t{1} << 40;
      v.limits = "tiles are counted in 32 bits";
    }
    variant& three = both[0];
    three.name = "scan/reduce-then-scan";
    three.year = 2026;
    three.teaches =
        "Fold every chunk, scan the folds, scan every chunk from there: three launches in which no group waits for "
        "another.";
    three.launches = {"3", [](double) { return 3.0; }};
    three.traffic = {"3n", [](double n) { return 3 * n; }};
    three.run = [](device& d, const problem& p) {
      opencl::enqueue_reduce_then_scan(opencl::of(d), opencl::folding(p.type, p).on(opencl::of(d)), p.in, p.n, p.out,
                                       p.inclusive);
    };
    variant& one = both[1];
    one.name = "scan/decoupled-lookback";
    one.year = 2026;
    one.teaches =
        "One launch, each element read and written once: tiles by ticket, each tile's fold published and the "
        "predecessors' looked up.";
    one.launches = {"1", [](double) { return 1.0; }};
    one.traffic = {"2n", [](double n) { return 2 * n; }};
    one.device_lacks = opencl::lacks_for_look_back;
    one.limits = "64-bit atomics, and work-groups that run on once they have begun";
    one.run = [](device& d, const problem& p) {
      opencl::enqueue_look_back(opencl::of(d), opencl::folding(p.type, p).on(opencl::of(d)), p.in, p.n, p.out,
                                p.inclusive);
    };
    return both;
  }();
  return list;
}

}  // namespace detail::scan_impl

}  // namespace upsweep
