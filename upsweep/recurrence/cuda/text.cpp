// Recurrences by their steps' text: the launch of recurrence/cuda.cuh, with the type known to NVRTC alone.
#include "upsweep/recurrence/cuda/text.hpp"

#include <algorithm>

#include "upsweep/cuda/operands.hpp"
#include "upsweep/recurrence/opencl/text.hpp"

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

kernel_text recurrence_kernel_text(const coded_steps& c, std::uint64_t shared_limit) {
  const std::string work = "upsweep::text::work", shape = "upsweep::text::shape";
  return {"recurrence",
          recurrence_kernels,
          scan_kernels,
          "#include \"upsweep/recurrence/cuda.cuh\"\n#include \"upsweep/operators.hpp\"\n"
          "#include \"upsweep/cuda/text/words.cuh\"\n" +
              definition_of(c.steps) + "#define STEPS " + c.steps.text.name + "\n#define SHARED_LIMIT " +
              std::to_string(shared_limit) + "\n#include \"upsweep/recurrence/cuda/by_text.cuh\"\n" +
              require_size(work, arguments_of(c, 0, nullptr, {}, 0)) +
              "static_assert(sizeof(upsweep::text::work::value) == " + std::to_string(c.value_bytes) + ");\n",
          {"upsweep::cuda::work_in_ring<" + work + ">", number_of(shape + "::tile"),
           number_of("upsweep::cuda::tile_ring_threads<" + shape + ">"),
           number_of("sizeof(upsweep::cuda::tile_ring_shared<" + work + ">)")}};
}

void recur_by_text(upsweep::device& where, std::uint64_t n, const coded_steps& c, void* carry,
                   opencl::kept_program& made) {
  device& d = of(where);
  d.make_current();
  if (n == 0) return;
  const text_program& p =
      program_of(d, made, recurrence_kernels, [&] { return recurrence_kernel_text(c, d.shared_limit()); });
  const std::uint64_t tiles = (n + p.numbers[tile] - 1) / p.numbers[tile];
  const auto block = static_cast<int>(p.numbers[threads]);
  const auto blocks =
      static_cast<std::uint64_t>(resident_blocks(d, "recurrence", p.kernels[0], block, p.numbers[shared_bytes]));
  argument_bytes a = arguments_of(c, n, carry, tagged_state_for(d, "scan/cuda", tiles, c.value_bytes), tiles);
  launch(d, "recurrence", p.kernels[0],
         {.blocks = std::min(tiles, blocks), .threads = block, .shared_bytes = p.numbers[shared_bytes]}, {a.done()});
}

// ---- Steps by their texts in named operands: a struct of what they come to.

namespace {

struct steps_object {
  std::string definition;
  argument_bytes bytes;
  coded_steps coded;

  explicit steps_object(const opencl::recurrence_text& t) {
    opencl::preamble p{t.call, opencl::compiler::cuda};
    const std::string state = t.state(p), map = t.map(p);
    const opencl::operand_texts all = texts_of(p, t.operands);
    p.text += "#define global\n";
    add_expression(p, map + " extend_of_text(" + map + " f, ulong i" + all.parameters + ")", "the extension's text",
                   t.texts.extend);
    add_expression(p, map + " compose_of_text(" + map + " f, " + map + " g)", "the composition's text",
                   t.texts.compose);
    add_expression(p, state + " apply_of_text(" + map + " f, " + state + " s)", "the application's text",
                   t.texts.apply);
    add_expression(p, state + " step_of_text(ulong i, " + state + " s" + all.parameters + ")", "the step's text",
                   t.texts.step);
    p.text += "#undef global\nstruct steps_of_text {\n  using state = " + state + ";\n  using map = " + map +
              ";\n  map nothing; " + all.members +
              "\n  map identity() const { return nothing; }\n"
              "  map extend(map f, ulong i) const { return extend_of_text(f, i" +
              all.names +
              "); }\n"
              "  map operator()(map f, map g) const { return compose_of_text(f, g); }\n"
              "  state apply(map f, state s) const { return apply_of_text(f, s); }\n"
              "  state step(ulong i, state s) const { return step_of_text(i, s" +
              all.names + "); }\n};\n";
    definition = std::move(p.text);
    bytes.add(t.nothing.data(), t.map_bytes, t.map_align);
    add_operands(bytes, t.operands);
    const void* const all_bytes = bytes.done();
    coded = {{{"steps_of_text", definition.c_str()}, all_bytes, bytes.size(), bytes.align()}, t.map_bytes};
  }
  steps_object(const steps_object&) = delete;
};

}  // namespace

kernel_text recurrence_kernel_text(const opencl::recurrence_text& t, std::uint64_t shared_limit) {
  return recurrence_kernel_text(steps_object(t).coded, shared_limit);
}

void recur_by_text(upsweep::device& where, std::uint64_t n, const opencl::recurrence_text& t, memory carry) {
  if (n == 0) return;
  const steps_object steps(t);
  opencl::kept_program made;  // of this call alone: the texts tell which program it is
  recur_by_text(where, n, steps.coded, carry.address(), made);
}

}  // namespace upsweep::cuda
