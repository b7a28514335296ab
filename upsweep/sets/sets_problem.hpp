// Operations on two sorted sequences: their results and types, and the variants that a call chooses from.
#pragma once

#include "upsweep/core/dispatch.hpp"
#include "upsweep/sets/sets_operations.hpp"

namespace upsweep::detail::sets_impl {

constexpr std::string_view name_of(primitive p) {
  constexpr std::string_view names[]{"merge-by-key", "set-union", "set-intersection", "set-difference",
                                     "set-symmetric-difference"};
  return names[static_cast<int>(p)];
}

// Whether the primitive keeps elements of the second sequence, and not only of the first.
constexpr bool keeps_of_second(primitive p) {
  return p != primitive::set_intersection && p != primitive::set_difference;
}

// The largest possible number of elements in the result.
constexpr std::uint64_t most_kept(primitive p, std::uint64_t n, std::uint64_t m) {
  if (keeps_of_second(p)) return n + m;
  return p == primitive::set_difference || n < m ? n : m;
}

// out = the keys that the primitive keeps of the n of `in` and the m of in2, each sorted by bits [first_bit,
// last_bit) of the keys' order (sort.hpp), last_bit 0 meaning all of them; keys of `in` before equal ones of in2.
// value_bytes > 0: out2 = the values in3 of the first keys and in4 of the second ones, moved along. count[0] = how
// many are kept (u64). At most `capacity` are written.
struct problem : problem_head {
  primitive what = primitive::set_union;
  memory in, in2, in3, in4, out, out2, count;
  std::uint64_t m = 0, capacity = ~std::uint64_t{0};
  std::uint32_t value_bytes = 0;
  bool descending = false;
  std::uint8_t first_bit = 0, last_bit = 0;
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

}  // namespace upsweep::detail::sets_impl
