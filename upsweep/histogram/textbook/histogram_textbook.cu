// The textbook variants of histogram, in teaching order. Each is one file in textbook/.
#include "upsweep/cuda/textbook_catalog_entry.cuh"
#include "upsweep/histogram/histogram_problem.hpp"
#include "upsweep/histogram/textbook/global_atomics.cuh"
#include "upsweep/histogram/textbook/lane_private.cuh"
#include "upsweep/histogram/textbook/shared_privatized.cuh"
#include "upsweep/histogram/textbook/sort_based.cuh"

namespace upsweep::detail::histogram_impl {

template <class Variant>
void run(device& d, const problem& p) {
  textbook::stream_grid grid(upsweep::cuda::of(d));
  const auto counts = p.out.as<std::uint64_t>();
  if (p.n == 0)
    return grid.launch(textbook::clear_cells<std::uint64_t>, textbook::blocks_for(p.m, 256), 256, counts, p.m);
  textbook::histogram_variants::with_bins(p, [&]<class T, class Bins>(type_tag<T>, Bins bins) {
    Variant::template run<T>(grid, p.in.as<T>(), counts, p.m, p.n, bins,
                             textbook::sort_variants::keys_order<std::uint32_t>{}, plus{});
  });
}

template <class Variant>
variant entry() {
  return textbook::textbook_entry_for<Variant>(primitive::histogram, run<Variant>);
}

std::span<const variant> cuda_textbook() {
  using namespace textbook::histogram_variants;
  static const variant all[]{
      entry<global_atomics<>>(),
      entry<sort_based<>>(),
      entry<shared_privatized<>>(),
      entry<lane_private<>>(),
  };
  return all;
}

}  // namespace upsweep::detail::histogram_impl
