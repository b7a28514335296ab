// The textbook variants of integral, in teaching order. Each variant is one file in textbook/.
#include "upsweep/cuda/textbook_catalog_entry.cuh"
#include "upsweep/summed_area_table/summed_area_table_problem.hpp"
#include "upsweep/summed_area_table/textbook/rows_then_columns.cuh"
#include "upsweep/summed_area_table/textbook/single_pass.cuh"
#include "upsweep/summed_area_table/textbook/transpose.cuh"
#include "upsweep/summed_area_table/textbook/transpose_padded.cuh"

namespace upsweep::detail::summed_area_table_impl {

template <class Variant>
void run(device& d, const problem& p) {
  if (p.n == 0) return;
  textbook::stream_grid grid(upsweep::cuda::of(d));
  textbook::summed_area_table_variants::with_sums(p, [&]<class In, class T>(type_tag<In>, type_tag<T>) {
    Variant::template run<In, T>(grid, p.in.as<In>(), pitch_of(p), p.out.as<T>(), out_pitch_of(p), p.size, plus{});
  });
}

template <class Variant>
variant entry() {
  return textbook::textbook_entry_for<Variant>(primitive::summed_area_table, run<Variant>);
}

std::span<const variant> cuda_textbook() {
  using namespace textbook::summed_area_table_variants;
  static const variant all[]{
      entry<rows_then_columns<>>(),
      entry<transpose<>>(),
      entry<transpose_padded<>>(),
      entry<single_pass<>>(),
  };
  return all;
}

}  // namespace upsweep::detail::summed_area_table_impl
