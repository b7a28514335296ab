#include "lens/counted.hpp"
#include "lens/textbook_variant_entry.hpp"
#include "upsweep/summed_area_table/textbook/rows_then_columns.cuh"
#include "upsweep/summed_area_table/textbook/single_pass.cuh"
#include "upsweep/summed_area_table/textbook/transpose.cuh"
#include "upsweep/summed_area_table/textbook/transpose_padded.cuh"

namespace upsweep::lens {

namespace book = textbook::summed_area_table_variants;

struct integrals {
  using problem = detail::summed_area_table_impl::problem;
  static constexpr auto what = detail::summed_area_table_impl::primitive::summed_area_table;
  template <class Variant>
  static void run(grid& g, const problem& p, const operand_blocks& o) {
    book::with_sums(p, [&]<class In, class T>(type_tag<In>, type_tag<T>) {
      Variant::template run<In, T>(g, at<const In>(o.in), detail::summed_area_table_impl::pitch_of(p), at<T>(o.out),
                                   detail::summed_area_table_impl::out_pitch_of(p), p.size, counted_plus<T>{});
    });
  }
};

template <unsigned block>
using rows_then_columns = book::rows_then_columns<block>;
template <unsigned block>
using transpose = book::transpose<block>;
template <unsigned block>
using transpose_padded = book::transpose_padded<block>;

std::vector<textbook_variant> summed_area_table_variants() {
  return {
      asked<integrals, rows_then_columns, 128, 32, 64, 128>(),
      asked<integrals, transpose, 128, 32, 64, 128>(),
      asked<integrals, transpose_padded, 128, 32, 64, 128>(),
      asked<integrals, book::single_pass, 256, 32, 64, 256>(),
  };
}

}  // namespace upsweep::lens
