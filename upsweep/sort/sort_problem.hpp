// The problems of sort and related primitives: their results and types, and the variants that a call chooses from.
#pragma once

#include "upsweep/core/dispatch.hpp"

namespace upsweep::detail::sort_impl {

enum class primitive : std::uint8_t { sort, segmented_sort, top_k, merge, is_sorted };

constexpr std::string_view name_of(primitive p) {
  constexpr std::string_view names[]{"sort", "segmented-sort", "top-k", "merge", "is-sorted"};
  return names[static_cast<int>(p)];
}

//   sort            out = in, sorted stably by bits [first_bit, last_bit) of the keys' order (sort.hpp), last_bit 0
//                   meaning all of them. value_bytes > 0: out2 = in2, moved along. `indices`: out2 = the index of each
//                   key in the input (u32 or u64 by value_bytes), in2 is not read.
//   segmented-sort  sorts within each segment [in3[s], in3[s + 1]) (u64), m segments. Keys outside them are copied.
//   top-k           out = the m first of in in that order (descending: the largest), out2 = their indices (u64). m <=
//                   n.
//   merge           out = the n of in and the m of in2, each sorted, as one sorted sequence; equal ones of in first.
//   is-sorted       count[0] = the first i with in[i] before in[i - 1] in that order, or n.
// `out` of the sorts may be exactly `in`, and out2 exactly in2; any other overlap is the caller's error.
struct problem : problem_head {
  primitive what = primitive::sort;
  memory in, in2, in3, out, out2, count;
  std::uint64_t m = 0;
  std::uint32_t value_bytes = 0;
  bool indices = false, descending = false;
  std::uint8_t first_bit = 0, last_bit = 0;
  bool numbers_only = false;  // no key is a NaN; for who makes the keys
  // of the segments, for who makes them (conformance/segment_lengths.hpp); 0: as a check has them
  std::uint8_t lengths = 0;
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

}  // namespace upsweep::detail::sort_impl
