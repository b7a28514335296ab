// What is made of two sorted sequences: what is computed, typed, and what a call chooses from.
#pragma once

#include "upsweep/core/dispatch.hpp"
#include "upsweep/sets/kinds.hpp"

namespace upsweep::sets_room {

constexpr std::string_view name_of(primitive p) {
  constexpr std::string_view names[]{"merge-by-key", "set-union", "set-intersection", "set-difference",
                                     "set-symmetric-difference"};
  return names[static_cast<int>(p)];
}

// Whether something of the second sequence is kept, and not of the first alone.
constexpr bool keeps_of_second(primitive p) {
  return p != primitive::set_intersection && p != primitive::set_difference;
}

// How many elements there may be in the result.
constexpr std::uint64_t most_kept(primitive p, std::uint64_t n, std::uint64_t m) {
  if (keeps_of_second(p)) return n + m;
  return p == primitive::set_difference || n < m ? n : m;
}

// out = what the primitive keeps of the n keys of `in` and the m of in2, each sorted by bits [first_bit, last_bit) of
// the keys' order (sort.hpp), last_bit 0 meaning all of them; keys of `in` before equal ones of in2. value_bytes > 0:
// out2 = the values in3 of the first keys and in4 of the second ones, moved along. count[0] = how many are kept (u64).
// Not more than `room` are written.
struct problem : problem_head {
  primitive what = primitive::set_union;
  memory in, in2, in3, in4, out, out2, count;
  std::uint64_t m = 0, room = ~std::uint64_t{0};
  std::uint32_t value_bytes = 0;
  bool descending = false;
  std::uint8_t first_bit = 0, last_bit = 0;
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

}  // namespace upsweep::sets_room
