// Recurrences on OpenCL: runs composed, their maps scanned, runs stepped through. The kernels are in
// recurrence_opencl.cl.
#include "upsweep/recurrence/jit/recurrence_jit.hpp"

#include <algorithm>

#include "upsweep/opencl/arguments.hpp"
#include "upsweep/opencl/elements_as_words.hpp"

namespace upsweep::opencl {

namespace {

constexpr std::uint64_t shortest_run = 16, groups_per_unit = 8;

struct runs_of {
  std::uint64_t each, count;
  runs_of(const device& d, std::uint64_t n) {
    const std::uint64_t most = static_cast<std::uint64_t>(std::max(d.compute_units(), 1)) * groups_per_unit * lanes;
    each = std::max((n + most - 1) / most, shortest_run);
    count = (n + each - 1) / each;
  }
};

// The operator for the scan of the maps.
custom_kernel composition(const recurrence_source& t) {
  custom_kernel k;
  preamble p{t.call};
  k.where = t.call, k.size = t.map_bytes, k.align = t.map_align;
  k.type_source = t.map(p), k.type_name = t.map_as;
  k.identity = t.nothing, k.init = t.nothing.data();
  k.transform_name = "identity";
  add_expression(p, k.type_source + " op_of_source(" + k.type_source + " f, " + k.type_source + " g)",
                 "the composition's source", t.sources.compose);
  k.before = p.source + "#define OP_SOURCE op_of_source(a, b)\n";
  return k;
}

}  // namespace

void recur_jit(upsweep::device& any, std::uint64_t n, const recurrence_source& t, memory start, memory end) {
  device& d = of(any);
  if (n == 0) {
    if (end.base != start.base || end.offset != start.offset) d.copy(end, start, t.state_bytes);
    return;
  }
  require_lanes(d, t.call);
  preamble p{t.call};
  const std::string state = t.state(p), map = t.map(p);
  const operand_sources all = sources_of(p, t.operands);
  add_expression(p, map + " extend_of_source(" + map + " f, ulong i" + all.parameters + ")", "the extension's source",
                 t.sources.extend);
  add_expression(p, state + " apply_of_source(" + map + " f, " + state + " s)", "the application's source",
                 t.sources.apply);
  add_expression(p, state + " step_of_source(ulong i, " + state + " s" + all.parameters + ")", "the step's source",
                 t.sources.step);
  p.source += "#define STATE " + state + "\n#define MAP " + map + "\n#define OPERANDS " + all.kernel_parameters +
              "\n#define ARGUMENTS " + all.arguments + "\n";
  const auto kernel = [&](const char* name) -> loaded_kernel {
    return d.kernel({"recurrence/opencl/recurrence_opencl.cl"}, "", name, p.source);
  };
  const argument_list operands = arguments_of(t.operands);
  runs_of runs(d, n);
  if (t.in_order) runs.each = n, runs.count = 1;
  const operand maps{d.scratch("recurrence/opencl/maps", std::max<std::uint64_t>(runs.count * t.map_bytes, 16)),
                     t.map_bytes};
  // Every item reads the start, which may share memory with the last state, so the last state is written to scratch
  // memory.
  const operand last{d.scratch("recurrence/opencl/last", std::max<std::uint64_t>(t.state_bytes, 16)), t.state_bytes};
  if (runs.count > 1) {
    d.launch(kernel("compose_runs"), groups_for(runs.count), lanes, operands, value{t.nothing.data(), t.map_bytes},
             maps, cl_ulong(n), cl_ulong(runs.each), cl_ulong(runs.count));
    scan_custom(d, composition(t), maps.where, runs.count, maps.where, /*inclusive*/ false);
  }
  d.launch(kernel("step_runs"), groups_for(runs.count), lanes, operands, maps, operand{start, t.state_bytes}, last,
           cl_ulong(n), cl_ulong(runs.each), cl_ulong(runs.count));
  d.copy(end, last.where, t.state_bytes);
}

}  // namespace upsweep::opencl
