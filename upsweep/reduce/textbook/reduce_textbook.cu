// The textbook variants of reduce, in teaching order. Each variant is one file in textbook/.
#include "upsweep/cuda/textbook_catalog_entry.cuh"
#include "upsweep/reduce/reduce_problem.hpp"
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

namespace upsweep::detail::reduce_impl {

template <class Variant>
variant entry() {
  return textbook::textbook_entry<Variant>(primitive::reduce, textbook::run_reduce<Variant>);
}

std::span<const variant> cuda_textbook() {
  using namespace textbook::reduce_variants;
  static const variant all[]{
      entry<sequential>(),
      entry<global_interleaved<>>(),
      entry<global_sequential<>>(),
      entry<interleaved_divergent<>>(),
      entry<interleaved_strided<>>(),
      entry<sequential_addressing<>>(),
      entry<first_add_on_load<>>(),
      entry<unrolled_last_warp<>>(),
      entry<fully_unrolled>(),
      entry<grid_stride<>>(),
      entry<warp_shuffle<>>(),
      entry<textbook::reduce_variants::cooperative_groups<>>(),
  };
  return all;
}

}  // namespace upsweep::detail::reduce_impl
