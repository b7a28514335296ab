// for_each_index by a function's text: the launches of for_each/cuda.cuh, with the type known to NVRTC alone.
#include "upsweep/for_each/cuda/text.hpp"

#include <algorithm>

#include "upsweep/cuda/text.hpp"

namespace upsweep::cuda {

extern const embedded_source for_each_kernels[];

namespace {

constexpr std::uint64_t threads = 256, most_blocks = 1u << 30;  // as in for_each/cuda.cuh

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
          "#include \"upsweep/for_each/cuda.cuh\"\n#include \"upsweep/for_each/least.hpp\"\n"
          "#include \"upsweep/operators.hpp\"\n#include \"upsweep/cuda/text/words.cuh\"\n" +
              definition_of(f) + require_size(f.text.name, a),
          {"upsweep::cuda::call_each<" + std::string(f.text.name) + ">"}};
}

void for_each_by_text(upsweep::device& where, std::uint64_t n, const core::coded_object& f,
                      opencl::kept_program& made) {
  device& d = of(where);
  if (n == 0) return;
  d.make_current();
  const text_program& p = program_of(d, made, for_each_kernels, [&] { return for_each_kernel_text(f); });
  const unsigned items = n >= 1u << 22 ? 4 : 1;
  const std::uint64_t tile = threads * items;
  for (std::uint64_t first = 0; first < n; first += tile * most_blocks)
    launch(d, "for_each_index", p.kernels[0],
           {.blocks = std::min((n - first + tile - 1) / tile, most_blocks), .threads = static_cast<int>(threads)},
           {&first, &n, &items, f.bytes});
}

}  // namespace upsweep::cuda
