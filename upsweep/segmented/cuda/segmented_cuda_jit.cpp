// Run-time compiled folds by key and by segment: run_by_key of segmented/segmented_cuda.cuh, with types known only to
// NVRTC. Segments are reduced by a separate kernel (segmented_each_segment.cuh).
#include <algorithm>

#include "upsweep/cuda/cuda_jit.hpp"
#include "upsweep/cuda/shared_limits.hpp"
#include "upsweep/segmented/jit/segmented_jit.hpp"

namespace upsweep::cuda {

extern const embedded_source select_kernels[];
extern const embedded_source segmented_kernels[];

namespace {

using detail::segmented_impl::primitive;
using detail::segmented_impl::problem;
using opencl::custom_kernel;

enum kernel : std::uint8_t { large_tile, ring, mark_segments };
enum number : std::uint8_t { threads, tile, shared_bytes, numbers_of_a_shape };
constexpr char nothing = 0;

// by_key_pass<K, T, Op, F, Equal, Results>, and what tiles have besides.
argument_bytes arguments_for(const custom_kernel& k, const problem& p, const std::uint32_t* bits, bool aligned,
                             std::uint64_t tiles, const tagged_state& state) {
  const bool by_segment = p.what == primitive::segmented_scan, reduces = p.what == primitive::reduce_by_key;
  const std::size_t align = std::max(k.align, alignof(void*));
  argument_bytes a;
  a.add(by_segment ? nullptr : p.in2.address()).add(bits).add(p.in.address()).add(p.n).add(aligned);
  a.pad(align);
  if (reduces) {  // runs_out<K, T>
    a.add(p.out2.address()).add(p.out.address()).add(p.count.address());
  } else {  // elements_out<T>
    const memory first = by_segment ? p.in2 : memory{}, last = by_segment ? p.in2.plus_bytes(8 * p.m) : memory{};
    a.add(p.out.address()).add(k.init, k.size, k.align).add(p.inclusive);
    a.add(first.address()).add(last.address()).pad(align);
  }
  a.add_nothing().add_nothing().add_nothing().pad(align);
  a.add(tiles).add(state.words).add(state.control);
  return a;
}

// sizeof(run_value<carrier<T, Op>>)
std::size_t run_value_bytes(const custom_kernel& k) {
  const auto up = [](std::size_t x, std::size_t to) { return (x + to - 1) / to * to; };
  const carrier_layout v = carrier_of(k);
  return up(up(4, v.align) + v.size, std::max<std::size_t>(4, v.align));
}

kernel_source reduce_segments_source(const custom_kernel& k) {
  kernel_source s{k.where,
                  segmented_kernels,
                  select_kernels,
                  fold_unit(k, "upsweep/segmented/cuda/segmented_each_segment.cuh"),
                  {}};
  s.kernels = {"upsweep::cuda::reduce_each_segment<" + std::string(fold_types) + ">"};
  return s;
}

void reduce_segments(device& d, const custom_kernel& k, const problem& p) {
  if (p.m == 0) return;
  static const char form = 0;
  const jit_program& program = program_of(d, k.made, &form, [&] { return reduce_segments_source(k); });
  constexpr int block = 256;
  const std::uint64_t full = std::uint64_t{8} * d.multiprocessors();
  const auto per_block = static_cast<std::uint32_t>(std::clamp<std::uint64_t>((p.m + full - 1) / full, 1, block));
  const void *values = p.in.address(), *offsets = p.in2.address(), *out = p.out.address();
  launch(d, k.where, program.kernels[0], {.blocks = (p.m + per_block - 1) / per_block, .threads = block},
         {&values, &offsets, &p.m, &per_block, &out, k.init, &nothing, &nothing});
}

}  // namespace

kernel_source by_key_kernel_source(const custom_kernel& k, const keys_jit& keys, primitive what,
                                   std::uint64_t shared_limit) {
  if (what == primitive::segmented_reduce) return reduce_segments_source(k);
  const bool by_segment = what == primitive::segmented_scan;
  problem p;
  p.what = what;
  kernel_source s{
      k.where, segmented_kernels, select_kernels, fold_unit(k, "upsweep/segmented/cuda/segmented_head_bits.cuh"), {}};
  s.unit +=
      keys.before + (by_segment ? "\n#define BY_BITS" : "") + "\n#define SHARED_LIMIT " + std::to_string(shared_limit) +
      "\n#define RESULTS upsweep::cuda::" +
      (what == primitive::reduce_by_key ? "runs_out<key, element>" : "elements_out<element>") +
      "\n#include \"upsweep/segmented/cuda/segmented_cuda_jit_kernels.cuh\"\n" +
      require_size("upsweep::cuda::tile_arguments<upsweep::jit::pass>", arguments_for(k, p, nullptr, false, 0, {})) +
      "static_assert(sizeof(upsweep::cuda::run_value<upsweep::core::carrier<upsweep::jit::element, "
      "upsweep::jit::op>>) == " +
      std::to_string(run_value_bytes(k)) + ");\n";
  const std::string pass = "upsweep::jit::pass", space = "upsweep::jit::";
  s.kernels = {"upsweep::cuda::tile_a_block<" + pass + ", " + space + "large_tile>",
               "upsweep::cuda::ring_of_tiles<" + pass + ", " + space + "ring>",
               "upsweep::cuda::mark_segments<unsigned>"};
  for (const char* shape : {"large_tile", "ring"}) {
    const std::string name = space + shape, shared = name == space + "ring" ? "ring_shared" : "tile_shared";
    s.kernels.push_back(number_of(name + "::threads"));
    s.kernels.push_back(number_of(name + "::tile"));
    s.kernels.push_back(number_of("sizeof(upsweep::cuda::" + shared + "<" + pass + ", " + name + ">)"));
  }
  return s;
}

void fold_by_key(upsweep::device& where, const custom_kernel& k, const keys_jit& keys, const problem& p) {
  device& d = of(where);
  d.make_current();
  if (p.what == primitive::segmented_reduce) return reduce_segments(d, k, p);
  if (p.n == 0) {
    if (p.what == primitive::reduce_by_key) d.fill(p.count, 0, sizeof(std::uint64_t));
    return;
  }
  const bool by_segment = p.what == primitive::segmented_scan;
  if (by_segment && p.m == 0) return;
  // An address for each primitive and type of keys.
  static const char scans_by_segment = 0;
  const void* const form = by_segment                           ? &scans_by_segment
                           : p.what == primitive::reduce_by_key ? static_cast<const char*>(keys.form)
                                                                : static_cast<const char*>(keys.form) + 1;
  const jit_program& program =
      program_of(d, k.made, form, [&] { return by_key_kernel_source(k, keys, p.what, d.shared_limit()); });
  const std::uint32_t* bits = nullptr;
  if (by_segment) {  // bits_of_segments
    const std::uint64_t bytes = (p.n / 32 + 1) * sizeof(std::uint32_t);
    const memory marked = d.scratch("segmented/cuda/bits", bytes);
    d.fill(marked, 0, bytes);
    bits = marked.as<std::uint32_t>();
    const void* offsets = p.in2.address();
    launch(d, k.where, program.kernels[mark_segments], {.blocks = (p.m + 256) / 256, .threads = 256},
           {&offsets, &p.m, &p.n, &bits});
  }
  const bool aligned = is_aligned_16(p.in) && (by_segment || is_aligned_16(p.in2));
  const auto run = [&](kernel shape, int extra_threads) {
    const auto number = [&](int which) {
      return program.numbers[static_cast<std::size_t>(shape) * numbers_of_a_shape + static_cast<std::size_t>(which)];
    };
    const std::uint64_t bytes = number(shared_bytes), tiles = (p.n + number(tile) - 1) / number(tile);
    const int block = static_cast<int>(number(threads)) + extra_threads;
    if (shape == large_tile && bytes > least_shared_limit && bytes > d.shared_limit()) return false;
    const auto resident = static_cast<std::uint64_t>(resident_blocks(d, k.where, program.kernels[shape], block, bytes));
    if (shape == large_tile && tiles > resident) return false;
    argument_bytes a =
        arguments_for(k, p, bits, aligned, tiles, tagged_state_for(d, "select/cuda", tiles, run_value_bytes(k)));
    launch(
        d, k.where, program.kernels[shape],
        {.blocks = std::min(tiles, resident), .threads = block, .shared_bytes = bytes, .together = shape == large_tile},
        {a.done()});
    return true;
  };
  if (!run(large_tile, 32)) run(ring, 64);
}

}  // namespace upsweep::cuda
