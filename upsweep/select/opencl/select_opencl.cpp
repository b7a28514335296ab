// Selection on OpenCL: launches and catalog entries. The kernels are in select_opencl.cl and select_opencl_moves.cl.
#include "upsweep/select/opencl/select_opencl.hpp"

#include <array>

#include "upsweep/scan/scan_problem.hpp"
#include "upsweep/select/select_problem.hpp"
#include "upsweep/sort/sort_records.hpp"
#include "upsweep/sort/sort_thresholds.hpp"

namespace upsweep {

namespace opencl {

namespace {

constexpr std::uint64_t rows = 8;  // neighbours an item and tile
constexpr int groups_per_unit = 8;

int sorts_of(detail::select_impl::selection how, by what) {
  if (what == by::classes) return 4;
  if (what == by::flags) return 1;
  switch (how) {
    case detail::select_impl::selection::flagged: return 1;
    case detail::select_impl::selection::unique: return 2;
    case detail::select_impl::selection::three_way_partition: return 3;
    default: return 0;
  }
}

}  // namespace

namespace {

// The one pass, on one H100 (README.md): two tiles of a group fit in local memory, of 16 KiB at most.
struct pass_shape {
  std::uint64_t rows, groups_per_unit = 4;
  pass_shape(std::uint64_t size, std::uint64_t value_bytes, unsigned classes, bool flags)
      : rows(std::min<std::uint64_t>(64 / (size + (value_bytes ? 2 : 0)), classes > 1 || flags ? 12 : 16)) {
    if (flags) groups_per_unit = 6;
  }
};

struct moved_values {
  memory in, out;
  std::uint64_t bytes = 0, word = 1;
  bool indices = false;
  moved_values(const detail::select_impl::problem& p, memory starts)
      : in(starts.base ? starts : p.in2),
        out(starts.base ? starts : p.out2),
        bytes(starts.base ? 8 : p.value_bytes),
        indices(starts.base) {
    if (bytes) word = detail::sort_impl::word_of_records(bytes, in.offset | out.offset, 8);
  }
  std::string options() const {
    if (bytes == 0) return {};
    return std::string(" -D VALUE_WORD=") + word_name(word) + " -D VALUE_BITS=" + std::to_string(8 * word) +
           " -D VALUE_WORDS=" + std::to_string(bytes / word);
  }
};

// The number of classes that are written.
unsigned moving_classes(const detail::select_impl::problem& p) {
  return p.how == detail::select_impl::selection::three_way_partition ? 3
         : p.how == detail::select_impl::selection::partition         ? 2
                                                                      : 1;
}

struct tests {
  interval first{}, second{};
  tests(const detail::select_impl::problem& p, by what) {
    if (what != by::selection) return;
    const bool two = p.how == detail::select_impl::selection::three_way_partition;
    if (two || p.how == detail::select_impl::selection::where || p.how == detail::select_impl::selection::partition)
      first = interval_of(p.type, p.test, p.threshold);
    if (two) second = interval_of(p.type, p.test2, p.threshold2);
  }
};

void enqueue_one_pass(device& d, const detail::select_impl::problem& p, memory starts, by what) {
  const std::uint64_t size = size_of(p.type);
  const moved_values values(p, starts);
  const unsigned classes = moving_classes(p);
  const pass_shape shape(size, values.bytes, classes, sorts_of(p.how, what) == 1);
  const std::uint64_t tile = lanes * shape.rows, tiles = (p.n + tile - 1) / tile;
  const std::string options = word_options(p.type) + " -D ROWS=" + std::to_string(shape.rows) +
                              " -D SORTS=" + std::to_string(sorts_of(p.how, what)) +
                              " -D CLASSES=" + std::to_string(classes) + values.options();
  const auto kernel = [&](const char* name) -> loaded_kernel {
    return d.kernel({"opencl/elements_as_words.cl", "opencl/work_group_sums.cl", "opencl/warp.cl",
                     "select/opencl/select_opencl.cl", "select/opencl/select_one_pass.cl"},
                    options, name);
  };
  // All but the states begin as zeros, and every selection resets them.
  const operand states{d.scratch("select/opencl/states", std::max<std::uint64_t>(tiles, 1) * 8), 8},
      counters{d.scratch("select/opencl/tickets", 8), 4}, all{d.scratch("select/opencl/all", 16), 8};
  // An argument that is not read must still name some memory.
  const memory none = all.where;
  const operand in{p.n ? p.in : none, size},
      flags{p.how == detail::select_impl::selection::flagged && p.n ? p.in3 : none, 1}, out{p.n ? p.out : none, size},
      count{p.count, 8};
  const tests test(p, what);
  const auto units = static_cast<std::uint64_t>(std::max(d.compute_units(), 1));
  if (classes > 1) {
    const dealt deal(d, p.n, tile, groups_per_unit);
    d.launch(kernel("count_all_classes"), deal.groups, lanes, in, flags, all, cl_ulong(p.n),
             cl_ulong(deal.tiles_each * tile), test.first.low, test.first.high, test.first.others, test.second.low,
             test.second.high, test.second.others);
  }
  const auto move = [&](const auto&... of_values) {
    d.launch(kernel("select_in_one_pass"), std::min(units * shape.groups_per_unit, std::max<std::uint64_t>(tiles, 1)),
             lanes, in, flags, out, of_values..., states, counters, all, count, cl_ulong(p.n), cl_uint(tiles),
             cl_uint(d.next_epoch()), test.first.low, test.first.high, test.first.others, test.second.low,
             test.second.high, test.second.others);
  };
  if (values.bytes == 0) return move();
  move(operand{p.n ? values.in : none, values.word}, operand{p.n ? values.out : none, values.word},
       cl_uint(values.indices));
}

}  // namespace

void enqueue_selection(device& d, const detail::select_impl::problem& p, memory starts, by what) {
  if (d.speaks_ptx()) return enqueue_one_pass(d, p, starts, what);
  enqueue_count_then_move(d, p, starts, what);
}

void enqueue_count_then_move(device& d, const detail::select_impl::problem& p, memory starts, by what) {
  const std::uint64_t size = size_of(p.type);
  const dealt deal(d, p.n, lanes * rows, groups_per_unit);
  const operand counts{d.scratch("select/opencl/counts", (2 * deal.groups + 2) * 8), 8};
  std::string options =
      word_options(p.type) + " -D ROWS=" + std::to_string(rows) + " -D SORTS=" + std::to_string(sorts_of(p.how, what));
  const moved_values values(p, starts);
  options += values.options();
  const auto kernel = [&](const char* name) -> loaded_kernel {
    return d.kernel({"opencl/elements_as_words.cl", "opencl/work_group_sums.cl", "select/opencl/select_opencl.cl"},
                    options, name);
  };

  const auto [first, second] = tests(p, what);
  const unsigned moving = moving_classes(p);
  // An argument that is not read must still name some memory.
  const operand in{p.n ? p.in : counts.where, size},
      flags{p.how == detail::select_impl::selection::flagged && p.n ? p.in3 : counts.where, 1};
  d.launch(kernel("count_classes"), deal.groups, lanes, in, flags, counts, cl_ulong(p.n), cl_uint(deal.tiles_each),
           first.low, first.high, first.others, second.low, second.high, second.others);
  d.launch(kernel("add_up_classes"), 1, lanes, counts, cl_uint(deal.groups), operand{p.count, 8},
           cl_uint(moving == 3 ? 2 : 1));
  if (p.n == 0) return;
  const operand out{p.out, size};
  if (values.bytes == 0) {
    d.launch(kernel("move_classes"), deal.groups, lanes, in, flags, out, counts, cl_ulong(p.n),
             cl_uint(deal.tiles_each), cl_uint(moving), first.low, first.high, first.others, second.low, second.high,
             second.others);
  } else {
    d.launch(kernel("move_classes"), deal.groups, lanes, in, flags, out, operand{values.in, values.word},
             operand{values.out, values.word}, cl_uint(values.indices), counts, cl_ulong(p.n), cl_uint(deal.tiles_each),
             cl_uint(moving), first.low, first.high, first.others, second.low, second.high, second.others);
  }
}

namespace {

loaded_kernel move_kernel(device& d, std::uint64_t bytes, const char* name, std::uint32_t index_bytes = 8) {
  return d.kernel({"select/opencl/select_opencl_moves.cl"},
                  std::string("-D WORD=") + word_name(bytes) + " -D INDEX=" + word_name(index_bytes), name);
}

void select(upsweep::device& d, const detail::select_impl::problem& p) { enqueue_count_then_move(of(d), p); }
void select_in_one_pass(upsweep::device& d, const detail::select_impl::problem& p) { enqueue_selection(of(d), p); }

}  // namespace

memory starts_in_scratch(device& d, std::uint64_t n) {
  return d.scratch("select/opencl/starts", std::max<std::uint64_t>(n, 1) * 8);
}

void enqueue_lengths(device& d, memory starts, memory count, memory lengths, std::uint64_t n) {
  d.launch(move_kernel(d, 8, "lengths_of"), groups_for(n), lanes, operand{starts, 8}, operand{count, 8},
           operand{lengths, 8}, cl_ulong(n));
}

namespace {

void run_lengths(upsweep::device& any, const detail::select_impl::problem& p) {
  device& d = of(any);
  const memory starts = starts_in_scratch(d, p.n);
  detail::select_impl::problem heads = p;
  heads.how = detail::select_impl::selection::unique;
  enqueue_selection(d, heads, starts);
  enqueue_lengths(d, starts, p.count, p.out2, p.n);
}

constexpr std::uint64_t expanded = 8;  // elements an item

// The ends of runs, or pieces, of these lengths.
memory ends_of(upsweep::device& any, memory lengths, std::uint64_t n) {
  detail::scan_impl::problem sums;
  sums.type = dtype::u64, sums.op = op_kind::plus, sums.inclusive = true;
  sums.in = lengths, sums.out = of(any).scratch("select/opencl/ends", n * 8), sums.n = n;
  sums.init = identity_scalar(sums.op, sums.type);
  detail::scan_impl::opencl().front().run(any, sums);  // scan/reduce-then-scan, whatever scan the caller chose
  return sums.out;
}

void expand_runs(upsweep::device& any, const detail::select_impl::problem& p) {
  device& d = of(any);
  if (p.n == 0 || p.m == 0) return;
  const memory ends = ends_of(any, p.in2, p.n);
  const std::uint64_t size = size_of(p.type);
  d.launch(move_kernel(d, size, "expand"), groups_for((p.m + expanded - 1) / expanded), lanes, operand{p.in, size},
           operand{ends, 8}, operand{p.out, size}, cl_ulong(p.n), cl_ulong(p.m));
}

void batched_copy(upsweep::device& any, const detail::select_impl::problem& p) {
  device& d = of(any);
  if (p.n == 0 || p.m == 0) return;
  const memory ends = ends_of(any, p.in3, p.n);
  const std::uint64_t size = size_of(p.type);
  const bool following = p.in4.base == nullptr;
  d.launch(move_kernel(d, size, "batched_copy"), groups_for((p.m + expanded - 1) / expanded), lanes,
           operand{p.in, size}, operand{p.in2, 8}, operand{p.in3, 8}, operand{ends, 8},
           operand{following ? ends : p.in4, 8}, cl_uint(following), operand{p.out, size}, cl_ulong(p.n),
           cl_ulong(p.m));
}

// One of gather, gather_if, scatter and scatter_if.
void move_by_index(device& d, const detail::select_impl::problem& p, const char* kernel) {
  if (p.n == 0) return;
  const std::uint64_t size = size_of(p.type);
  const loaded_kernel k = move_kernel(d, size, kernel, p.index_bytes);
  const operand in{p.in, size}, index{p.in2, p.index_bytes}, out{p.out, size};
  if (p.in3.base == nullptr)
    d.launch(k, groups_for(p.n), lanes, in, index, out, cl_ulong(p.n));
  else
    d.launch(k, groups_for(p.n), lanes, in, index, operand{p.in3, 1}, out, cl_ulong(p.n));
}

void gather(upsweep::device& d, const detail::select_impl::problem& p) { move_by_index(of(d), p, "gather"); }

void gather_if(upsweep::device& d, const detail::select_impl::problem& p) { move_by_index(of(d), p, "gather_if"); }

void scatter_if(upsweep::device& d, const detail::select_impl::problem& p) {
  move_by_index(of(d), p, p.in3.base == nullptr ? "scatter" : "scatter_if");
}

}  // namespace

}  // namespace opencl

namespace detail::select_impl {

std::span<const variant> opencl() {
  constexpr formula one{"1", [](double) { return 1.0; }}, linear{"n", [](double n) { return n; }};
  const auto entry = [&](std::string_view name, primitive what, std::string_view teaches, formula launches,
                         formula traffic, void (*run)(device&, const problem&)) {
    variant v;
    v.name = name, v.where = backend::opencl, v.what = what, v.kind = variant_kind::tuned, v.year = 2026,
    v.source = "upsweep", v.teaches = teaches;
    v.work = linear, v.span = one, v.launches = launches, v.traffic = traffic, v.run = run;
    v.device_lacks = opencl::lacks_lanes;
    v.limits = "work-groups of 256 items";
    return v;
  };
  static const std::array list{
      entry("select/count-then-move", primitive::select,
            "Each group counts in its chunk; one adds the counts up; each group orders its tiles by class in local "
            "memory and writes runs.",
            {"3", [](double) { return 3.0; }}, {"3n", [](double n) { return 3 * n; }}, opencl::select),
      [&] {
        variant v =
            entry("select/votes-of-warps", primitive::select,
                  "One launch, each element read once and written once at most: warps vote on what is kept, a "
                  "tile publishes how much that is before it is written, and groups look up what the tiles since "
                  "their last one have kept. Partitions are counted in a launch before.",
                  one, {"2n", [](double n) { return 2 * n; }}, opencl::select_in_one_pass);
        v.device_lacks = opencl::lacks_warps;
        v.limits = "NVIDIA's devices of compute capability 7.0 and above";
        return v;
      }(),
      entry("run-lengths/count-then-move", primitive::run_lengths,
            "Select the first element of each run with its place; a length is the difference of two places.",
            {"4", [](double) { return 4.0; }}, {"5n", [](double n) { return 5 * n; }}, opencl::run_lengths),
      entry("expand-runs/search", primitive::expand_runs,
            "Scan the lengths; each item finds by bisection the run that its eight neighbours begin in.",
            {"4", [](double) { return 4.0; }}, {"3n + m", [](double n) { return 4 * n; }}, opencl::expand_runs),
      entry("gather/item-per-element", primitive::gather, "One item an element.", one,
            {"3n", [](double n) { return 3 * n; }}, opencl::gather),
      entry("gather-if/item-per-element", primitive::gather_if, "One item an element.", one,
            {"3n", [](double n) { return 3 * n; }}, opencl::gather_if),
      entry("scatter-if/item-per-element", primitive::scatter_if, "One item an element.", one,
            {"3n", [](double n) { return 3 * n; }}, opencl::scatter_if),
      entry("copy-pieces/search", primitive::batched_copy,
            "Scan the lengths; each item finds by bisection the piece that its eight neighbours begin in.",
            {"4", [](double) { return 4.0; }}, {"2m", [](double n) { return 2 * n; }}, opencl::batched_copy),
  };
  return list;
}

}  // namespace detail::select_impl

}  // namespace upsweep
