// Selections by device source: run_compact of select/select_cuda.cuh, with the element's type known to NVRTC alone.
#include <algorithm>

#include "upsweep/cuda/cuda_jit.hpp"
#include "upsweep/cuda/shared_limits.hpp"
#include "upsweep/select/jit/select_jit.hpp"

namespace upsweep::cuda {

extern const embedded_source select_kernels[];

namespace {

using detail::select_impl::selection;
using opencl::selection_jit;

struct pass {
  const void *in, *values, *flags;
  void *out, *rest;  // rest: of the last group
  void *values_out, *values_rest;
  std::uint64_t n;
  std::uint64_t* counts;
  const void* all_counts;
  int groups;
  bool one_output, aligned;
};

// compact_pass<T, V, Group, Drops>; the predicates have no members.
void add_pass(argument_bytes& a, const pass& p) {
  a.add(p.in).add(p.values).add(p.flags).add(p.n);
  for (int g = 0; g < p.groups; ++g) a.add(g + 1 < p.groups ? p.out : p.rest);
  for (int g = 0; g < p.groups; ++g) a.add(g + 1 < p.groups ? p.values_out : p.values_rest);
  a.add(p.counts).add(p.all_counts).add(p.one_output).add(p.aligned);
  for (int g = 1; g < p.groups; ++g) a.add_nothing();
  a.pad(8);
}

// run_length_pass<T, std::uint64_t, Equal>: values_out are the lengths.
void add_run_lengths(argument_bytes& a, const pass& p) {
  a.add(p.in).add(p.n).add(p.out).add(p.values_out).add(p.counts).add(p.aligned).add_nothing().pad(8);
}

argument_bytes arguments_for(const pass& p, bool run_lengths, std::uint64_t tiles, const tagged_state& state) {
  argument_bytes a;
  run_lengths ? add_run_lengths(a, p) : add_pass(a, p);
  a.add(tiles).add(state.words).add(state.control);
  return a;
}

enum kernel : std::uint8_t { small_tile, large_tile, ring, numbers };
// Of each shape, and where they are among the program's numbers.
enum number : std::uint8_t { threads, tile, shared_bytes, numbers_of_a_shape };

kernel_source source(const selection_jit& s, const beside_selected& b, int groups, bool drops,
                     std::uint64_t shared_limit) {
  kernel_source k{s.call, select_kernels, nullptr, {}, {}};
  argument_bytes a = arguments_for({{}, {}, {}, {}, {}, {}, {}, 0, {}, {}, groups, false, false}, b.run_lengths, 0, {});
  k.unit =
      "#include \"upsweep/select/cuda/select_count.cuh\"\n#include \"upsweep/select/cuda/select_run_lengths.cuh\"\n"
      "#include \"upsweep/cuda/jit/jit_bytes.cuh\"\n#include \"upsweep/cuda/jit/jit_opencl_names.cuh\"\n" +
      s.asked.before + "\n#define DROPS " + (drops ? "true" : "false") + (s.negated ? "\n#define NEGATED" : "") +
      (b.run_lengths ? "\n#define RUN_LENGTHS" : "") + "\n#define BESIDE " +
      (b.moved.bytes == 0 ? "cuda::no_array"
       : b.moved.in.base ? "upsweep::jit::bytes<" + std::to_string(b.moved.bytes) + ", " + std::to_string(b.align) + ">"
                         : "cuda::own_index") +
      "\n#define SHARED_LIMIT " + std::to_string(shared_limit) +
      "\n#include \"upsweep/select/cuda/select_cuda_jit_kernels.cuh\"\n" +
      require_size("upsweep::cuda::tile_arguments<upsweep::jit::pass>", a);
  const std::string pass = "upsweep::jit::pass", space = "upsweep::jit::";
  for (const char* shape : {"small_tile", "large_tile"})
    k.kernels.push_back("upsweep::cuda::tile_a_block<" + pass + ", " + space + shape + ">");
  k.kernels.push_back("upsweep::cuda::ring_of_tiles<" + pass + ", " + space + "ring>");
  for (const char* shape : {"small_tile", "large_tile", "ring"}) {
    const std::string name = space + shape, shared = name == space + "ring" ? "ring_shared" : "tile_shared";
    k.kernels.push_back(number_of(name + "::threads"));
    k.kernels.push_back(number_of(name + "::tile"));
    k.kernels.push_back(number_of("sizeof(upsweep::cuda::" + shared + "<" + pass + ", " + name + ">)"));
  }
  if (!drops) k.kernels.push_back("upsweep::cuda::count_groups<upsweep::jit::element, upsweep::jit::group>");
  return k;
}

constexpr std::uint64_t small_tile_bytes = 2 << 20;  // select_tuning's

int groups_of(const selection_jit& s) { return s.how == selection::three_way_partition ? 3 : 2; }
// Partitions write the last group, too, behind the others.
bool drops_rest(const selection_jit& s) {
  return s.how != selection::partition && s.how != selection::three_way_partition;
}

}  // namespace

kernel_source select_kernel_source(const selection_jit& s, std::uint64_t shared_limit, bool two_outputs,
                                   const beside_selected& b) {
  return source(s, b, groups_of(s), drops_rest(s) && !two_outputs, shared_limit);
}

void select_by(upsweep::device& where, const selection_jit& s, memory out, memory rest, opencl::kept_program* kept,
               const beside_selected& b) {
  device& d = of(where);
  d.make_current();
  const bool two_outputs = rest.base != nullptr || b.rest.base != nullptr, drops = drops_rest(s) && !two_outputs,
             one_output = !drops_rest(s);
  const int groups = groups_of(s);
  if (s.n == 0) return d.fill(s.count, 0, static_cast<std::uint64_t>(groups - 1) * sizeof(std::uint64_t));
  // An address for each kind of selection.
  static const char forms[32]{};
  const char* const form = forms + 4 * static_cast<int>(s.how) + 2 * s.negated + two_outputs;
  opencl::kept_program unkept;
  const auto make = [&] { return source(s, b, groups, drops, d.shared_limit()); };
  const jit_program& p = program_of(d, kept ? *kept : unkept, form, make);
  const auto of_shape = [&](kernel shape, number which) {
    return p.numbers[static_cast<std::size_t>(shape) * numbers_of_a_shape + which];
  };
  // Scratch for elements whose output is not requested while their values are: for each side, as they are written at
  // once.
  if (out.base == nullptr) {
    const std::uint64_t bytes = std::max<std::uint64_t>((s.n * s.asked.bytes + 15) / 16 * 16, 16);
    out = d.scratch("select/cuda/unwanted", two_outputs ? 2 * bytes : bytes);
    if (two_outputs && rest.base == nullptr) rest = out.plus_bytes(bytes);
  }
  pass work{s.in.address(),
            b.moved.in.address(),
            b.flags.address(),
            out.address(),
            rest.base ? rest.address() : out.address(),
            b.moved.out.address(),
            b.rest.base ? b.rest.address() : b.moved.out.address(),
            s.n,
            s.count.as<std::uint64_t>(),
            nullptr,
            groups,
            one_output,
            is_aligned_16(s.in) && is_aligned_16(b.moved.in) && is_aligned_16(b.flags)};

  const auto runs_at_once = [&](kernel shape) {
    const std::uint64_t tiles = (s.n + of_shape(shape, tile) - 1) / of_shape(shape, tile);
    const std::uint64_t bytes = of_shape(shape, shared_bytes);
    const int block = static_cast<int>(of_shape(shape, threads)) + 32;
    if (bytes > least_shared_limit && bytes > d.shared_limit()) return false;
    if (tiles > static_cast<std::uint64_t>(resident_blocks(d, s.call, p.kernels[shape], block, bytes))) return false;
    argument_bytes a =
        arguments_for(work, b.run_lengths, tiles, tagged_state_for(d, "select/cuda", tiles, sizeof(std::uint32_t)));
    launch(d, s.call, p.kernels[shape], {.blocks = tiles, .threads = block, .shared_bytes = bytes, .together = true},
           {a.done()});
    return true;
  };
  const std::uint64_t element_bytes = s.asked.bytes + (b.run_lengths ? 0 : b.moved.bytes) + (b.flags.base ? 1 : 0);
  if (s.n * element_bytes <= small_tile_bytes && runs_at_once(small_tile)) return;
  if (runs_at_once(large_tile)) return;

  if (one_output) {  // count_into_scratch
    struct count_state {
      unsigned long long running[2], total[2];
      unsigned int blocks_done;
    };
    auto* const state = d.scratch("select/cuda/count", sizeof(count_state)).as<count_state>();
    const void* const flags = nullptr;
    const char nothing[2]{};
    launch(d, s.call, p.kernels[numbers + 3 * numbers_of_a_shape],
           {.blocks = std::min<std::uint64_t>((s.n + 4095) / 4096, std::uint64_t{8} * d.multiprocessors()),
            .threads = 256},
           {&work.in, &flags, &s.n, &work.aligned, nothing, &state});
    work.all_counts = &state->total[0];
  }
  const std::uint64_t tiles = (s.n + of_shape(ring, tile) - 1) / of_shape(ring, tile),
                      bytes = of_shape(ring, shared_bytes);
  const int block = static_cast<int>(of_shape(ring, threads)) + 2 * 32;
  const auto blocks = static_cast<std::uint64_t>(resident_blocks(d, s.call, p.kernels[ring], block, bytes));
  argument_bytes a =
      arguments_for(work, b.run_lengths, tiles, tagged_state_for(d, "select/cuda", tiles, sizeof(std::uint32_t)));
  launch(d, s.call, p.kernels[ring], {.blocks = std::min(tiles, blocks), .threads = block, .shared_bytes = bytes},
         {a.done()});
}

}  // namespace upsweep::cuda
