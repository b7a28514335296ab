#include "lens/rung_entry.hpp"
#include "upsweep/scan/textbook/decoupled_lookback.cuh"
#include "upsweep/scan/textbook/reduce_then_scan.cuh"
#include "upsweep/scan/textbook/scan_then_propagate.cuh"

namespace upsweep::lens {

namespace book = textbook::scan_rungs;

// Nine elements a thread, as on the device.
template <unsigned block>
using scan_then_propagate = book::scan_then_propagate<block>;
template <unsigned block>
using reduce_then_scan = book::reduce_then_scan<block>;
template <unsigned block>
using decoupled_lookback = book::decoupled_lookback<block>;

std::vector<rung> scan_tile_rungs() {
  constexpr auto what = scan_room::primitive::scan;
  return {
      sized<scan_then_propagate, what, 256, 32, 64, 128, 256, 512>(),
      sized<reduce_then_scan, what, 256, 32, 64, 128, 256, 512>(),
      sized<decoupled_lookback, what, 256, 32, 64, 128, 256, 512>(),
  };
}

}  // namespace upsweep::lens
