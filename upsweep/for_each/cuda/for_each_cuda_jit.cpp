// for_each_index by a function's device source: the launches of for_each/for_each_cuda.cuh, with the type known to
// NVRTC alone.
#include "upsweep/for_each/cuda/for_each_cuda_jit.hpp"

#include <algorithm>

#include "upsweep/cuda/cuda_operands.hpp"
#include "upsweep/for_each/jit/for_each_jit.hpp"

namespace upsweep::cuda {

extern const embedded_source for_each_kernels[];

namespace {

constexpr std::uint64_t threads = 256, most_blocks = 1u << 30;  // as in for_each/for_each_cuda.cuh
constexpr const char* includes =
    "#include \"upsweep/for_each/for_each_cuda.cuh\"\n#include \"upsweep/for_each/for_each_first_match.hpp\"\n"
    "#include \"upsweep/operators.hpp\"\n#include \"upsweep/cuda/jit/jit_opencl_names.cuh\"\n";

void launch_each(device& d, const char* call, const jit_kernel& kernel, std::uint64_t n, const void* function) {
  const unsigned items = n >= 1u << 22 ? 4 : 1;
  const std::uint64_t tile = threads * items;
  for (std::uint64_t first = 0; first < n; first += tile * most_blocks)
    launch(d, call, kernel,
           {.blocks = std::min((n - first + tile - 1) / tile, most_blocks), .threads = static_cast<int>(threads)},
           {&first, &n, &items, function});
}

argument_bytes bytes_of(const opencl::operand_list& operands) {
  argument_bytes a;
  add_operands(a, operands);
  if (operands.empty()) a.add_nothing();
  return a;
}

}  // namespace

std::string definition_of(const core::coded_object& f) {
  return "#line 1 \"the source of " + std::string(f.source.name) + "\"\n" + f.source.definition +
         "\n#line 1 \"upsweep\"\n";
}

kernel_source for_each_kernel_source(const core::coded_object& f) {
  argument_bytes a;
  a.add(f.bytes, f.size, f.align);
  return {"for_each_index",
          for_each_kernels,
          nullptr,
          std::string(includes) + definition_of(f) + require_size(f.source.name, a),
          {"upsweep::cuda::call_each<" + std::string(f.source.name) + ">"}};
}

// The statements are a function of the index and the operands, as on OpenCL; the object copied to the device holds the
// operands.
kernel_source index_kernel_source(const opencl::index_source& t) {
  opencl::preamble p = t.before;
  p.call = t.call, p.of = opencl::compiler::cuda;
  const opencl::operand_sources all = sources_of(p, t.operands);
  p.source += "using upsweep::take_least;\nusing upsweep::least_so_far;\n#define global\n";
  add_statements(p, "void at_index(ulong i" + all.parameters + ")", "the function's source", t.statements);
  p.source += "#undef global\nstruct operands_of_source {\n  " + all.members +
              "\n  void operator()(ulong i) const { at_index(i" + all.names + "); }\n};\n";
  return {t.call,
          for_each_kernels,
          nullptr,
          includes + p.source + require_size("operands_of_source", bytes_of(t.operands)),
          {"upsweep::cuda::call_each<operands_of_source>"}};
}

void for_each_jit(upsweep::device& where, std::uint64_t n, const core::coded_object& f, opencl::kept_program& made) {
  device& d = of(where);
  if (n == 0) return;
  d.make_current();
  const jit_program& p = program_of(d, made, for_each_kernels, [&] { return for_each_kernel_source(f); });
  launch_each(d, "for_each_index", p.kernels[0], n, f.bytes);
}

void for_each_jit(upsweep::device& where, std::uint64_t n, const opencl::index_source& t) {
  device& d = of(where);
  if (n == 0) return;
  d.make_current();
  argument_bytes operands = bytes_of(t.operands);
  const std::shared_ptr<jit_program> p = program_of(d, index_kernel_source(t));
  launch_each(d, t.call, p->kernels[0], n, operands.done());
}

}  // namespace upsweep::cuda
