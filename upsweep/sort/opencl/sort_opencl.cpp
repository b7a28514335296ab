// Sorting on OpenCL: passes, launches and catalog entries. The kernels are in sort_opencl.cl.
#include "upsweep/sort/opencl/sort_opencl.hpp"

#include <array>
#include <bit>
#include <cmath>

#include "upsweep/sort/opencl/sort_opencl_rank.hpp"
#include "upsweep/sort/sort_problem.hpp"
#include "upsweep/sort/sort_records.hpp"

namespace upsweep {

namespace opencl {

namespace {

// Keys an item and tile: a tile of 16 KiB allows several groups a compute unit. With their other arrays, its groups
// take up to 38 KiB of local memory; if a group may have no more than 32, tiles are halved.
std::uint64_t rows_for(const device& d, std::uint64_t key_bytes) {
  return (key_bytes == 8 ? 8 : 16) / (d.local_memory() < 48 << 10 ? 2 : 1);
}
constexpr int groups_per_unit = 5;

bool same_place(memory a, memory b) { return a.base == b.base && a.offset == b.offset; }

std::string sort_options(const device& d, std::uint64_t key_bytes, key_order order, std::uint64_t value_bytes,
                         std::uint64_t n) {
  std::string text = word_options(key_bytes, order) + " -D ROWS=" + std::to_string(rows_for(d, key_bytes));
  text += n >> 32 ? " -D COUNT=ulong -D COUNT_BEFORE=long_sum_before" : " -D COUNT=uint -D COUNT_BEFORE=sum_before";
  if (value_bytes != 0) text += std::string(" -D VALUE=") + word_name(value_bytes);
  return text;
}

loaded_kernel kernel(device& d, const std::string& options, const char* name) {
  return d.kernel({"opencl/elements_as_words.cl", "opencl/work_group_sums.cl", "sort/opencl/sort_opencl.cl"}, options,
                  name);
}

// Passes alternate between `out` and scratch so that the last writes `out`; a pass never writes its input.
struct turns {
  memory in, out, scratch;
  unsigned passes;
  memory read(unsigned pass) const { return pass == 0 ? in : written(pass - 1); }
  memory written(unsigned pass) const { return (passes - pass) % 2 == 1 ? out : scratch; }
};

turns turns_of(device& d, const char* name, memory in, memory out, std::uint64_t bytes, unsigned passes) {
  const bool one_too_few = passes % 2 == 1 && same_place(in, out);
  turns t{in, out, passes > 1 || one_too_few ? d.scratch(name, bytes) : memory{}, passes};
  if (one_too_few) {
    d.copy(t.scratch, in, bytes);
    t.in = t.scratch;
  }
  return t;
}

// The shape of a sweep, measured on one H100 (README.md): tiles as large as 48 KiB of local memory allow, since the
// destinations of keys are looked up once a tile; and the register limit that keeps that many groups resident.
struct sweep_shape {
  std::uint64_t lanes = 256, rows, groups_per_unit = 4, registers = 64;
  static constexpr std::uint64_t scanners = 2, count_lanes = 1024;
  explicit sweep_shape(const radix& r) {
    const std::uint64_t bytes = r.key_bytes + r.value_bytes;
    rows = 128 / bytes;
    if (bytes <= 4) lanes = 512, rows = 14, groups_per_unit = 2;
    if (bytes <= 8 && r.value_bytes != 0) lanes = 384, rows = 80 / bytes, groups_per_unit = 3, registers = 56;
  }
  std::uint64_t tile() const { return lanes * rows; }
};

// Memory that the launches of one sort share: sort_control in sort/opencl/sort_opencl_onesweep.cl, and a ring of rows
// for tiles. Each ring size has its own memory, so that its tags stay valid.
struct sweep_states {
  static constexpr std::uint64_t control_bytes = 36 << 10, digits = 256;
  unsigned row_bits;
  memory control, counts, prefixes;
  sweep_states(device& d, std::uint64_t tiles) : row_bits(tiles <= 1 << 8 ? 8 : tiles <= 1 << 11 ? 11 : 14) {
    const char* name = row_bits == 8    ? "sort/opencl/ring-8"
                       : row_bits == 11 ? "sort/opencl/ring-11"
                                        : "sort/opencl/ring-14";
    control = d.scratch(name, control_bytes + (digits << row_bits) * (4 + 8));
    prefixes = control.plus_bytes(control_bytes);
    counts = prefixes.plus_bytes((digits << row_bits) * 8);
  }
};

// A first launch counts the digits of all passes and skips those that would move nothing; then one launch a pass.
void enqueue_sweeps(device& d, const radix& r) {
  const sweep_shape shape(r);
  std::string options =
      "-D LANES=" + std::to_string(shape.lanes) + " -D ROWS=" + std::to_string(shape.rows) +
      " -D COUNT_LANES=" + std::to_string(shape.count_lanes) + " -D SCANNERS=" + std::to_string(shape.scanners) +
      " -cl-nv-maxrregcount=" + std::to_string(shape.registers) + " -D WORD_BITS=" + std::to_string(8 * r.key_bytes) +
      " -D ORDER=" + std::to_string(static_cast<int>(r.order));
  if (r.n >> 32) options += " -D WIDE";
  if (r.value_bytes != 0) options += std::string(" -D VALUE=") + word_name(r.value_bytes);
  const auto kernel = [&](const char* name) -> loaded_kernel {
    return d.kernel({"opencl/elements_as_words.cl", "opencl/warp.cl", "sort/opencl/sort_opencl_onesweep.cl"}, options,
                    name);
  };
  const bool same_keys = same_place(r.in, r.out),
             in_place = same_keys || (r.value_bytes != 0 && !r.indices && same_place(r.values_in, r.values_out));
  const std::uint64_t tiles = (r.n + shape.tile() - 1) / shape.tile();
  const sweep_states states(d, tiles);
  const operand in{r.in, r.key_bytes}, out{r.out, r.key_bytes},
      spare{d.scratch("sort/opencl/keys", r.n * r.key_bytes), r.key_bytes}, control{states.control, 8},
      counts{states.counts, 4}, prefixes{states.prefixes, 8};
  const auto units = static_cast<std::uint64_t>(std::max(d.compute_units(), 1));
  const cl_uint first_bit(r.first_bit), last_bit(r.last_bit), passes((r.last_bit - r.first_bit + 7) / 8),
      row_bits(states.row_bits), in_place_word(in_place);
  const cl_ulong n(r.n), flip = r.descending ? ~cl_ulong{0} : 0;
  d.launch(kernel("count_all_digits"), std::min(units, (r.n + 4 * shape.count_lanes - 1) / (4 * shape.count_lanes)),
           shape.count_lanes, in, control, counts, prefixes, n, flip, first_bit, last_bit, passes, cl_uint(tiles),
           row_bits, in_place_word);
  const loaded_kernel sweep = kernel("sweep");
  const std::uint64_t groups = std::min(units * shape.groups_per_unit, tiles + shape.scanners);
  if (r.value_bytes == 0) {
    for (cl_uint pass = 0; pass < passes; ++pass)
      d.launch(sweep, groups, shape.lanes, in, out, spare, control, counts, prefixes, n, flip, first_bit, last_bit,
               pass, passes, cl_uint(tiles), row_bits, in_place_word);
    if (in_place) d.launch(kernel("finish_sort"), units, lanes, control, spare, out, n);
    return;
  }
  const operand values_out{r.values_out, r.value_bytes},
      values_in = r.indices ? values_out : operand{r.values_in, r.value_bytes},
      values_spare{d.scratch("sort/opencl/values", r.n * r.value_bytes), r.value_bytes};
  for (cl_uint pass = 0; pass < passes; ++pass)
    d.launch(sweep, groups, shape.lanes, in, out, spare, values_in, values_out, values_spare, cl_uint(r.indices),
             control, counts, prefixes, n, flip, first_bit, last_bit, pass, passes, cl_uint(tiles), row_bits,
             in_place_word);
  if (in_place) d.launch(kernel("finish_sort"), units, lanes, control, spare, out, values_spare, values_out, n);
}

}  // namespace

void enqueue_radix_sort(device& d, const radix& r) {
  if (r.n > lanes * rows_for(d, r.key_bytes) && r.first_bit < r.last_bit && d.speaks_ptx()) return enqueue_sweeps(d, r);
  enqueue_radix_by_tiles(d, r);
}

void enqueue_radix_by_tiles(device& d, const radix& r) {
  if (r.n == 0) return;
  const std::string options = sort_options(d, r.key_bytes, r.order, r.value_bytes, r.n);
  const cl_ulong flip = r.descending ? ~cl_ulong{0} : 0;
  const std::uint64_t tile = lanes * rows_for(d, r.key_bytes);
  if (r.n <= tile) {
    const loaded_kernel one = kernel(d, options, "sort_one_tile");
    const operand in{r.in, r.key_bytes}, out{r.out, r.key_bytes}, values_out{r.values_out, r.value_bytes},
        values_in = r.indices ? values_out : operand{r.values_in, r.value_bytes};
    const cl_uint n(static_cast<cl_uint>(r.n)), first(r.first_bit), last(r.last_bit);
    if (r.value_bytes == 0) return d.launch(one, 1, lanes, in, out, n, flip, first, last);
    return d.launch(one, 1, lanes, in, out, values_in, values_out, cl_uint(r.indices), n, flip, first, last);
  }
  constexpr unsigned digit_bits = 8;
  // At least one pass, which copies: if no bit counts, every digit is zero.
  const unsigned bits = r.last_bit - r.first_bit, passes = std::max((bits + digit_bits - 1) / digit_bits, 1u);
  const turns keys = turns_of(d, "sort/opencl/keys", r.in, r.out, r.n * r.key_bytes, passes);
  turns values{};
  if (r.value_bytes != 0)
    values = turns_of(d, "sort/opencl/values", r.indices ? memory{} : r.values_in, r.values_out, r.n * r.value_bytes,
                      passes);

  const std::uint64_t count_bytes = r.n >> 32 ? 8 : 4, digits = std::uint64_t{1} << digit_bits;
  const dealt deal(d, r.n, tile, groups_per_unit);
  const operand counts{d.scratch("sort/opencl/counts", digits * deal.groups * count_bytes), count_bytes},
      totals{d.scratch("sort/opencl/totals", digits * count_bytes), count_bytes};
  const loaded_kernel count = kernel(d, options, "count_digits"), add_up = kernel(d, options, "add_up_digits"),
                      scatter = kernel(d, options, "scatter_digits");
  for (unsigned pass = 0; pass < passes; ++pass) {
    const unsigned shift = bits == 0 ? 0 : r.first_bit + pass * digit_bits;
    const cl_uint mask = bits == 0 ? 0 : (cl_uint{1} << std::min(r.last_bit - shift, digit_bits)) - 1;
    const operand from{keys.read(pass), r.key_bytes}, to{keys.written(pass), r.key_bytes};
    d.launch(count, deal.groups, lanes, from, counts, cl_ulong(r.n), cl_uint(deal.tiles_each), flip, cl_uint(shift),
             mask);
    d.launch(add_up, digits, lanes, counts, totals, cl_uint(deal.groups));
    if (r.value_bytes == 0) {
      d.launch(scatter, deal.groups, lanes, from, to, counts, totals, cl_ulong(r.n), cl_uint(deal.tiles_each), flip,
               cl_uint(shift), mask);
    } else {
      const bool indices = r.indices && pass == 0;
      const operand values_to{values.written(pass), r.value_bytes},
          values_from = indices ? values_to : operand{values.read(pass), r.value_bytes};
      d.launch(scatter, deal.groups, lanes, from, to, values_from, values_to, cl_uint(indices), counts, totals,
               cl_ulong(r.n), cl_uint(deal.tiles_each), flip, cl_uint(shift), mask);
    }
  }
}

namespace {

radix radix_of(const detail::sort_impl::problem& p) {
  radix r;
  r.key_bytes = size_of(p.type), r.order = order_of(p.type), r.descending = p.descending;
  r.first_bit = p.first_bit, r.last_bit = p.last_bit == 0 ? static_cast<unsigned>(8 * r.key_bytes) : p.last_bit;
  r.n = p.n, r.in = p.in, r.out = p.out;
  r.value_bytes = p.value_bytes, r.indices = p.indices, r.values_in = p.in2, r.values_out = p.out2;
  return r;
}

cl_ulong flip_of(const detail::sort_impl::problem& p) { return p.descending ? ~cl_ulong{0} : 0; }
cl_ulong mask_of(const detail::sort_impl::problem& p) {
  return order_window<std::uint64_t>(p.first_bit,
                                     p.last_bit == 0 ? static_cast<unsigned>(8 * size_of(p.type)) : p.last_bit, false)
      .mask;
}

void sort_by_tiles(upsweep::device& d, const detail::sort_impl::problem& p) {
  enqueue_radix_by_tiles(of(d), radix_of(p));
}
void sort_by_sweeps(upsweep::device& d, const detail::sort_impl::problem& p) { enqueue_radix_sort(of(d), radix_of(p)); }

// Sorts the images with their indices, then the indices by their segments; then fetches keys and values by index.
void sort_segments(upsweep::device& any, const detail::sort_impl::problem& p) {
  device& d = of(any);
  if (p.n == 0) return;
  const std::uint64_t size = size_of(p.type), index_bytes = p.indices ? p.value_bytes : p.n >> 32 ? 8 : 4;
  const operand offsets{p.in3, 8};
  const memory images = d.scratch("sort/opencl/images", p.n * size),
               index = d.scratch("sort/opencl/index", p.n * index_bytes),
               segments = d.scratch("sort/opencl/segments", p.n * 4);
  const std::string options = sort_options(d, size, order_of(p.type), index_bytes, p.n);
  d.launch(kernel(d, options, "take_images"), groups_for(p.n), lanes, operand{p.in, size}, offsets,
           operand{images, size}, cl_ulong(p.n), cl_ulong(p.m), flip_of(p));
  radix by_key = radix_of(p);
  by_key.order = key_order::plain, by_key.descending = false;
  by_key.in = by_key.out = images;
  by_key.value_bytes = index_bytes, by_key.indices = true, by_key.values_out = index;
  enqueue_radix_sort(d, by_key);

  d.launch(kernel(d, options, "take_segments"), groups_for(p.n), lanes, operand{index, index_bytes}, offsets,
           operand{segments, 4}, cl_ulong(p.n), cl_ulong(p.m));
  radix by_segment;
  by_segment.last_bit = static_cast<unsigned>(std::bit_width(p.m + 1));
  by_segment.n = p.n, by_segment.in = by_segment.out = segments;
  by_segment.value_bytes = index_bytes, by_segment.values_in = by_segment.values_out = index;
  enqueue_radix_sort(d, by_segment);

  const auto gather = [&](const char* name, memory in, memory out, std::uint64_t bytes) {
    const bool in_place = same_place(in, out);
    const memory to = in_place ? d.scratch(name, p.n * bytes) : out;
    detail::sort_impl::gather_records(d, in, bytes, index, static_cast<std::uint32_t>(index_bytes), p.n, to);
    if (in_place) d.copy(out, to, p.n * bytes);
  };
  gather("sort/opencl/fetched", p.in, p.out, size);
  if (p.indices) {
    d.copy(p.out2, index, p.n * index_bytes);
  } else if (p.value_bytes != 0) {
    gather("sort/opencl/fetched-values", p.in2, p.out2, p.value_bytes);
  }
}

// Few keys are sorted whole, in one launch.
void top_k(upsweep::device& any, const detail::sort_impl::problem& p) {
  device& d = of(any);
  if (p.m == 0) return;
  if (p.n > lanes * rows_for(d, size_of(p.type))) return find_first(d, p);
  radix all = radix_of(p);
  all.out = d.scratch("sort/opencl/images", p.n * all.key_bytes);
  all.value_bytes = 8, all.indices = true, all.values_out = d.scratch("sort/opencl/index", p.n * 8);
  enqueue_radix_sort(d, all);
  d.copy(p.out, all.out, p.m * all.key_bytes);
  d.copy(p.out2, all.values_out, p.m * 8);
}

void merge_two(upsweep::device& any, const detail::sort_impl::problem& p) {
  device& d = of(any);
  constexpr std::uint64_t merged = 8;  // elements an item
  const std::uint64_t size = size_of(p.type), all = p.n + p.m;
  if (all == 0) return;
  // An empty input has no memory to name to the kernel.
  const memory first = p.n ? p.in : p.in2, second = p.m ? p.in2 : p.in;
  d.launch(kernel(d, sort_options(d, size, order_of(p.type), 0, all), "merge_two"),
           groups_for((all + merged - 1) / merged), lanes, operand{first, size}, operand{second, size},
           operand{p.out, size}, cl_ulong(p.n), cl_ulong(p.m), flip_of(p), mask_of(p));
}

void look(upsweep::device& any, const detail::sort_impl::problem& p) {
  device& d = of(any);
  const std::string options = sort_options(d, size_of(p.type), order_of(p.type), 0, p.n);
  const dealt deal(d, p.n, 16 * lanes, 8);
  const operand breaches{d.scratch("sort/opencl/breaches", deal.groups * 8), 8};
  // Of no keys, none is looked at.
  const memory in = p.n ? p.in : breaches.where;
  d.launch(kernel(d, options, "first_breaches"), deal.groups, lanes, operand{in, size_of(p.type)}, breaches,
           cl_ulong(p.n), cl_ulong(deal.tiles_each * 16 * lanes), flip_of(p), mask_of(p));
  d.launch(kernel(d, options, "first_breach"), 1, lanes, breaches, cl_uint(deal.groups), operand{p.count, 8},
           cl_ulong(p.n));
}

}  // namespace

}  // namespace opencl

namespace detail::sort_impl {

std::span<const variant> opencl() {
  constexpr formula one{"1", [](double) { return 1.0; }}, linear{"n", [](double n) { return n; }};
  const auto entry = [&](std::string_view name, primitive what, std::string_view teaches, formula work,
                         formula launches, formula traffic, void (*run)(device&, const problem&)) {
    variant v;
    v.name = name, v.where = backend::opencl, v.what = what, v.kind = variant_kind::tuned, v.year = 2026,
    v.source = "upsweep", v.teaches = teaches;
    v.work = work, v.span = one, v.launches = launches, v.traffic = traffic, v.run = run;
    v.device_lacks = opencl::lacks_lanes;
    v.limits = "work-groups of 256 items";
    return v;
  };
  static const std::array list{
      entry(
          "sort/radix-by-tiles", primitive::sort,
          "Digits of eight bits, the lowest first: count them, add the counts up, and write each tile, sorted by the "
          "digit in local memory, in "
          "runs; three launches a pass in which no group waits for another. What fits a tile is sorted in one launch.",
          {"(bits/8)·2n", [](double n) { return 8 * n; }}, {"3·bits/8", [](double) { return 12.0; }},
          {"3n·bits/8", [](double n) { return 12 * n; }}, opencl::sort_by_tiles),
      [&] {
        variant v = entry("sort/sweep-by-warps", primitive::sort,
                          "Digits of eight bits, all counted in one launch; then a launch a pass that reads and writes "
                          "each key once: "
                          "warps rank their keys by votes, and one group adds up the tiles' counts and tells each tile "
                          "where its keys "
                          "go. What fits a tile is sorted in one launch.",
                          {"(bits/8)·2n", [](double n) { return 8 * n; }}, {"bits/8 + 1", [](double) { return 5.0; }},
                          {"2n·bits/8 + n", [](double n) { return 9 * n; }}, opencl::sort_by_sweeps);
        v.device_lacks = opencl::lacks_warps;
        v.limits = "NVIDIA's devices of compute capability 7.0 and above";
        return v;
      }(),
      entry(
          "segmented-sort/radix-by-number", primitive::segmented_sort,
          "Sort all places by key, then stably by the number of their segment; what they belong to follows at the end.",
          {"(bits/8)·4n", [](double n) { return 24 * n; }}, {"3·bits/8 + 10", [](double) { return 22.0; }},
          {"6n·bits/8 + 8n", [](double n) { return 40 * n; }}, opencl::sort_segments),
      entry("top-k/radix-sorted", primitive::top_k,
            "Digits from the top tell the key of rank k; those before it are collected, and they alone are sorted.",
            {"(bits/8 + 2)·n", [](double n) { return 6 * n; }}, {"3·bits/8 + 3", [](double) { return 15.0; }},
            {"(bits/8 + 2)·n", [](double n) { return 6 * n; }}, opencl::top_k),
      entry("merge/path", primitive::merge,
            "Each item finds by bisection where its eight neighbours of the result begin in both inputs, and merges "
            "them.",
            linear, one, {"2n", [](double n) { return 2 * n; }}, opencl::merge_two),
      entry("is-sorted/first-breach", primitive::is_sorted,
            "Each group looks for the first breach in its chunk; a second launch takes the first of those.", linear,
            {"2", [](double) { return 2.0; }}, linear, opencl::look),
  };
  return list;
}

}  // namespace detail::sort_impl

}  // namespace upsweep
