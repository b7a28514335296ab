// Sets on OpenCL: launches and catalog entries. The kernels are in sets_opencl.cl.
#include <array>

#include "upsweep/opencl/elements_as_words.hpp"
#include "upsweep/scan/scan_problem.hpp"
#include "upsweep/sets/opencl/sets_opencl_jit.hpp"
#include "upsweep/sets/sets_steps.hpp"
#include "upsweep/sort/sort_records.hpp"

namespace upsweep {

namespace opencl {

namespace {

constexpr std::uint64_t steps_an_item = 16;

std::string options_of(const detail::sets_impl::problem& p, std::uint64_t word) {
  using namespace detail::sets_impl;
  const auto flag = [](const char* name, bool set) {
    return std::string(" -D ") + name + "=" + std::to_string(int{set});
  };
  std::string options = " -D PIECE=" + std::to_string(steps_an_item) + flag("FIRST", keeps_first(p.what)) +
                        flag("SECOND", keeps_second(p.what)) + flag("PAIRS", keeps_pair(p.what)) +
                        flag("MERGE", p.what == primitive::merge_by_key);
  if (p.value_bytes != 0)
    options +=
        std::string(" -D VALUE_WORD=") + word_name(word) + " -D VALUE_WORDS=" + std::to_string(p.value_bytes / word);
  return options;
}

// Kernels for keys of `size` bytes, in the words' order or by a device source; options define a key.
void keep_of_two(device& d, const detail::sets_impl::problem& p, std::uint64_t size,
                 std::initializer_list<std::string_view> files, std::string options, std::string_view before) {
  const std::uint64_t all = p.n + p.m, pieces = std::max<std::uint64_t>((all + steps_an_item - 1) / steps_an_item, 1);
  const bool of_second = detail::sets_impl::keeps_of_second(p.what);
  const std::uint64_t offsets =
      (p.n ? p.in3.offset : 0) | (of_second && p.m ? p.in4.offset : 0) | (all ? p.out2.offset : 0);
  const std::uint64_t word = p.value_bytes ? detail::sort_impl::word_of_records(p.value_bytes, offsets, 8) : 1;
  options += options_of(p, word);
  const auto kernel = [&](const char* name) -> loaded_kernel { return d.kernel(files, options, name, before); };

  const operand cuts{d.scratch("sets/opencl/cuts", (pieces + 1) * 16), 8},
      counts{d.scratch("sets/opencl/counts", pieces * 8), 8};
  // An empty array has no memory to name to a kernel.
  const auto named = [&](memory m, bool there, std::uint64_t bytes) { return operand{there ? m : cuts.where, bytes}; };
  const operand first = named(p.in, p.n, size), second = named(p.in2, p.m, size);
  const cl_ulong flip = p.descending ? ~cl_ulong{0} : 0,
                 mask = order_window<std::uint64_t>(
                            p.first_bit,
                            p.last_bit == 0 ? static_cast<unsigned>(std::min<std::uint64_t>(8 * size, 64)) : p.last_bit,
                            false)
                            .mask;
  d.launch(kernel("find_cuts"), groups_for(pieces + 1), lanes, first, second, cuts, cl_ulong(p.n), cl_ulong(p.m),
           cl_ulong(pieces), flip, mask);
  d.launch(kernel("count_kept"), groups_for(pieces), lanes, first, second, cuts, counts, cl_ulong(pieces), flip, mask);
  detail::scan_impl::problem sums;
  sums.type = dtype::u64, sums.op = op_kind::plus, sums.inclusive = true;
  sums.in = sums.out = counts.where, sums.n = pieces, sums.init = identity_scalar(sums.op, sums.type);
  detail::scan_impl::opencl().front().run(d, sums);  // scan/reduce-then-scan, whatever scan the caller chose
  const operand out = named(p.out, p.capacity && all, size), count{p.count, 8};
  const cl_ulong capacity = p.capacity;
  if (p.value_bytes == 0)
    return d.launch(kernel("move_kept"), groups_for(pieces), lanes, first, second, cuts, counts, out, count,
                    cl_ulong(pieces), capacity, flip, mask);
  d.launch(kernel("move_kept"), groups_for(pieces), lanes, first, second, cuts, counts, out, named(p.in3, p.n, word),
           named(p.in4, of_second && p.m, word), named(p.out2, p.capacity && all, word), count, cl_ulong(pieces),
           capacity, flip, mask);
}

void keep_by_order(upsweep::device& any, const detail::sets_impl::problem& p) {
  opencl::keep_of_two(of(any), p, size_of(p.type), {"opencl/elements_as_words.cl", "sets/opencl/sets_opencl.cl"},
                      word_options(p.type), {});
}

}  // namespace

void keep_jit(upsweep::device& any, const custom_order& order, const detail::sets_impl::problem& p) {
  require_lanes(any, order.call);
  opencl::keep_of_two(of(any), p, order.bytes, {"sets/opencl/sets_opencl.cl"}, "-D USER_SOURCE", order.before);
}

}  // namespace opencl

namespace detail::sets_impl {

std::span<const variant> opencl() {
  const auto entry = [](std::string_view name, primitive what, std::string_view teaches) {
    variant v;
    v.name = name, v.where = backend::opencl, v.what = what, v.kind = variant_kind::tuned, v.year = 2026,
    v.source = "upsweep", v.teaches = teaches;
    v.work = {"2(n + m)", [](double n) { return 4 * n; }}, v.span = {"1", [](double) { return 1.0; }};
    v.launches = {"6", [](double) { return 6.0; }}, v.traffic = {"3.5(n + m)", [](double n) { return 7 * n; }};
    v.run = opencl::keep_by_order;
    v.device_lacks = opencl::lacks_lanes;
    v.limits = "work-groups of 256 items";
    return v;
  };
  static const std::array list{
      entry("merge-by-key/count-then-move", primitive::merge_by_key,
            "Each item finds where sixteen neighbours of the result begin in both inputs, and merges them."),
      entry("set-union/count-then-move", primitive::set_union,
            "Each item walks sixteen steps of the merge path, cut where no pair is parted: to count, and to move."),
      entry("set-intersection/count-then-move", primitive::set_intersection,
            "Each item walks sixteen steps of the merge path, cut where no pair is parted: to count, and to move."),
      entry("set-difference/count-then-move", primitive::set_difference,
            "Each item walks sixteen steps of the merge path, cut where no pair is parted: to count, and to move."),
      entry("set-symmetric-difference/count-then-move", primitive::set_symmetric_difference,
            "Each item walks sixteen steps of the merge path, cut where no pair is parted: to count, and to move."),
  };
  return list;
}

}  // namespace detail::sets_impl

}  // namespace upsweep
