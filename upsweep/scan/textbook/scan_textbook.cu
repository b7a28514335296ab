// The textbook variants of scan, in teaching order. Each variant is one file in textbook/.
#include "upsweep/cuda/textbook_catalog_entry.cuh"
#include "upsweep/scan/scan_problem.hpp"
#include "upsweep/scan/textbook/blelloch.cuh"
#include "upsweep/scan/textbook/blelloch_block.cuh"
#include "upsweep/scan/textbook/blelloch_doubly_padded.cuh"
#include "upsweep/scan/textbook/blelloch_padded.cuh"
#include "upsweep/scan/textbook/brent_kung.cuh"
#include "upsweep/scan/textbook/decoupled_lookback.cuh"
#include "upsweep/scan/textbook/hillis_steele.cuh"
#include "upsweep/scan/textbook/hillis_steele_block.cuh"
#include "upsweep/scan/textbook/kogge_stone_warp.cuh"
#include "upsweep/scan/textbook/reduce_then_scan.cuh"
#include "upsweep/scan/textbook/scan_sequential.cuh"
#include "upsweep/scan/textbook/scan_then_propagate.cuh"
#include "upsweep/scan/textbook/sklansky.cuh"
#include "upsweep/scan/textbook/thread_per_output.cuh"

namespace upsweep::detail::scan_impl {

template <class Variant>
variant entry() {
  return textbook::textbook_entry<Variant>(primitive::scan, textbook::run_scan<Variant>);
}

std::span<const variant> cuda_textbook() {
  using namespace textbook::scan_variants;
  static const variant all[]{
      entry<sequential>(),
      entry<thread_per_output<>>(),
      entry<hillis_steele<>>(),
      entry<hillis_steele_block<>>(),
      entry<kogge_stone_warp<>>(),
      entry<sklansky<>>(),
      entry<brent_kung<>>(),
      entry<blelloch<>>(),
      entry<blelloch_block<>>(),
      entry<blelloch_padded<>>(),
      entry<blelloch_doubly_padded<>>(),
      entry<scan_then_propagate<>>(),
      entry<reduce_then_scan<>>(),
      entry<decoupled_lookback<>>(),
  };
  return all;
}

}  // namespace upsweep::detail::scan_impl
