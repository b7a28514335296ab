// Folds along an axis: the typed description of a call, and the variants that it chooses from.
#pragma once

#include "upsweep/axis/axis_layout.hpp"
#include "upsweep/core/dispatch.hpp"

namespace upsweep::detail::axis_impl {

enum class primitive : std::uint8_t { axis_reduce, axis_scan };

constexpr std::string_view name_of(primitive p) {
  constexpr std::string_view names[]{"axis-reduce", "axis-scan"};
  return names[static_cast<int>(p)];
}

//   axis-reduce  out[line] = init ∘ the x of that line, along.count() lines
//   axis-scan    out = the scan of each line from init, stored where the line's elements are; `out` may be exactly `in`
// n is along.elements(). No other overlap is allowed.
struct problem : problem_head, folding {
  primitive what = primitive::axis_reduce;
  bool inclusive = false;  // scans
  memory in, out;
  lines along;
};

inline bool rounds(const problem& p) { return rounds_by(p.op, p.type); }

using variant = variant_of<problem>;
using variant_lists = lists_of<problem>;

// This algorithm's variants, all and by backend, and the functions that choose and run one.
variant_lists variants();
const variant& choose(const target&, const problem&);
bool can_run(const target&, const problem&);
void run(const target&, const problem&);
// For operands in host memory, which is copied to a device as a whole; done on return.
void run_from_host(const target&, const problem&);

std::span<const variant> cpu();
std::span<const variant> opencl();
std::span<const variant> cuda();

}  // namespace upsweep::detail::axis_impl
