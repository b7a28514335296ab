// folds along an axis: what is computed, typed, and what a call chooses from.
#pragma once

#include "upsweep/axis/lines.hpp"
#include "upsweep/core/dispatch.hpp"

namespace upsweep::axis_room {

enum class primitive : std::uint8_t { axis_reduce, axis_scan };

constexpr std::string_view name_of(primitive p) {
  constexpr std::string_view names[]{"axis-reduce", "axis-scan"};
  return names[static_cast<int>(p)];
}

//   axis-reduce  out[line] = init ∘ the x of that line, along.count() lines
//   axis-scan    out = the scan of each line from init, lying where its elements do; `out` may be exactly `in`
// n is along.elements(). Any other overlap is the caller's error.
struct problem : problem_head, folding {
  primitive what = primitive::axis_reduce;
  bool inclusive = false;  // scans
  memory in, out;
  lines along;
};

inline bool rounds(const problem& p) { return rounds_by(p.op, p.type); }

using variant = variant_of<problem>;
using variant_lists = lists_of<problem>;

// The room's own, backend by backend, and all that a call does with them.
variant_lists variants();
const variant& choose(const target&, const problem&);
bool can_run(const target&, const problem&);
void run(const target&, const problem&);
// Operands in host memory, which a device takes as a whole; done on return.
void run_from_host(const target&, const problem&);

std::span<const variant> cpu();
std::span<const variant> opencl();
std::span<const variant> cuda();

}  // namespace upsweep::axis_room
