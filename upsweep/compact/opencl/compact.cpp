// Compaction on OpenCL: flags of what passes, and the selections by flags that select has. The kernels are in
// compact.cl.
#include <array>

#include "upsweep/compact/opencl/custom.hpp"
#include "upsweep/compact/problem.hpp"
#include "upsweep/opencl/words.hpp"
#include "upsweep/select/opencl/select.hpp"
#include "upsweep/select/problem.hpp"
#include "upsweep/sort/interval.hpp"

namespace upsweep {

namespace opencl {

namespace {

dtype word_type(std::uint64_t bytes) {
  return bytes == 1 ? dtype::u8 : bytes == 2 ? dtype::u16 : bytes == 4 ? dtype::u32 : dtype::u64;
}

cl::Kernel& kernel_of(device& d, dtype type, const char* name) {
  return d.kernel({"opencl/words.cl", "compact/opencl/compact.cl"}, word_options(type), name);
}

void select_by_flags(device& d, const compact_room::problem& p, memory flags, memory out, memory count) {
  select_room::problem s;
  s.what = select_room::primitive::select, s.how = select_room::selection::flagged;
  s.type = word_type(p.element_bytes), s.n = p.n, s.in = p.in, s.in3 = flags, s.out = out, s.count = count;
  enqueue_selection(d, s, {});
}

void by_flags(upsweep::device& any, const compact_room::problem& p) {
  device& d = of(any);
  const memory flags = d.scratch("compact/opencl/flags", std::max<std::uint64_t>(p.n, 1));
  if (p.n != 0) {
    const interval passing = interval_of(p.type, p.test, p.threshold);
    d.launch(kernel_of(d, p.type, "note_flags"), groups_for(p.n), lanes, operand{p.in2, size_of(p.type)},
             operand{flags, 1}, cl_ulong(p.n), cl_ulong(passing.low), cl_ulong(passing.high),
             cl_uint(passing.others ^ cl_uint(p.negated)));
  }
  if (p.what == compact_room::primitive::stencil_select || p.n == 0)
    return select_by_flags(d, p, flags, p.out, p.count);

  // The others first: the selection behind them leaves its count where it is wanted.
  const memory others = p.two_outputs ? p.out2 : d.scratch("compact/opencl/others", p.n * p.element_bytes);
  cl::Kernel& exchange = kernel_of(d, p.type, "exchange_flags");
  d.launch(exchange, groups_for(p.n), lanes, operand{flags, 1}, cl_ulong(p.n));
  select_by_flags(d, p, flags, others, p.count);
  d.launch(exchange, groups_for(p.n), lanes, operand{flags, 1}, cl_ulong(p.n));
  select_by_flags(d, p, flags, p.out, p.count);
  if (!p.two_outputs)
    d.launch(kernel_of(d, word_type(p.element_bytes), "move_behind"), groups_for(p.n), lanes,
             operand{others, p.element_bytes}, operand{p.count, 8}, operand{p.out, p.element_bytes}, cl_ulong(p.n));
}

void run_offsets(upsweep::device& any, const compact_room::problem& p) {
  device& d = of(any);
  select_room::problem firsts;
  firsts.what = select_room::primitive::select, firsts.how = select_room::selection::unique;
  firsts.type = p.type, firsts.n = p.n, firsts.in = p.in, firsts.count = p.count;
  firsts.out = d.scratch("compact/opencl/firsts", std::max<std::uint64_t>(p.n, 1) * size_of(p.type));
  enqueue_selection(d, firsts, p.out);
  end_offsets(any, p.out, p.count, p.n);
}

}  // namespace

void end_offsets(upsweep::device& any, memory offsets, memory count, std::uint64_t n) {
  device& d = of(any);
  d.launch(kernel_of(d, dtype::u64, "end_offsets"), 1, lanes, operand{count, 8}, operand{offsets, 8}, cl_ulong(n));
}

}  // namespace opencl

namespace compact_room {

std::span<const variant> opencl() {
  const auto entry = [](std::string_view name, primitive what, std::string_view teaches, formula launches,
                        formula traffic, void (*run)(device&, const problem&)) {
    variant v;
    v.name = name, v.where = backend::opencl, v.what = what, v.kind = rung::library, v.year = 2026,
    v.source = "upsweep", v.teaches = teaches;
    v.work = {"n", [](double n) { return n; }}, v.span = {"1", [](double) { return 1.0; }};
    v.launches = launches, v.traffic = traffic, v.run = run;
    v.device_lacks = opencl::lacks_lanes;
    v.limits = "work-groups of 256 items";
    return v;
  };
  static const std::array list{
      entry("stencil-select/flags", primitive::stencil_select, "Each item notes a flag; then a selection by flags.",
            {"4", [](double) { return 4.0; }}, {"5n", [](double n) { return 5 * n; }}, opencl::by_flags),
      entry("stencil-partition/flags", primitive::stencil_partition,
            "Each item notes a flag; then two selections by flags, one of them exchanged.",
            {"10", [](double) { return 10.0; }}, {"9n", [](double n) { return 9 * n; }}, opencl::by_flags),
      entry("run-offsets/first-places", primitive::run_offsets,
            "Select the first element of each run with its place, which alone is wanted.",
            {"4", [](double) { return 4.0; }}, {"5n", [](double n) { return 5 * n; }}, opencl::run_offsets),
  };
  return list;
}

}  // namespace compact_room

}  // namespace upsweep
