// The textbook variants of convolve, in teaching order. Each is one file in textbook/.
#include "upsweep/convolve/convolve_problem.hpp"
#include "upsweep/convolve/textbook/constant_mask.cuh"
#include "upsweep/convolve/textbook/convolve_register_blocked.cuh"
#include "upsweep/convolve/textbook/convolve_shared_tile.cuh"
#include "upsweep/convolve/textbook/naive.cuh"
#include "upsweep/convolve/textbook/picture_naive.cuh"
#include "upsweep/convolve/textbook/picture_register_blocked.cuh"
#include "upsweep/convolve/textbook/picture_separable.cuh"
#include "upsweep/convolve/textbook/picture_shared_tile.cuh"
#include "upsweep/cuda/textbook_catalog_entry.cuh"

namespace upsweep::detail::convolve_impl {

template <class Variant>
void run(device& d, const problem& p) {
  if (out_size(p).count() == 0) return;
  textbook::stream_grid grid(upsweep::cuda::of(d));
  textbook::convolve_variants::with_elements(p, [&]<class T>(type_tag<T>) {
    Variant::template run<T>(grid, p.in.as<T>(), p.in2.as<T>(), p.in3.as<T>(), p.out.as<T>(),
                             textbook::convolve_variants::shape_of(p), textbook::convolve_variants::multiply_add{});
  });
}

template <class Variant>
variant entry() {
  return textbook::textbook_entry_for<Variant>(primitive::convolve, run<Variant>);
}

std::span<const variant> cuda_textbook() {
  using namespace textbook::convolve_variants;
  static const variant all[]{
      entry<naive<>>(),
      entry<constant_mask<>>(),
      entry<shared_tile<>>(),
      entry<register_blocked<>>(),
      entry<picture_naive<>>(),
      entry<picture_shared_tile<>>(),
      entry<picture_separable<>>(),
      entry<picture_register_blocked<>>(),
  };
  return all;
}

}  // namespace upsweep::detail::convolve_impl
