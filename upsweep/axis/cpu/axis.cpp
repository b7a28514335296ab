// The CPU's place in the catalog.
#include <array>

#include "upsweep/axis/cpu/builtin.hpp"
#include "upsweep/axis/entries.hpp"

namespace upsweep::axis_room {

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

}  // namespace upsweep::axis_room
