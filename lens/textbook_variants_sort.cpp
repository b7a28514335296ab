#include "lens/counted.hpp"
#include "lens/textbook_variant_entry.hpp"
#include "upsweep/sort/textbook/bitonic.cuh"
#include "upsweep/sort/textbook/merge_path.cuh"
#include "upsweep/sort/textbook/odd_even_merge.cuh"
#include "upsweep/sort/textbook/quicksort.cuh"
#include "upsweep/sort/textbook/radix_1bit.cuh"
#include "upsweep/sort/textbook/radix_4bit_block.cuh"
#include "upsweep/sort/textbook/radix_reduce_then_scan.cuh"
#include "upsweep/sort/textbook/sort_onesweep.cuh"

namespace upsweep::lens {

namespace book = textbook::sort_variants;

struct sorts {
  using problem = detail::sort_impl::problem;
  static constexpr auto what = detail::sort_impl::primitive::sort;
  template <class Variant>
  static void run(grid& g, const problem& p, const operand_blocks& o) {
    book::with_keys(p, [&]<class Key>(book::keys_order<Key> order) {
      Variant::template run<Key>(g, at<const Key>(o.in), at<Key>(o.out), p.n,
                                 counted_order<book::keys_order<Key>, Key>{order}, counted_plus<std::uint32_t>{});
    });
  }
};

template <unsigned block>
using radix_4bit_block = book::radix_4bit_block<block>;
template <unsigned block>
using radix_reduce_then_scan = book::radix_reduce_then_scan<block>;
template <unsigned block>
using onesweep = book::onesweep<block>;
template <unsigned block>
using merge_path = book::merge_path<block>;
template <unsigned block>
using quicksort = book::quicksort<block>;

std::vector<textbook_variant> sort_variants() {
  return {
      asked<sorts, book::bitonic, 512, 32, 128, 512>(),
      asked<sorts, book::odd_even_merge, 512, 32, 128, 512>(),
      asked<sorts, quicksort, 512, 64, 128, 512>(),
      asked<sorts, merge_path, 256, 32, 64, 256>(),
      asked<sorts, book::radix_1bit, 256, 64, 256>(),
      asked<sorts, radix_4bit_block, 256, 32, 64, 256>(),
      asked<sorts, radix_reduce_then_scan, 256, 32, 64, 256>(),
      asked<sorts, onesweep, 256, 32, 64, 256>(),
  };
}

}  // namespace upsweep::lens
