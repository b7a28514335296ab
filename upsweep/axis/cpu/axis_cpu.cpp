// The CPU's entries in the catalog.
#include <array>

#include "upsweep/axis/axis_entries.hpp"
#include "upsweep/axis/cpu/axis_cpu_builtin.hpp"

namespace upsweep::detail::axis_impl {

std::span<const variant> cpu() {
  constexpr backend here = backend::cpu;
  constexpr formula span{"n", [](double n) { return n; }};
  static const std::array list{
      entry(here, primitive::axis_reduce, "axis-reduce/blocks",
            "Blocks of neighbouring lines, row by row; long rows as segments, by vectors.", span, reduce_on_cpu),
      entry(here, primitive::axis_scan, "axis-scan/blocks",
            "Blocks of neighbouring lines, row by row; long rows as segments, by vectors.", span, scan_on_cpu),
  };
  return list;
}

}  // namespace upsweep::detail::axis_impl
