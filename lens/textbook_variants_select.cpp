#include "lens/counted.hpp"
#include "lens/textbook_variant_entry.hpp"
#include "upsweep/select/textbook/lookback.cuh"
#include "upsweep/select/textbook/scan_scatter.cuh"
#include "upsweep/select/textbook/warp_aggregated.cuh"

namespace upsweep::lens {

namespace book = textbook::select_variants;

struct selects {
  using problem = detail::select_impl::problem;
  static constexpr auto what = detail::select_impl::primitive::select;
  template <class Variant>
  static void run(grid& g, const problem& p, const operand_blocks& o) {
    book::with_test(p, [&]<class T>(compared<T> keeps) {
      Variant::template run<T>(g, at<const T>(o.in), at<T>(o.out), at<std::uint64_t>(o.count), p.n,
                               counted<compared<T>, T>{keeps}, counted_plus<std::uint32_t>{});
    });
  }
};

template <unsigned block>
using warp_aggregated = book::warp_aggregated<block>;
template <unsigned block>
using lookback = book::lookback<block>;

std::vector<textbook_variant> select_variants() {
  return {
      asked<selects, book::scan_scatter, 256, 32, 64, 256>(),
      asked<selects, warp_aggregated, 256, 32, 64, 256>(),
      asked<selects, lookback, 256, 32, 64, 256>(),
  };
}

}  // namespace upsweep::lens
