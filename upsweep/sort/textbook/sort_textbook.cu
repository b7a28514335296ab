// The textbook variants of sort, in teaching order. Each is one file in textbook/.
#include "upsweep/cuda/textbook_catalog_entry.cuh"
#include "upsweep/sort/sort_problem.hpp"
#include "upsweep/sort/textbook/bitonic.cuh"
#include "upsweep/sort/textbook/merge_path.cuh"
#include "upsweep/sort/textbook/odd_even_merge.cuh"
#include "upsweep/sort/textbook/quicksort.cuh"
#include "upsweep/sort/textbook/radix_1bit.cuh"
#include "upsweep/sort/textbook/radix_4bit_block.cuh"
#include "upsweep/sort/textbook/radix_reduce_then_scan.cuh"
#include "upsweep/sort/textbook/sort_onesweep.cuh"

namespace upsweep::detail::sort_impl {

// How long a key is matters to those that go by its digits. The others, which compare, are compiled for 4 bytes alone.
template <class Variant>
inline constexpr bool takes_long_keys = requires { Variant::by_digits; };

template <class Variant>
void run(device& d, const problem& p) {
  if (p.n == 0) return;
  textbook::stream_grid grid(upsweep::cuda::of(d));
  textbook::sort_variants::with_keys(p, [&]<class Key>(textbook::sort_variants::keys_order<Key> order) {
    if constexpr (sizeof(Key) == 4 || takes_long_keys<Variant>)
      Variant::template run<Key>(grid, p.in.as<Key>(), p.out.as<Key>(), p.n, order, plus{});
  });
}

template <class Variant>
variant entry() {
  variant v = textbook::textbook_entry_for<Variant>(primitive::sort, run<Variant>);
  if constexpr (!takes_long_keys<Variant>) {
    v.cannot = [](const problem& p) { return size_of(p.type) == 8 ? "keys of 8 bytes" : Variant::cannot(p); };
    static const std::string limits = [] {
      std::string words(Variant::limits);
      return words.replace(words.find("4 or 8 bytes"), 12, "4 bytes");
    }();
    v.limits = limits;
  }
  return v;
}

std::span<const variant> cuda_textbook() {
  using namespace textbook::sort_variants;
  static const variant all[]{
      entry<bitonic<>>(),
      entry<odd_even_merge<>>(),
      entry<quicksort<>>(),
      entry<merge_path<>>(),
      entry<radix_1bit<>>(),
      entry<radix_4bit_block<>>(),
      entry<radix_reduce_then_scan<>>(),
      entry<onesweep<>>(),
  };
  return all;
}

}  // namespace upsweep::detail::sort_impl
