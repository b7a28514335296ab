// for_each_index on OpenCL: the user's statements as a function before each.cl.
#include "upsweep/for_each/opencl/text.hpp"

#include "upsweep/opencl/arguments.hpp"
#include "upsweep/opencl/source.hpp"
#include "upsweep/opencl/words.hpp"

namespace upsweep::opencl {

void for_each_by_text(upsweep::device& any, std::uint64_t n, const index_text& t) {
  device& d = of(any);
  if (n == 0) return;
  require_lanes(d, t.call);
  preamble before = t.before;
  before.call = t.call;
  const operand_texts all = texts_of(before, t.operands);
  if (t.statements.find("take_least") != std::string::npos || t.statements.find("least_so_far") != std::string::npos) {
    if (!d.has_int64_atomics())
      throw error(fault::unsupported, t.call, d.name() + " lacks 64-bit atomics, which take_least wants",
                  "use another context");
    before.text += source("for_each/opencl/least.cl");
  }
  add_statements(before, "void at_index(ulong i" + all.parameters + ")", "the function's text", t.statements);
  before.text += "#define OPERANDS " + all.kernel_parameters + "\n#define ARGUMENTS " + all.arguments + "\n";
  cl::Kernel& each = d.kernel({"for_each/opencl/each.cl"}, "", "each", before.text);
  const argument_list operands = arguments_of(t.operands);
  constexpr std::uint64_t most = std::uint64_t{1} << 30;  // items of one launch: some drivers count them in 32 bits
  for (std::uint64_t first = 0; first < n; first += most)
    d.launch(each, groups_for(std::min(n - first, most)), lanes, operands, cl_ulong(first), cl_ulong(n));
}

}  // namespace upsweep::opencl
