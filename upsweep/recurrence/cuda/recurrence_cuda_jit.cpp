// Recurrences compiled by NVRTC from the device source of their steps: the launch of recurrence/recurrence_cuda.cuh,
// with types that only NVRTC knows.
#include "upsweep/recurrence/cuda/recurrence_cuda_jit.hpp"

#include <algorithm>

#include "upsweep/cuda/cuda_operands.hpp"
#include "upsweep/recurrence/jit/recurrence_jit.hpp"

namespace upsweep::cuda {

extern const embedded_source recurrence_kernels[];
extern const embedded_source scan_kernels[];

namespace {

enum number : std::uint8_t { tile, threads, shared_bytes };

// streamed_recurrence<Steps, Shape> or stepped_recurrence<Steps, Shape>
argument_bytes arguments_of(const coded_steps& c, std::uint64_t n, const void* carry, const tagged_state& state,
                            std::uint64_t tiles) {
  argument_bytes a;
  a.add(c.steps.bytes, c.steps.size, c.steps.align).pad(std::max(c.steps.align, alignof(void*)));
  a.add(n).add(carry).add(state.words).add(state.control).add(tiles);
  if (c.by_element) a.add(c.bulk_in).add(c.bulk_out);
  return a;
}

}  // namespace

kernel_source recurrence_kernel_source(const coded_steps& c, std::uint64_t shared_limit) {
  const std::string work = "upsweep::jit::work", shape = "upsweep::jit::shape";
  return {"recurrence",
          recurrence_kernels,
          scan_kernels,
          "#include \"upsweep/recurrence/recurrence_cuda.cuh\"\n#include \"upsweep/operators.hpp\"\n"
          "#include \"upsweep/cuda/jit/jit_opencl_names.cuh\"\n" +
              definition_of(c.steps) + "#define STEPS " + c.steps.source.name + "\n#define SHARED_LIMIT " +
              std::to_string(shared_limit) +
              "\n#include \"upsweep/recurrence/cuda/recurrence_cuda_jit_kernels.cuh\"\n" +
              require_size(work, arguments_of(c, 0, nullptr, {}, 0)) +
              "static_assert(sizeof(upsweep::jit::work::value) == " + std::to_string(c.value_bytes) + ");\n",
          {"upsweep::cuda::work_in_ring<" + work + ">", number_of(shape + "::tile"),
           number_of("upsweep::cuda::tile_ring_threads<" + shape + ">"),
           number_of("sizeof(upsweep::cuda::tile_ring_shared<" + work + ">)")}};
}

void recur_jit(upsweep::device& where, std::uint64_t n, const coded_steps& c, void* carry, opencl::kept_program& made) {
  device& d = of(where);
  d.make_current();
  if (n == 0) return;
  const jit_program& p =
      program_of(d, made, recurrence_kernels, [&] { return recurrence_kernel_source(c, d.shared_limit()); });
  const std::uint64_t tiles = (n + p.numbers[tile] - 1) / p.numbers[tile];
  const auto block = static_cast<int>(p.numbers[threads]);
  const auto blocks =
      static_cast<std::uint64_t>(resident_blocks(d, "recurrence", p.kernels[0], block, p.numbers[shared_bytes]));
  argument_bytes a = arguments_of(c, n, carry, tagged_state_for(d, "scan/cuda", tiles, c.value_bytes), tiles);
  launch(d, "recurrence", p.kernels[0],
         {.blocks = std::min(tiles, blocks), .threads = block, .shared_bytes = p.numbers[shared_bytes]}, {a.done()});
}

// ---- Steps with a member source in named operands: a struct of the types that they evaluate to.

namespace {

struct steps_object {
  std::string definition;
  argument_bytes bytes;
  coded_steps coded;

  explicit steps_object(const opencl::recurrence_source& t) {
    opencl::preamble p{t.call, opencl::compiler::cuda};
    const std::string state = t.state(p), map = t.map(p);
    const opencl::operand_sources all = sources_of(p, t.operands);
    p.source += "#define global\n";
    add_expression(p, map + " extend_of_source(" + map + " f, ulong i" + all.parameters + ")", "the extension's source",
                   t.sources.extend);
    add_expression(p, map + " compose_of_source(" + map + " f, " + map + " g)", "the composition's source",
                   t.sources.compose);
    add_expression(p, state + " apply_of_source(" + map + " f, " + state + " s)", "the application's source",
                   t.sources.apply);
    add_expression(p, state + " step_of_source(ulong i, " + state + " s" + all.parameters + ")", "the step's source",
                   t.sources.step);
    p.source += "#undef global\nstruct steps_of_source {\n  using state = " + state + ";\n  using map = " + map +
                ";\n  map nothing; " + all.members +
                "\n  map identity() const { return nothing; }\n"
                "  map extend(map f, ulong i) const { return extend_of_source(f, i" +
                all.names +
                "); }\n"
                "  map operator()(map f, map g) const { return compose_of_source(f, g); }\n"
                "  state apply(map f, state s) const { return apply_of_source(f, s); }\n"
                "  state step(ulong i, state s) const { return step_of_source(i, s" +
                all.names + "); }\n};\n";
    definition = std::move(p.source);
    bytes.add(t.nothing.data(), t.map_bytes, t.map_align);
    add_operands(bytes, t.operands);
    const void* const all_bytes = bytes.done();
    coded = {{{"steps_of_source", definition.c_str()}, all_bytes, bytes.size(), bytes.align()}, t.map_bytes};
  }
  steps_object(const steps_object&) = delete;
};

}  // namespace

kernel_source recurrence_kernel_source(const opencl::recurrence_source& t, std::uint64_t shared_limit) {
  return recurrence_kernel_source(steps_object(t).coded, shared_limit);
}

void recur_jit(upsweep::device& where, std::uint64_t n, const opencl::recurrence_source& t, memory carry) {
  if (n == 0) return;
  const steps_object steps(t);
  opencl::kept_program made;  // of this call alone: the device source tells which program it is
  recur_jit(where, n, steps.coded, carry.address(), made);
}

}  // namespace upsweep::cuda
