#include "lens/textbook_variant_entry.hpp"
#include "upsweep/scan/textbook/decoupled_lookback.cuh"
#include "upsweep/scan/textbook/reduce_then_scan.cuh"
#include "upsweep/scan/textbook/scan_then_propagate.cuh"

namespace upsweep::lens {

namespace book = textbook::scan_variants;

// Nine elements a thread, as on the device.
template <unsigned block>
using scan_then_propagate = book::scan_then_propagate<block>;
template <unsigned block>
using reduce_then_scan = book::reduce_then_scan<block>;
template <unsigned block>
using decoupled_lookback = book::decoupled_lookback<block>;

std::vector<textbook_variant> scan_tile_variants() {
  constexpr auto what = detail::scan_impl::primitive::scan;
  return {
      sized<scan_then_propagate, what, 256, 32, 64, 128, 256, 512>(),
      sized<reduce_then_scan, what, 256, 32, 64, 128, 256, 512>(),
      sized<decoupled_lookback, what, 256, 32, 64, 128, 256, 512>(),
  };
}

}  // namespace upsweep::lens
