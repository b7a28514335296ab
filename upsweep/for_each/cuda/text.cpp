// for_each_index by a function's text: the launches of for_each/cuda.cuh, with the type known to NVRTC alone.
#include "upsweep/for_each/cuda/text.hpp"

#include <algorithm>

#include "upsweep/cuda/operands.hpp"
#include "upsweep/for_each/opencl/text.hpp"

namespace upsweep::cuda {

extern const embedded_source for_each_kernels[];

namespace {

constexpr std::uint64_t threads = 256, most_blocks = 1u << 30;  // as in for_each/cuda.cuh
constexpr const char* includes =
    "#include \"upsweep/for_each/cuda.cuh\"\n#include \"upsweep/for_each/least.hpp\"\n"
    "#include \"upsweep/operators.hpp\"\n#include \"upsweep/cuda/text/words.cuh\"\n";

void launch_each(device& d, const char* call, const text_kernel& kernel, std::uint64_t n, const void* function) {
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
  return "#line 1 \"the text of " + std::string(f.text.name) + "\"\n" + f.text.definition + "\n#line 1 \"upsweep\"\n";
}

kernel_text for_each_kernel_text(const core::coded_object& f) {
  argument_bytes a;
  a.add(f.bytes, f.size, f.align);
  return {"for_each_index",
          for_each_kernels,
          nullptr,
          std::string(includes) + definition_of(f) + require_size(f.text.name, a),
          {"upsweep::cuda::call_each<" + std::string(f.text.name) + ">"}};
}

// The statements are a function of the index and the operands, as on OpenCL; what is copied to the device holds those.
kernel_text index_kernel_text(const opencl::index_text& t) {
  opencl::preamble p = t.before;
  p.call = t.call, p.of = opencl::compiler::cuda;
  const opencl::operand_texts all = texts_of(p, t.operands);
  p.text += "using upsweep::take_least;\nusing upsweep::least_so_far;\n#define global\n";
  add_statements(p, "void at_index(ulong i" + all.parameters + ")", "the function's text", t.statements);
  p.text += "#undef global\nstruct operands_of_text {\n  " + all.members +
            "\n  void operator()(ulong i) const { at_index(i" + all.names + "); }\n};\n";
  return {t.call,
          for_each_kernels,
          nullptr,
          includes + p.text + require_size("operands_of_text", bytes_of(t.operands)),
          {"upsweep::cuda::call_each<operands_of_text>"}};
}

void for_each_by_text(upsweep::device& where, std::uint64_t n, const core::coded_object& f,
                      opencl::kept_program& made) {
  device& d = of(where);
  if (n == 0) return;
  d.make_current();
  const text_program& p = program_of(d, made, for_each_kernels, [&] { return for_each_kernel_text(f); });
  launch_each(d, "for_each_index", p.kernels[0], n, f.bytes);
}

void for_each_by_text(upsweep::device& where, std::uint64_t n, const opencl::index_text& t) {
  device& d = of(where);
  if (n == 0) return;
  d.make_current();
  argument_bytes operands = bytes_of(t.operands);
  launch_each(d, t.call, program_of(d, index_kernel_text(t)).kernels[0], n, operands.done());
}

}  // namespace upsweep::cuda
