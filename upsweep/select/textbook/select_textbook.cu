// The textbook variants of select, in teaching order. Each is one file in textbook/.
#include "upsweep/cuda/textbook_catalog_entry.cuh"
#include "upsweep/select/select_problem.hpp"
#include "upsweep/select/textbook/lookback.cuh"
#include "upsweep/select/textbook/scan_scatter.cuh"
#include "upsweep/select/textbook/warp_aggregated.cuh"

namespace upsweep::detail::select_impl {

template <class Variant>
void run(device& d, const problem& p) {
  textbook::stream_grid grid(upsweep::cuda::of(d));
  const auto count = p.count.as<std::uint64_t>();
  if (p.n == 0) return grid.launch(textbook::clear_cells<std::uint64_t>, 1, 1, count, 1);
  textbook::select_variants::with_test(p, [&]<class T>(compared<T> keeps) {
    Variant::template run<T>(grid, p.in.as<T>(), p.out.as<T>(), count, p.n, keeps, plus{});
  });
}

template <class Variant>
variant entry() {
  return textbook::textbook_entry_for<Variant>(primitive::select, run<Variant>);
}

std::span<const variant> cuda_textbook() {
  using namespace textbook::select_variants;
  static const variant all[]{
      entry<scan_scatter<>>(),
      entry<warp_aggregated<>>(),
      entry<lookback<>>(),
  };
  return all;
}

}  // namespace upsweep::detail::select_impl
