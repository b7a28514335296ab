#include "lens/textbook_variant_entry.hpp"
#include "upsweep/scan/textbook/blelloch.cuh"
#include "upsweep/scan/textbook/blelloch_block.cuh"
#include "upsweep/scan/textbook/blelloch_doubly_padded.cuh"
#include "upsweep/scan/textbook/blelloch_padded.cuh"
#include "upsweep/scan/textbook/brent_kung.cuh"
#include "upsweep/scan/textbook/hillis_steele.cuh"
#include "upsweep/scan/textbook/hillis_steele_block.cuh"
#include "upsweep/scan/textbook/kogge_stone_warp.cuh"
#include "upsweep/scan/textbook/scan_sequential.cuh"
#include "upsweep/scan/textbook/sklansky.cuh"
#include "upsweep/scan/textbook/thread_per_output.cuh"

namespace upsweep::lens {

std::vector<textbook_variant> scan_variants() {
  namespace book = textbook::scan_variants;
  constexpr auto what = detail::scan_impl::primitive::scan;
  return {
      single<book::sequential, what>(),
      sized<book::thread_per_output, what, 256, 32, 64, 128, 256, 512, 1024>(),
      sized<book::hillis_steele, what, 256, 32, 64, 128, 256, 512, 1024>(),
      sized<book::hillis_steele_block, what, 256, 32, 64, 128, 256, 512, 1024>(),
      sized<book::kogge_stone_warp, what, 256, 32, 64, 128, 256, 512, 1024>(),
      sized<book::sklansky, what, 256, 32, 64, 128, 256, 512, 1024>(),
      sized<book::brent_kung, what, 256, 32, 64, 128, 256, 512, 1024>(),
      sized<book::blelloch, what, 256, 32, 64, 128, 256, 512, 1024>(),
      sized<book::blelloch_block, what, 1024, 32, 64, 128, 256, 512, 1024>(),
      sized<book::blelloch_padded, what, 1024, 32, 64, 128, 256, 512, 1024>(),
      sized<book::blelloch_doubly_padded, what, 1024, 32, 64, 128, 256, 512, 1024>(),
  };
}

}  // namespace upsweep::lens
