#include "lens/counted.hpp"
#include "lens/textbook_variant_entry.hpp"
#include "upsweep/histogram/textbook/global_atomics.cuh"
#include "upsweep/histogram/textbook/lane_private.cuh"
#include "upsweep/histogram/textbook/shared_privatized.cuh"
#include "upsweep/histogram/textbook/sort_based.cuh"

namespace upsweep::lens {

namespace book = textbook::histogram_variants;

struct histograms {
  using problem = detail::histogram_impl::problem;
  static constexpr auto what = detail::histogram_impl::primitive::histogram;
  template <class Variant>
  static void run(grid& g, const problem& p, const operand_blocks& o) {
    using order = textbook::sort_variants::keys_order<std::uint32_t>;
    book::with_bins(p, [&]<class T, class Bins>(type_tag<T>, Bins bins) {
      Variant::template run<T>(g, at<const T>(o.in), at<std::uint64_t>(o.out), p.m, p.n, counted<Bins, T>{bins},
                               counted_order<order, std::uint32_t>{}, counted_plus<std::uint32_t>{});
    });
  }
};

std::vector<textbook_variant> histogram_variants() {
  return {
      asked<histograms, book::global_atomics, 256, 32, 64, 256>(),
      asked<histograms, book::sort_based, 256, 64, 256>(),
      asked<histograms, book::shared_privatized, 256, 32, 64, 256>(),
      asked<histograms, book::lane_private, 256, 32, 64, 256>(),
  };
}

}  // namespace upsweep::lens
