// The problems of search and related primitives: their results and types, and the variants that a call chooses from.
#pragma once

#include "upsweep/core/dispatch.hpp"
#include "upsweep/search/search_kinds.hpp"

namespace upsweep::detail::search_impl {

enum class primitive : std::uint8_t { count_if, find_if, mismatch, argmin, bounds };

constexpr std::string_view name_of(primitive p) {
  constexpr std::string_view names[]{"count-if", "find-if", "mismatch", "argmin", "bounds"};
  return names[static_cast<int>(p)];
}

enum class extreme : std::uint8_t { min, max };

// Elements are equal by ==. In the order of argmin and bounds the zeros of both signs are equal and NaNs are equal to
// each other; argmin's extremes are those of the elements that are not NaN, and bounds has NaNs last.
//   count-if  out[0] = how many of n pass the test (u64)
//   find-if   out[0] = the first index for which `how` holds, n if there is none (u64); in2 has m elements
//   mismatch  find-if with `unequal` and `apart`; in2 has n elements
//   argmin    out[0] = the first index of the minimum, or maximum, of n (u64). All are NaN, or n is 0: 0.
//   bounds    out[i] = how many of `in`, which has m sorted elements, precede in2[i] (lower: those less; upper: those
//             not greater), u64 or, `narrow`, u32; found: whether in2[i] is among them, u8. i < n.
struct problem : problem_head {
  primitive what = primitive::count_if;
  memory in, in2, out;
  std::uint64_t m = 0;
  seek how = seek::passing;
  comparison test = comparison::less;
  scalar threshold;  // of `type`
  bool negated = false;
  extreme which = extreme::min;
  bound side = bound::lower;
  bool narrow = false;
};

using variant = variant_of<problem>;
using variant_lists = lists_of<problem>;

// The size of each result that bounds writes.
constexpr std::uint64_t answer_bytes(const problem& p) { return p.side == bound::found ? 1 : p.narrow ? 4 : 8; }

// The number of indices that a search tests.
constexpr std::uint64_t places_of(seek how, std::uint64_t n, std::uint64_t m) {
  if (how == seek::adjacent) return n ? n - 1 : 0;
  if (how == seek::beginning) return m <= n ? n - m + 1 : 0;
  return n;
}

// The library's variants, backend by backend, and all the work of a call with them.
variant_lists variants();
const variant& choose(const target&, const problem&);
bool can_run(const target&, const problem&);
void run(const target&, const problem&);

std::span<const variant> cpu();
std::span<const variant> opencl();
std::span<const variant> cuda();

}  // namespace upsweep::detail::search_impl
