// The textbook of select, in teaching order. Each rung is one file in textbook/.
#include "upsweep/cuda/rung_entry.cuh"
#include "upsweep/select/problem.hpp"
#include "upsweep/select/textbook/lookback.cuh"
#include "upsweep/select/textbook/scan_scatter.cuh"
#include "upsweep/select/textbook/warp_aggregated.cuh"

namespace upsweep::select_room {

template <class Rung>
void run(device& d, const problem& p) {
  textbook::stream_grid grid(upsweep::cuda::of(d));
  const auto count = p.count.as<std::uint64_t>();
  if (p.n == 0) return grid.launch(textbook::clear_cells<std::uint64_t>, 1, 1, count, 1);
  textbook::select_rungs::with_test(p, [&]<class T>(compared<T> keeps) {
    Rung::template run<T>(grid, p.in.as<T>(), p.out.as<T>(), count, p.n, keeps, plus{});
  });
}

template <class Rung>
variant entry() {
  return textbook::rung_entry_for<Rung>(primitive::select, run<Rung>);
}

std::span<const variant> cuda_textbook() {
  using namespace textbook::select_rungs;
  static const variant all[]{
      entry<scan_scatter<>>(),
      entry<warp_aggregated<>>(),
      entry<lookback<>>(),
  };
  return all;
}

}  // namespace upsweep::select_room
