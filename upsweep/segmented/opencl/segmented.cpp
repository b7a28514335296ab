// What folds by key and by segment on OpenCL: launches and catalog entries. The kernels are in opencl.cl and
// opencl_heads.cl.
#include <algorithm>
#include <array>

#include "upsweep/opencl/folding.hpp"
#include "upsweep/segmented/problem.hpp"
#include "upsweep/select/opencl/select.hpp"

namespace upsweep {

namespace opencl {

namespace {

constexpr std::uint64_t rows = 8;  // neighbours an item and tile
constexpr int groups_per_unit = 8;

cl::Kernel& heads_kernel(device& d, dtype words, const char* name) {
  return d.kernel({"opencl/words.cl", "segmented/opencl/heads.cl"}, word_options(words), name);
}

operand heads_of_keys(device& d, const segmented_room::problem& p) {
  const operand heads{d.scratch("segmented/opencl/heads", p.n), 1};
  d.launch(heads_kernel(d, p.key_type, "heads_of_keys"), groups_for(p.n), lanes, operand{p.in2, size_of(p.key_type)},
           heads, cl_ulong(p.n));
  return heads;
}

operand heads_of_segments(device& d, const segmented_room::problem& p) {
  const operand heads{d.scratch("segmented/opencl/heads", p.n), 1};
  d.fill(heads.where, 0, p.n);
  d.launch(heads_kernel(d, dtype::u64, "heads_of_segments"), groups_for(p.m + 1), lanes, operand{p.in2, 8}, heads,
           cl_ulong(p.n), cl_ulong(p.m));
  return heads;
}

// `bounded`: what lies outside of all segments is not written.
void enqueue_scan(device& d, const segmented_room::problem& p, operand heads, memory out, bool inclusive,
                  bool with_init, bool bounded) {
  const folding f(p.type, p);
  const dealt deal(d, p.n, lanes * rows, groups_per_unit);
  const std::string options = f.options + " -D LANES=" + std::to_string(lanes) + " -D ROWS=" + std::to_string(rows);
  const auto kernel = [&](const char* name) -> cl::Kernel& {
    return d.kernel({"opencl/operators.cl", "segmented/opencl/segmented.cl"}, options, name);
  };
  const operand in{p.in, f.size}, folds{d.scratch("segmented/opencl/folds", deal.groups * f.size), f.size},
      headed{d.scratch("segmented/opencl/headed", deal.groups * 4), 4},
      bounds = bounded ? operand{p.in2, 8} : operand{folds.where, 8};
  const cl_uint tiles_each(static_cast<cl_uint>(deal.tiles_each));
  d.launch(kernel("fold_heads"), deal.groups, lanes, in, heads, folds, headed, cl_ulong(p.n), tiles_each, f.init,
           cl_uint(with_init));
  d.launch(kernel("scan_heads"), 1, lanes, folds, headed, cl_uint(deal.groups));
  d.launch(kernel("scan_by_heads"), deal.groups, lanes, in, heads, operand{out, f.size}, folds, bounds, cl_ulong(p.m),
           cl_uint(bounded), cl_ulong(p.n), tiles_each, f.init, cl_uint(with_init), cl_uint(inclusive));
}

memory scanned(device& d, const segmented_room::problem& p) {
  return d.scratch("segmented/opencl/scanned", std::max<std::uint64_t>(p.n, 1) * size_of(p.type));
}

dtype words_of(dtype type) { return size_of(type) == 8 ? dtype::u64 : dtype::u32; }

void reduce_by_key(upsweep::device& any, const segmented_room::problem& p) {
  device& d = of(any);
  const memory folds = scanned(d, p),
               starts = d.scratch("segmented/opencl/starts", std::max<std::uint64_t>(p.n, 1) * 8);
  if (p.n != 0) enqueue_scan(d, p, heads_of_keys(d, p), folds, true, false, false);
  select_room::problem keys;
  keys.type = p.key_type, keys.how = select_room::selection::unique;
  keys.in = p.in2, keys.out = p.out2, keys.count = p.count, keys.n = p.n;
  enqueue_selection(d, keys, starts);
  const std::uint64_t size = size_of(p.type);
  d.launch(heads_kernel(d, words_of(p.type), "last_of_runs"), groups_for(p.n), lanes, operand{folds, size},
           operand{starts, 8}, operand{p.count, 8}, operand{p.out, size}, cl_ulong(p.n));
}

void scan_by_key(upsweep::device& any, const segmented_room::problem& p) {
  device& d = of(any);
  if (p.n != 0) enqueue_scan(d, p, heads_of_keys(d, p), p.out, p.inclusive, true, false);
}

void segmented_reduce(upsweep::device& any, const segmented_room::problem& p) {
  device& d = of(any);
  if (p.m == 0) return;
  const memory folds = scanned(d, p);
  if (p.n != 0) enqueue_scan(d, p, heads_of_segments(d, p), folds, true, true, false);
  const std::uint64_t size = size_of(p.type);
  cl_ulong init = 0;
  std::memcpy(&init, p.init.bytes, size);
  d.launch(heads_kernel(d, words_of(p.type), "last_of_segments"), groups_for(p.m), lanes, operand{folds, size},
           operand{p.in2, 8}, operand{p.out, size}, cl_ulong(p.m), init);
}

void segmented_scan(upsweep::device& any, const segmented_room::problem& p) {
  device& d = of(any);
  if (p.n != 0 && p.m != 0) enqueue_scan(d, p, heads_of_segments(d, p), p.out, p.inclusive, true, true);
}

}  // namespace

}  // namespace opencl

namespace segmented_room {

std::span<const variant> opencl() {
  const auto entry = [](std::string_view name, primitive what, std::string_view teaches, formula launches,
                        formula traffic, void (*run)(device&, const problem&)) {
    variant v;
    v.name = name, v.where = backend::opencl, v.what = what, v.kind = rung::library, v.year = 2026,
    v.source = "upsweep", v.teaches = teaches;
    v.work = {"4n", [](double n) { return 4 * n; }};
    v.span = {"min(2n, n/1024 + 1024)", [](double n) { return std::min(2 * n, n / 1024 + 1024); }};
    v.launches = launches, v.traffic = traffic, v.run = run;
    v.device_lacks = opencl::lacks_lanes;
    v.limits = "work-groups of 256 items";
    return v;
  };
  static const std::array list{
      entry("reduce-by-key/last-of-scan", primitive::reduce_by_key,
            "Mark the heads, scan by them, select the first key of each run with its place; a run's fold is the last "
            "of its scan.",
            {"8", [](double) { return 8.0; }}, {"9n", [](double n) { return 9 * n; }}, opencl::reduce_by_key),
      entry("scan-by-key/heads-and-folds", primitive::scan_by_key,
            "Mark the heads; fold every chunk to a pair of a flag and a value, scan the pairs, scan every chunk from "
            "there.",
            {"4", [](double) { return 4.0; }}, {"5n", [](double n) { return 5 * n; }}, opencl::scan_by_key),
      entry("segmented-reduce/last-of-scan", primitive::segmented_reduce,
            "Scan by segments; a segment's fold is the last of its scan.", {"5", [](double) { return 5.0; }},
            {"4n + 4m", [](double n) { return 4 * n; }}, opencl::segmented_reduce),
      entry("segmented-scan/heads-and-folds", primitive::segmented_scan,
            "Each segment marks its head; then as a scan by key.", {"5", [](double) { return 5.0; }},
            {"5n", [](double n) { return 5 * n; }}, opencl::segmented_scan),
  };
  return list;
}

}  // namespace segmented_room

}  // namespace upsweep
