// Recurrences by their steps' text: the launch of recurrence/cuda.cuh, with the type known to NVRTC alone.
#include "upsweep/recurrence/cuda/text.hpp"

#include <algorithm>

#include "upsweep/cuda/text.hpp"

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

}  // namespace upsweep::cuda
