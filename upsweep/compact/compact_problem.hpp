// Compaction by stencils, and starts of runs: the typed description of a call, and the variants that it chooses from.
#pragma once

#include "upsweep/core/dispatch.hpp"

namespace upsweep::detail::compact_impl {

enum class primitive : std::uint8_t { stencil_select, stencil_partition, run_offsets };

constexpr std::string_view name_of(primitive p) {
  constexpr std::string_view names[]{"stencil-select", "stencil-partition", "run-offsets"};
  return names[static_cast<int>(p)];
}

// Element i passes if in2[i], of `type`, passes the test, or, `negated`, if it does not.
//   stencil-select     out = those of the n elements in `in` that pass, in order; count[0] = their number (u64). Memory
//                      after them is not written.
//   stencil-partition  as above, and the others, in order, to out2 (`two_outputs`), or to `out` after those that pass
//   run-offsets        out (u64) = where the runs of equal elements of `in`, of `type`, begin, followed by n;
//                      count[0] = the number of runs. Equality is ==. Memory after them is unspecified.
struct problem : problem_head {
  primitive what = primitive::stencil_select;
  memory in, in2, out, out2, count;
  std::uint32_t element_bytes = 4;  // of `in`, where there is a stencil: 1, 2, 4 or 8
  // Of out and out2, in elements. On the CPU only the count is written where the elements do not fit;
  // elsewhere they hold n.
  std::uint64_t capacity = ~std::uint64_t{0}, capacity2 = ~std::uint64_t{0};
  comparison test = comparison::less;
  bool negated = false, two_outputs = false;
  scalar threshold;  // of `type`
};

using variant = variant_of<problem>;
using variant_lists = lists_of<problem>;

// This algorithm's variants, all and by backend, and the functions that choose and run one.
variant_lists variants();
const variant& choose(const target&, const problem&);
bool can_run(const target&, const problem&);
void run(const target&, const problem&);

std::span<const variant> cpu();
std::span<const variant> opencl();
std::span<const variant> cuda();

}  // namespace upsweep::detail::compact_impl
