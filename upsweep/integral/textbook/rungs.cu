// The textbook of integral, in teaching order. Each rung is one file in textbook/.
#include "upsweep/cuda/rung_entry.cuh"
#include "upsweep/integral/problem.hpp"
#include "upsweep/integral/textbook/rows_then_columns.cuh"
#include "upsweep/integral/textbook/single_pass.cuh"
#include "upsweep/integral/textbook/transpose.cuh"
#include "upsweep/integral/textbook/transpose_padded.cuh"

namespace upsweep::integral_room {

template <class Rung>
void run(device& d, const problem& p) {
  if (p.n == 0) return;
  textbook::stream_grid grid(upsweep::cuda::of(d));
  textbook::integral_rungs::with_sums(p, [&]<class In, class T>(type_tag<In>, type_tag<T>) {
    Rung::template run<In, T>(grid, p.in.as<In>(), pitch_of(p), p.out.as<T>(), out_pitch_of(p), p.size, plus{});
  });
}

template <class Rung>
variant entry() {
  return textbook::rung_entry_for<Rung>(primitive::integral, run<Rung>);
}

std::span<const variant> cuda_textbook() {
  using namespace textbook::integral_rungs;
  static const variant all[]{
      entry<rows_then_columns<>>(),
      entry<transpose<>>(),
      entry<transpose_padded<>>(),
      entry<single_pass<>>(),
  };
  return all;
}

}  // namespace upsweep::integral_room
