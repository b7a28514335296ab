#include "lens/counted.hpp"
#include "lens/rung_entry.hpp"
#include "upsweep/integral/textbook/rows_then_columns.cuh"
#include "upsweep/integral/textbook/single_pass.cuh"
#include "upsweep/integral/textbook/transpose.cuh"
#include "upsweep/integral/textbook/transpose_padded.cuh"

namespace upsweep::lens {

namespace book = textbook::integral_rungs;

struct integrals {
  using problem = integral_room::problem;
  static constexpr auto what = integral_room::primitive::integral;
  template <class Rung>
  static void run(grid& g, const problem& p, const operand_blocks& o) {
    book::with_sums(p, [&]<class In, class T>(type_tag<In>, type_tag<T>) {
      Rung::template run<In, T>(g, at<const In>(o.in), integral_room::pitch_of(p), at<T>(o.out),
                                integral_room::out_pitch_of(p), p.size, counted_plus<T>{});
    });
  }
};

template <unsigned block>
using rows_then_columns = book::rows_then_columns<block>;
template <unsigned block>
using transpose = book::transpose<block>;
template <unsigned block>
using transpose_padded = book::transpose_padded<block>;

std::vector<rung> integral_rungs() {
  return {
      asked<integrals, rows_then_columns, 128, 32, 64, 128>(),
      asked<integrals, transpose, 128, 32, 64, 128>(),
      asked<integrals, transpose_padded, 128, 32, 64, 128>(),
      asked<integrals, book::single_pass, 256, 32, 64, 256>(),
  };
}

}  // namespace upsweep::lens
