// Compaction on OpenCL: kernels set flags of elements that pass, and select's selections by flags do the rest. The
// kernels are in compact_opencl.cl.
#include <array>

#include "upsweep/compact/compact_problem.hpp"
#include "upsweep/compact/jit/compact_jit.hpp"
#include "upsweep/opencl/elements_as_words.hpp"
#include "upsweep/select/opencl/select_opencl.hpp"
#include "upsweep/select/select_problem.hpp"
#include "upsweep/sort/sort_thresholds.hpp"

namespace upsweep {

namespace opencl {

namespace {

dtype word_type(std::uint64_t bytes) {
  return bytes == 1 ? dtype::u8 : bytes == 2 ? dtype::u16 : bytes == 4 ? dtype::u32 : dtype::u64;
}

loaded_kernel kernel_of(device& d, dtype type, const char* name) {
  return d.kernel({"opencl/elements_as_words.cl", "compact/opencl/compact_opencl.cl"}, word_options(type), name);
}

void select_by_flags(device& d, const detail::compact_impl::problem& p, memory flags, memory out, memory count) {
  detail::select_impl::problem s;
  s.what = detail::select_impl::primitive::select, s.how = detail::select_impl::selection::flagged;
  s.type = word_type(p.element_bytes), s.n = p.n, s.in = p.in, s.in3 = flags, s.out = out, s.count = count;
  enqueue_selection(d, s, {});
}

void by_flags(upsweep::device& any, const detail::compact_impl::problem& p) {
  device& d = of(any);
  const memory flags = d.scratch("compact/opencl/flags", std::max<std::uint64_t>(p.n, 1));
  if (p.n != 0) {
    const interval passing = interval_of(p.type, p.test, p.threshold);
    d.launch(kernel_of(d, p.type, "note_flags"), groups_for(p.n), lanes, operand{p.in2, size_of(p.type)},
             operand{flags, 1}, cl_ulong(p.n), cl_ulong(passing.low), cl_ulong(passing.high),
             cl_uint(passing.others ^ cl_uint(p.negated)));
  }
  if (p.what == detail::compact_impl::primitive::stencil_select || p.n == 0)
    return select_by_flags(d, p, flags, p.out, p.count);

  // The others come first, because the last selection leaves its count in the caller's count.
  const memory others = p.two_outputs ? p.out2 : d.scratch("compact/opencl/others", p.n * p.element_bytes);
  const loaded_kernel exchange = kernel_of(d, p.type, "exchange_flags");
  d.launch(exchange, groups_for(p.n), lanes, operand{flags, 1}, cl_ulong(p.n));
  select_by_flags(d, p, flags, others, p.count);
  d.launch(exchange, groups_for(p.n), lanes, operand{flags, 1}, cl_ulong(p.n));
  select_by_flags(d, p, flags, p.out, p.count);
  if (!p.two_outputs)
    d.launch(kernel_of(d, word_type(p.element_bytes), "move_behind"), groups_for(p.n), lanes,
             operand{others, p.element_bytes}, operand{p.count, 8}, operand{p.out, p.element_bytes}, cl_ulong(p.n));
}

void run_offsets(upsweep::device& any, const detail::compact_impl::problem& p) {
  device& d = of(any);
  detail::select_impl::problem firsts;
  firsts.what = detail::select_impl::primitive::select, firsts.how = detail::select_impl::selection::unique;
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

namespace detail::compact_impl {

std::span<const variant> opencl() {
  const auto entry = [](std::string_view name, primitive what, std::string_view teaches, formula launches,
                        formula traffic, void (*run)(device&, const problem&)) {
    variant v;
    v.name = name, v.where = backend::opencl, v.what = what, v.kind = variant_kind::tuned, v.year = 2026,
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

}  // namespace detail::compact_impl

}  // namespace upsweep
