// Folds by key and by segment on OpenCL: launches and catalog entries. The kernels are in segmented_opencl.cl and
// segmented_heads.cl.
#include <algorithm>
#include <array>

#include "upsweep/opencl/opencl_fold.hpp"
#include "upsweep/segmented/jit/segmented_jit.hpp"
#include "upsweep/select/opencl/select_opencl.hpp"
#include "upsweep/sort/sort_records.hpp"

namespace upsweep {

namespace opencl {

namespace {

using detail::segmented_impl::primitive;
using detail::segmented_impl::problem;

constexpr int groups_per_unit = 8;

// Kernels on elements of one type: by tiles of `items` items, which have `rows` neighbours each.
struct fold_kernels {
  device& d;
  folding f;
  std::uint64_t items = lanes, rows = 8;

  fold_kernels(device& its_device, folding its_fold) : d(its_device), f(its_fold.on(its_device)) {
    // Of large user-defined elements fewer are kept in local memory.
    const auto local = [&] {
      const std::uint64_t tile = items * rows, gaps = tile / std::max<std::uint64_t>(128 / f.size, 1);
      return (tile + gaps) * f.size + items * (f.carried + 4);
    };
    while (rows > 1 && local() > d.local_memory()) rows /= 2;
    while (items > 32 && local() > d.local_memory()) items /= 2;
    if (local() > d.local_memory())
      throw error(fault::unsupported, d.name(),
                  "elements of " + std::to_string(f.size) + " bytes do not fit the device's " +
                      std::to_string(d.local_memory()) + " bytes of local memory",
                  "fold smaller elements, or on the CPU");
  }
  loaded_kernel operator()(const char* name) const {
    return d.kernel({"opencl/operators.cl", "segmented/opencl/segmented_opencl.cl"},
                    f.options + " -D LANES=" + std::to_string(items) + " -D ROWS=" + std::to_string(rows), name,
                    f.before);
  }
  operand at(memory m) const { return {m, f.size}; }
  std::uint64_t groups(std::uint64_t n) const { return (n + items - 1) / items; }
};

loaded_kernel heads_kernel(device& d, dtype words, const char* name) {
  return d.kernel({"opencl/elements_as_words.cl", "segmented/opencl/segmented_heads.cl"}, word_options(words), name);
}

operand space_for_heads(device& d, std::uint64_t n) { return {d.scratch("segmented/opencl/heads", n), 1}; }

operand heads_of_keys(device& d, const problem& p) {
  const operand heads = space_for_heads(d, p.n);
  d.launch(heads_kernel(d, p.key_type, "heads_of_keys"), groups_for(p.n), lanes, operand{p.in2, size_of(p.key_type)},
           heads, cl_ulong(p.n));
  return heads;
}

operand heads_of_keys(device& d, const question* keys, const problem& p) {
  if (!keys) return heads_of_keys(d, p);
  const operand heads = space_for_heads(d, p.n);
  note_first_of_runs(d, *keys, p.in2, p.n, heads.where);
  return heads;
}

operand heads_of_segments(device& d, const problem& p) {
  const operand heads = space_for_heads(d, p.n);
  d.fill(heads.where, 0, p.n);
  d.launch(heads_kernel(d, dtype::u64, "heads_of_segments"), groups_for(p.m + 1), lanes, operand{p.in2, 8}, heads,
           cl_ulong(p.n), cl_ulong(p.m));
  return heads;
}

// `bounded`: elements outside all segments are not written.
void enqueue_scan(const fold_kernels& kernel, const problem& p, operand heads, memory out, bool inclusive,
                  bool with_init, bool bounded) {
  device& d = kernel.d;
  const dealt deal(d, p.n, kernel.items * kernel.rows, groups_per_unit);
  const operand in = kernel.at(p.in),
                folds{d.scratch("segmented/opencl/folds", deal.groups * kernel.f.carried), kernel.f.carried},
                headed{d.scratch("segmented/opencl/headed", deal.groups * 4), 4},
                bounds = bounded ? operand{p.in2, 8} : operand{folds.where, 8};
  const cl_uint tiles_each(static_cast<cl_uint>(deal.tiles_each));
  d.launch(kernel("fold_heads"), deal.groups, kernel.items, in, heads, folds, headed, cl_ulong(p.n), tiles_each,
           kernel.f.init, cl_uint(with_init));
  d.launch(kernel("scan_heads"), 1, kernel.items, folds, headed, cl_uint(deal.groups));
  d.launch(kernel("scan_by_heads"), deal.groups, kernel.items, in, heads, kernel.at(out), folds, bounds, cl_ulong(p.m),
           cl_uint(bounded), cl_ulong(p.n), tiles_each, kernel.f.init, cl_uint(with_init), cl_uint(inclusive));
}

memory scanned(const fold_kernels& kernel, const problem& p) {
  return kernel.d.scratch("segmented/opencl/scanned", std::max<std::uint64_t>(p.n, 1) * kernel.f.size);
}

void enqueue_last_of_runs(const fold_kernels& kernel, const problem& p, memory folds, memory starts) {
  kernel.d.launch(kernel("last_of_runs"), kernel.groups(p.n), kernel.items, kernel.at(folds), operand{starts, 8},
                  operand{p.count, 8}, kernel.at(p.out), cl_ulong(p.n));
}

void reduce_by_key(upsweep::device& any, const problem& p) {
  device& d = of(any);
  const fold_kernels kernel(d, folding(p.type, p));
  const memory folds = scanned(kernel, p), starts = starts_in_scratch(d, p.n);
  if (p.n != 0) enqueue_scan(kernel, p, heads_of_keys(d, p), folds, true, false, false);
  detail::select_impl::problem keys;
  keys.type = p.key_type, keys.how = detail::select_impl::selection::unique;
  keys.in = p.in2, keys.out = p.out2, keys.count = p.count, keys.n = p.n;
  enqueue_selection(d, keys, starts);
  enqueue_last_of_runs(kernel, p, folds, starts);
}

// Keys of any size: the heads are selected, and the keys are fetched by their indices.
void reduce_by_key(const fold_kernels& kernel, const question* keys, const problem& p) {
  device& d = kernel.d;
  const memory folds = scanned(kernel, p), starts = starts_in_scratch(d, p.n);
  detail::select_impl::problem firsts;
  firsts.type = dtype::u8, firsts.how = detail::select_impl::selection::flagged, firsts.count = p.count, firsts.n = p.n;
  firsts.out = d.scratch("segmented/opencl/firsts", std::max<std::uint64_t>(p.n, 1));
  if (p.n != 0) {
    const operand heads = heads_of_keys(d, keys, p);
    enqueue_scan(kernel, p, heads, folds, true, false, false);
    firsts.in = heads.where, firsts.in3 = heads.where;
  }
  enqueue_selection(d, firsts, starts);
  if (p.n == 0) return;
  const std::uint64_t key_bytes = keys ? keys->bytes : size_of(p.key_type);
  const std::uint64_t word = detail::sort_impl::word_of_records(key_bytes, p.in2.offset | p.out2.offset, 8);
  const dtype words = word == 1 ? dtype::u8 : word == 2 ? dtype::u16 : word == 4 ? dtype::u32 : dtype::u64;
  d.launch(heads_kernel(d, words, "keys_of_runs"), groups_for(p.n), lanes, operand{p.in2, word}, operand{starts, 8},
           operand{p.count, 8}, operand{p.out2, word}, cl_uint(key_bytes / word));
  enqueue_last_of_runs(kernel, p, folds, starts);
}

void scan_by_key(upsweep::device& any, const problem& p) {
  device& d = of(any);
  if (p.n != 0)
    enqueue_scan(fold_kernels(d, folding(p.type, p)), p, heads_of_keys(d, p), p.out, p.inclusive, true, false);
}

void segmented_reduce(const fold_kernels& kernel, const problem& p) {
  if (p.m == 0) return;
  const memory folds = scanned(kernel, p);
  if (p.n != 0) enqueue_scan(kernel, p, heads_of_segments(kernel.d, p), folds, true, true, false);
  kernel.d.launch(kernel("last_of_segments"), kernel.groups(p.m), kernel.items, kernel.at(folds), operand{p.in2, 8},
                  kernel.at(p.out), cl_ulong(p.m), kernel.f.init);
}

void segmented_scan(const fold_kernels& kernel, const problem& p) {
  if (p.n != 0 && p.m != 0) enqueue_scan(kernel, p, heads_of_segments(kernel.d, p), p.out, p.inclusive, true, true);
}

void segmented_reduce(upsweep::device& d, const problem& p) {
  segmented_reduce(fold_kernels(of(d), folding(p.type, p)), p);
}
void segmented_scan(upsweep::device& d, const problem& p) {
  segmented_scan(fold_kernels(of(d), folding(p.type, p)), p);
}

}  // namespace

void fold_by_key(upsweep::device& d, const custom_kernel& k, const question* keys, const problem& p) {
  require_lanes(of(d), k.where);
  const fold_kernels kernel(of(d), folding(k));
  if (p.what == primitive::reduce_by_key) return reduce_by_key(kernel, keys, p);
  if (p.n != 0) enqueue_scan(kernel, p, heads_of_keys(of(d), keys, p), p.out, p.inclusive, true, false);
}

void fold_by_segment(upsweep::device& d, const custom_kernel& k, const problem& p) {
  require_lanes(of(d), k.where);
  const fold_kernels kernel(of(d), folding(k));
  p.what == primitive::segmented_reduce ? segmented_reduce(kernel, p) : segmented_scan(kernel, p);
}

}  // namespace opencl

namespace detail::segmented_impl {

std::span<const variant> opencl() {
  const auto entry = [](std::string_view name, primitive what, std::string_view teaches, formula launches,
                        formula traffic, void (*run)(device&, const problem&)) {
    variant v;
    v.name = name, v.where = backend::opencl, v.what = what, v.kind = variant_kind::tuned, v.year = 2026,
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

}  // namespace detail::segmented_impl

}  // namespace upsweep
