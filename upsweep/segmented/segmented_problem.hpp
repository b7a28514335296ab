// The problems of folds by key and by segment: their results and types, and the variants that a call chooses from.
#pragma once

#include "upsweep/core/dispatch.hpp"

namespace upsweep::detail::segmented_impl {

enum class primitive : std::uint8_t { reduce_by_key, scan_by_key, segmented_reduce, segmented_scan };

constexpr std::string_view name_of(primitive p) {
  constexpr std::string_view names[]{"reduce-by-key", "scan-by-key", "segmented-reduce", "segmented-scan"};
  return names[static_cast<int>(p)];
}

//   reduce-by-key     for each run of equal keys in in2 (key_type): out2 = its first key, out = its x folded;
//                     count[0] = the number of runs
//   scan-by-key       a scan that restarts with init at each run of equal keys in in2 (key_type)
//   segmented-reduce  out[s] = init ∘ the x of segment [in2[s], in2[s + 1]), m segments, m + 1 offsets (u64), each at
//                     most n
//   segmented-scan    a scan that restarts with init at each segment; elements outside all segments are not written
// Keys are equal by ==. `out` of the scans may be exactly `in`; any other overlap is the caller's error.
struct problem : problem_head, folding {
  primitive what = primitive::reduce_by_key;
  bool inclusive = false;  // scans
  memory in, in2, out, out2, count;
  std::uint64_t m = 0;
  dtype key_type = dtype::u32;
  // of the segments, for who makes them (conformance/segment_lengths.hpp); 0: as a check has them
  std::uint8_t lengths = 0;
};

// Folds of floats are grouped as each variant groups them.
inline bool rounds(const problem& p) { return rounds_by(p.op, p.type); }

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

std::span<const variant> cpu_textbook();  // upsweep_textbook

}  // namespace upsweep::detail::segmented_impl
