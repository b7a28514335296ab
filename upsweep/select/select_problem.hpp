// The problems of select and related primitives: their results and types, and the variants that a call chooses from.
#pragma once

#include "upsweep/core/dispatch.hpp"

namespace upsweep::detail::select_impl {

enum class primitive : std::uint8_t { select, run_lengths, expand_runs, gather, gather_if, scatter_if, batched_copy };

constexpr std::string_view name_of(primitive p) {
  constexpr std::string_view names[]{"select",    "run-lengths", "expand-runs", "gather",
                                     "gather-if", "scatter-if",  "copy-pieces"};
  return names[static_cast<int>(p)];
}

// Which elements a selection keeps, and where the others go.
enum class selection : std::uint8_t {
  where,                // those that pass the test
  flagged,              // those whose flag is not zero
  unique,               // the first of each run of equal elements
  partition,            // those that pass the test, and after them the others
  three_way_partition,  // those that pass `test`, then those of the others that pass `test2`, then the rest
};

// Elements, and keys, are equal by ==: zeros of both signs are equal, a NaN is not equal to itself.
//   select       out = the elements that `how` keeps, in order; count[0] = their number (u64), three_way_partition:
//                count[1] = the number of the second class. flagged: in3 = flags (u8). value_bytes > 0: out2 = in2,
//                moved along. `out` keeps its contents beyond the kept elements.
//   run-lengths  out = the first of each run of equal elements, out2 = its length (u64), count[0] = the number of runs
//   expand-runs  out (m elements) = each of in repeated in2 times (u64, n of them, of sum m)
//   gather       out[i] = in[in2[i]] for i < n; indices are u64, or u32 (index_bytes), each below m, in has m elements
//   gather-if    gather where in3[i] (u8) is not zero; of the others the index is not read and out[i] is unchanged
//   scatter-if   out[in2[i]] = in[i] where in3[i] (u8) is not zero, everywhere where in3 is null; out has m
//                elements, no two go to one place
//   copy-pieces  out[in4[p] + k] = in[in2[p] + k] for k < in3[p], of n pieces, each u64; where in4 is null one piece
//                follows the other in out. No two go to one place; out has m elements
struct problem : problem_head {
  primitive what = primitive::select;
  memory in, in2, in3, in4, out, out2, count;
  std::uint64_t m = 0;
  std::uint32_t value_bytes = 0, index_bytes = 8;
  selection how = selection::where;
  comparison test = comparison::less, test2 = comparison::less;
  scalar threshold, threshold2;  // of `type`
};

using variant = variant_of<problem>;
using variant_lists = lists_of<problem>;

// The library's variants, backend by backend, and all the work of a call with them.
variant_lists variants();
const variant& choose(const target&, const problem&);
bool can_run(const target&, const problem&);
void run(const target&, const problem&);

std::span<const variant> cpu();
std::span<const variant> opencl();
std::span<const variant> cuda();

std::span<const variant> cpu_textbook();   // upsweep_textbook
std::span<const variant> cuda_textbook();  // upsweep_textbook

}  // namespace upsweep::detail::select_impl
