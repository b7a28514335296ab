// Launches and catalog entries of rearrange_opencl.cl.
#include <array>

#include "upsweep/opencl/elements_as_words.hpp"
#include "upsweep/rearrange/rearrange_entries.hpp"

namespace upsweep::detail::rearrange_impl {

namespace {

using opencl::operand;
using opencl::value;

opencl::loaded_kernel kernel_of(opencl::device& d, const problem& p, const char* name) {
  return d.kernel({"rearrange/opencl/rearrange_opencl.cl"},
                  std::string("-D WORD=") + opencl::word_name(size_of(p.type)), name);
}

void run_reverse(device& any, const problem& p) {
  opencl::device& d = opencl::of(any);
  const std::size_t bytes = size_of(p.type);
  if (p.n == 0) return;
  if (in_place(d, p)) {
    if (p.n > 1)
      d.launch(kernel_of(d, p, "exchange_ends"), opencl::groups_for(p.n / 2), opencl::lanes, operand{p.out, bytes},
               cl_ulong(p.n), cl_ulong(p.words));
  } else {
    d.launch(kernel_of(d, p, "take_from_the_end"), opencl::groups_for(p.n), opencl::lanes, operand{p.in, bytes},
             operand{p.out, bytes}, cl_ulong(p.n), cl_ulong(p.words));
  }
}

void run_rotate(device& d, const problem& p) {
  if (in_place(d, p)) return rotate_by_reversing(p, [&](const problem& r) { run_reverse(d, r); });
  const std::uint64_t bytes = p.words * size_of(p.type);
  if (p.shift < p.n) d.copy(p.out, part_of(p, p.in, p.shift), (p.n - p.shift) * bytes);
  if (p.shift) d.copy(part_of(p, p.out, p.n - p.shift), p.in, p.shift * bytes);
}

void run_swap(device& any, const problem& p) {
  opencl::device& d = opencl::of(any);
  const std::size_t bytes = size_of(p.type);
  if (p.n)
    d.launch(kernel_of(d, p, "exchange"), opencl::groups_for(p.n * p.words), opencl::lanes, operand{p.in, bytes},
             operand{p.in2, bytes}, operand{p.out, bytes}, operand{p.out2, bytes}, cl_ulong(p.n * p.words));
}

void run_shuffle(device& any, const problem& p) {
  opencl::device& d = opencl::of(any);
  const std::size_t bytes = size_of(p.type);
  if (p.n == 0) return;
  memory in = p.in;
  if (in_place(d, p)) {
    in = d.scratch("shuffle/aside", std::max<std::uint64_t>(p.n * p.words * bytes, 16));
    d.copy(in, p.in, p.n * p.words * bytes);
  }
  const seeded_permutation place(p.n, p.seed);
  d.launch(kernel_of(d, p, "take_from_place"), opencl::groups_for(p.n), opencl::lanes, operand{in, bytes},
           operand{p.out, bytes}, cl_ulong(p.n), cl_ulong(p.words), value{&place, sizeof place});
}

void run_permutation(device& any, const problem& p) {
  opencl::device& d = opencl::of(any);
  if (p.n == 0) return;
  const seeded_permutation place(p.n, p.seed);
  d.launch(kernel_of(d, p, "tell_place"), opencl::groups_for(p.n), opencl::lanes, operand{p.out, size_of(p.type)},
           cl_ulong(p.n), value{&place, sizeof place});
}

}  // namespace

std::span<const variant> opencl() {
  const auto of_lanes = [](primitive what, std::string_view name, std::string_view teaches,
                           void (*run)(device&, const problem&)) {
    variant v = entry(backend::opencl, what, name, teaches, run);
    v.device_lacks = opencl::lacks_lanes;
    v.limits = "work-groups of 256 items";
    return v;
  };
  static const std::array list{
      of_lanes(primitive::reverse, "reverse/item-per-element", "One item an element; in place, a pair.", run_reverse),
      of_lanes(primitive::rotate, "rotate/by-reversing", "In place three reversals; else two of the driver's copies.",
               run_rotate),
      of_lanes(primitive::swap_ranges, "swap-ranges/item-per-element", "One item a word.", run_swap),
      of_lanes(primitive::shuffle, "shuffle/item-per-element",
               "Each element's place from its index and the seed; in place, of a copy.", run_shuffle),
      of_lanes(primitive::random_permutation, "random-permutation/item-per-element",
               "Each place from its index and the seed alone.", run_permutation),
  };
  return list;
}

}  // namespace upsweep::detail::rearrange_impl
