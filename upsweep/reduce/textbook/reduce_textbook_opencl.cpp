// The textbook reductions of KIT's OpenCL assignment (2015): host code and catalog entries. The kernels are in
// textbook/*.cl.
#include <array>

#include "upsweep/opencl/textbook_kernel.hpp"
#include "upsweep/reduce/reduce_problem.hpp"

namespace upsweep::detail::reduce_impl {

namespace {

using opencl::groups_for;
using opencl::levels;
using opencl::log2_up;
using opencl::textbook_call;

void run_global_interleaved(device& d, const problem& p) {
  textbook_call r(d, p, "reduce/textbook/global_interleaved.cl", "opencl/textbook_kernel.cl");
  const auto cells = r.at(r.scratch(p.n));
  r.launch("take_in", groups_for(p.n, r.group), r.at(p.in), cells, cl_ulong(p.n));
  for (std::uint64_t stride = 1; stride < p.n; stride *= 2)
    r.launch("add_neighbour", groups_for(groups_for(p.n, 2 * stride), r.group), cells, cl_ulong(p.n), cl_ulong(stride));
  r.launch("give_out", 1, cells, r.at(p.out), cl_ulong(p.n), r.f.init);
}

void run_global_sequential(device& d, const problem& p) {
  textbook_call r(d, p, "reduce/textbook/global_sequential.cl", "opencl/textbook_kernel.cl");
  const auto cells = r.at(r.scratch(p.n));
  r.launch("take_in", groups_for(p.n, r.group), r.at(p.in), cells, cl_ulong(p.n));
  for (std::uint64_t n = p.n; n > 1;) {
    const std::uint64_t half = (n + 1) / 2;
    r.launch("add_second_half", groups_for(n - half, r.group), cells, cl_ulong(n - half), cl_ulong(half));
    n = half;
  }
  r.launch("give_out", 1, cells, r.at(p.out), cl_ulong(p.n), r.f.init);
}

// Kernel decomposition: two buffers take turns, and the last level writes the answer.
void run_levels(device& d, const problem& p, std::string_view file) {
  textbook_call r(d, p, file, "opencl/textbook_kernel.cl");
  const std::uint64_t section = 2 * r.group, most = groups_for(p.n, section);
  const memory first = r.scratch(most + groups_for(most, section));
  memory from = p.in, to = first, other = first.plus_bytes(most * r.f.size);
  std::uint64_t n = p.n;
  for (bool first_level = true;; first_level = false) {
    const std::uint64_t groups = std::max<std::uint64_t>(groups_for(n, section), 1);
    const bool last_level = groups == 1;
    r.launch("fold_groups", groups, r.at(from), r.at(last_level ? p.out : to), cl_ulong(n), cl_uint(first_level),
             cl_uint(last_level), r.f.init);
    if (last_level) return;
    from = to;
    std::swap(to, other);
    n = groups;
  }
}

void run_first_add_on_load(device& d, const problem& p) { run_levels(d, p, "reduce/textbook/first_add_on_load.cl"); }
void run_unrolled(device& d, const problem& p) { run_levels(d, p, "reduce/textbook/unrolled_last_warp.cl"); }

variant textbook_variant_of(const char* name, const char* teaches, void (*run)(device&, const problem&)) {
  variant v;
  v.name = name;
  v.where = backend::opencl;
  v.what = primitive::reduce;
  v.year = 2015;
  v.source = "kit";
  v.teaches = teaches;
  v.work = {"n", [](double n) { return n; }};
  v.run = run;
  return v;
}

variant in_global_memory(variant v) {
  v.span = {"⌈log2 n⌉ + 1", [](double n) { return log2_up(n) + 1; }};
  v.launches = {"⌈log2 n⌉ + 2", [](double n) { return log2_up(n) + 2; }};
  v.traffic = {"5n", [](double n) { return 5 * n; }};
  return v;
}

variant in_local_memory(variant v) {
  v.source = "kit, kaust";
  v.span = {"9 a level of 512, and 1", [](double n) { return 9 * levels(n) + 1; }};
  v.launches = {"⌈log512 n⌉", [](double n) { return levels(n); }};
  v.traffic = {"n + 2n/511", [](double n) { return n + 2 * n / 511; }};
  v.needs_commutative = true;
  v.limits = "an element meets one half a section away before its neighbour";
  return v;
}

}  // namespace

std::span<const variant> opencl_textbook() {
  static const std::array list = [] {
    std::array all{
        in_global_memory(textbook_variant_of(
            "reduce/global-interleaved",
            "a tree in global memory, a launch a level, neighbours at stride 1, 2, 4, …: uncoalesced",
            run_global_interleaved)),
        in_global_memory(
            textbook_variant_of("reduce/global-sequential",
                                "a tree in global memory, a launch a level, the second half onto the first: coalesced",
                                run_global_sequential)),
        in_local_memory(textbook_variant_of(
            "reduce/first-add-on-load",
            "kernel decomposition: work-groups fold sections in local memory, two elements an item, level by level",
            run_first_add_on_load)),
        in_local_memory(textbook_variant_of(
            "reduce/unrolled-last-warp",
            "the tree written out: no loop, and a last part without barriers that does not rely on lockstep",
            run_unrolled))};
    all[1].needs_commutative = true;
    all[1].limits = "the second half of the elements is added onto the first";
    return all;
  }();
  return list;
}

}  // namespace upsweep::detail::reduce_impl
