#include "lens/textbook_variant_entry.hpp"
#include "upsweep/reduce/textbook/cooperative_groups.cuh"
#include "upsweep/reduce/textbook/first_add_on_load.cuh"
#include "upsweep/reduce/textbook/fully_unrolled.cuh"
#include "upsweep/reduce/textbook/global_interleaved.cuh"
#include "upsweep/reduce/textbook/global_sequential.cuh"
#include "upsweep/reduce/textbook/grid_stride.cuh"
#include "upsweep/reduce/textbook/interleaved_divergent.cuh"
#include "upsweep/reduce/textbook/interleaved_strided.cuh"
#include "upsweep/reduce/textbook/reduce_sequential.cuh"
#include "upsweep/reduce/textbook/sequential_addressing.cuh"
#include "upsweep/reduce/textbook/unrolled_last_warp.cuh"
#include "upsweep/reduce/textbook/warp_shuffle.cuh"

namespace upsweep::lens {

std::vector<textbook_variant> reduce_variants() {
  namespace book = textbook::reduce_variants;
  constexpr auto what = detail::reduce_impl::primitive::reduce;
  return {
      single<book::sequential, what>(),
      sized<book::global_interleaved, what, 256, 32, 64, 128, 256, 512, 1024>(),
      sized<book::global_sequential, what, 256, 32, 64, 128, 256, 512, 1024>(),
      sized<book::interleaved_divergent, what, 256, 32, 64, 128, 256, 512, 1024>(),
      sized<book::interleaved_strided, what, 256, 32, 64, 128, 256, 512, 1024>(),
      sized<book::sequential_addressing, what, 256, 32, 64, 128, 256, 512, 1024>(),
      sized<book::first_add_on_load, what, 256, 32, 64, 128, 256, 512, 1024>(),
      sized<book::unrolled_last_warp, what, 256, 64, 128, 256, 512, 1024>(),
      single<book::fully_unrolled, what>(),
      sized<book::grid_stride, what, 256, 64, 128, 256, 512>(),
      sized<book::warp_shuffle, what, 256, 32, 64, 128, 256, 512, 1024>(),
      sized<book::cooperative_groups, what, 256, 32, 64, 128, 256, 512, 1024>(),
  };
}

}  // namespace upsweep::lens
