// Sets by a user's comparator: keep_of_two of sets/sets_cuda.cuh, with the types known to NVRTC alone.
#include "upsweep/sets/cuda/sets_cuda_jit.hpp"

#include <algorithm>

#include "upsweep/cuda/cuda_jit.hpp"
#include "upsweep/scan/scan_problem.hpp"

namespace upsweep::cuda {

extern const embedded_source sets_kernels[];
extern const embedded_source for_each_kernels[];

namespace {

// As in sets/sets_cuda.cuh and for_each/for_each_cuda.cuh.
constexpr std::uint64_t steps_a_thread = 16, threads = 256, most_blocks = 1u << 30;

struct pieces {
  std::uint64_t count;
  const void *cuts, *counts;
};

// two_sequences<const K*, const K*, Less>; the comparison has no members.
argument_bytes two_of(detail::sets_impl::primitive what, const sets_operands& o) {
  argument_bytes a;
  a.add(what).add(o.a.address()).add(o.n).add(o.b.address()).add(o.m).add_nothing().pad(8);
  return a;
}
argument_bytes cuts_of(detail::sets_impl::primitive what, const sets_operands& o, const pieces& p) {
  return two_of(what, o).add(p.cuts);
}
argument_bytes counts_of(detail::sets_impl::primitive what, const sets_operands& o, const pieces& p) {
  return two_of(what, o).add(p.cuts).add(p.counts);
}
argument_bytes moves_of(const sets_source& s, detail::sets_impl::primitive what, const sets_operands& o,
                        const pieces& p) {
  argument_bytes a = two_of(what, o);
  a.add(p.cuts).add(p.counts).add(p.count).add(std::min(o.capacity, o.n + o.m)).add(o.count.address());
  a.add(o.a.address()).add(o.b.address());
  s.value_bytes ? a.add(o.a_values.address()) : a.add_nothing();
  s.second_values ? a.add(o.b_values.address()) : a.add_nothing();
  return a.pad(8).add(o.out.address()).add(o.values_out.address());
}

void for_each_piece(device& d, const sets_source& s, const jit_kernel& kernel, std::uint64_t n, argument_bytes body) {
  const unsigned items = n >= 1u << 22 ? 4 : 1;
  const std::uint64_t tile = threads * items;
  for (std::uint64_t first = 0; first < n; first += tile * most_blocks)
    launch(d, s.order.call, kernel,
           {.blocks = std::min((n - first + tile - 1) / tile, most_blocks), .threads = static_cast<int>(threads)},
           {&first, &n, &items, body.done()});
}

}  // namespace

kernel_source sets_kernel_source(const sets_source& s) {
  kernel_source k{s.order.call, sets_kernels, for_each_kernels, {}, {}};
  k.unit =
      "#include \"upsweep/sets/sets_cuda.cuh\"\n#include \"upsweep/cuda/jit/jit_bytes.cuh\"\n"
      "#include \"upsweep/cuda/jit/jit_opencl_names.cuh\"\n" +
      s.order.before;
  if (s.value_bytes)
    k.unit += "#define VALUE bytes<" + std::to_string(s.value_bytes) + ", " + std::to_string(s.value_align) + ">\n";
  if (s.second_values) k.unit += "#define SECOND_VALUES\n";
  k.unit += "#include \"upsweep/sets/cuda/sets_cuda_jit_kernels.cuh\"\n";
  constexpr auto any = detail::sets_impl::primitive::set_union;
  k.unit += require_size("upsweep::jit::cuts", cuts_of(any, {}, {})) +
            require_size("upsweep::jit::counts", counts_of(any, {}, {})) +
            require_size("upsweep::jit::moves", moves_of(s, any, {}, {}));
  for (const char* body : {"cuts", "counts", "moves"})
    k.kernels.push_back("upsweep::cuda::call_each<upsweep::jit::" + std::string(body) + ">");
  return k;
}

void keep_jit(upsweep::device& where, const sets_source& s, detail::sets_impl::primitive what, const sets_operands& o) {
  device& d = of(where);
  d.make_current();
  const jit_program& program = program_of(d, s.made, &sets_kernels, [&] { return sets_kernel_source(s); });
  pieces p{};
  p.count = std::max<std::uint64_t>((o.n + o.m + steps_a_thread - 1) / steps_a_thread, 1);
  const memory sums = d.scratch("sets/counts", p.count * sizeof(std::uint64_t));
  p.cuts = d.scratch("sets/cuts", (p.count + 1) * 2 * sizeof(std::uint64_t)).address(), p.counts = sums.address();
  for_each_piece(d, s, program.kernels[0], p.count + 1, cuts_of(what, o, p));
  for_each_piece(d, s, program.kernels[1], p.count, counts_of(what, o, p));
  detail::scan_impl::problem scan;
  scan.type = dtype::u64, scan.op = op_kind::plus, scan.inclusive = true;
  scan.in = scan.out = sums, scan.n = p.count, scan.init = identity_scalar(scan.op, scan.type);
  detail::scan_impl::run(target(d), scan);
  for_each_piece(d, s, program.kernels[2], p.count, moves_of(s, what, o, p));
}

}  // namespace upsweep::cuda
