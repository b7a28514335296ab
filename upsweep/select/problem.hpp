// select and its kin: what is computed, typed, and what a call chooses from.
#pragma once

#include "upsweep/core/dispatch.hpp"

namespace upsweep::select_room {

enum class primitive : std::uint8_t { select, run_lengths, expand_runs, gather, gather_if, scatter_if, copy_pieces };

constexpr std::string_view name_of(primitive p) {
  constexpr std::string_view names[]{"select",    "run-lengths", "expand-runs", "gather",
                                     "gather-if", "scatter-if",  "copy-pieces"};
  return names[static_cast<int>(p)];
}

// Which elements a selection keeps, and where the others go.
enum class selection : std::uint8_t {
  where,       // those that pass the test
  flagged,     // those whose flag is not zero
  unique,      // the first of each run of equal elements
  partition,   // those that pass the test, and after them the others
  partition3,  // those that pass `test`, then those of the others that pass `test2`, then the rest
};

// Elements, and keys, are equal as == says: the zeros of both signs are, a NaN is not equal to itself.
//   select       out = what `how` keeps, in order; count[0] = how many (u64), partition3: count[1] = how many of the
//                second class. flagged: in3 = flags (u8). value_bytes > 0: out2 = in2, moved along. Of `out`, what lies
//                beyond the kept elements is left as it is.
//   run-lengths  out = the first of each run of equal elements, out2 = its length (u64), count[0] = how many runs
//   expand-runs  out (m elements) = each of in as often as in2 (u64, n of them, of sum m) says
//   gather       out[i] = in[in2[i]] for i < n; indices are u64, or u32 (index_bytes), each below m, in has m elements
//   gather-if    the same where in3[i] (u8) is not zero; of the others the index is not read and out[i] stays
//   scatter-if   out[in2[i]] = in[i] where in3[i] (u8) is not zero, everywhere where in3 is nothing; out has m
//                elements, no two go to one place
//   copy-pieces  out[in4[p] + k] = in[in2[p] + k] for k < in3[p], of n pieces, each u64; where in4 is nothing one piece
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

// The room's own, backend by backend, and all that a call does with them.
variant_lists variants();
const variant& choose(const target&, const problem&);
bool can_run(const target&, const problem&);
void run(const target&, const problem&);

std::span<const variant> cpu();
std::span<const variant> opencl();
std::span<const variant> cuda();

std::span<const variant> cpu_textbook();   // upsweep_textbook
std::span<const variant> cuda_textbook();  // upsweep_textbook

}  // namespace upsweep::select_room
