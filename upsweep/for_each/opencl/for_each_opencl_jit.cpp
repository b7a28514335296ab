// for_each_index on OpenCL: the user's statements as a function before for_each_opencl.cl.
#include "upsweep/for_each/jit/for_each_jit.hpp"

#include "upsweep/opencl/arguments.hpp"
#include "upsweep/opencl/elements_as_words.hpp"
#include "upsweep/opencl/embedded_sources.hpp"

namespace upsweep::opencl {

void for_each_jit(upsweep::device& any, std::uint64_t n, const index_source& t) {
  device& d = of(any);
  if (n == 0) return;
  require_lanes(d, t.call);
  preamble before = t.before;
  before.call = t.call;
  const operand_sources all = sources_of(before, t.operands);
  if (t.statements.find("take_least") != std::string::npos || t.statements.find("least_so_far") != std::string::npos) {
    if (!d.has_int64_atomics())
      throw error(fault::unsupported, t.call, d.name() + " lacks 64-bit atomics, which take_least wants",
                  "use another context");
    before.source += source("for_each/opencl/for_each_opencl_first_match.cl");
  }
  add_statements(before, "void at_index(ulong i" + all.parameters + ")", "the function's source", t.statements);
  before.source += "#define OPERANDS " + all.kernel_parameters + "\n#define ARGUMENTS " + all.arguments + "\n";
  const loaded_kernel each = d.kernel({"for_each/opencl/for_each_opencl.cl"}, "", "each", before.source);
  const argument_list operands = arguments_of(t.operands);
  constexpr std::uint64_t most = std::uint64_t{1} << 30;  // items of one launch: some drivers count them in 32 bits
  for (std::uint64_t first = 0; first < n; first += most)
    d.launch(each, groups_for(std::min(n - first, most)), lanes, operands, cl_ulong(first), cl_ulong(n));
}

}  // namespace upsweep::opencl
