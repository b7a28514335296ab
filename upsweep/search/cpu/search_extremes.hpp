// The minimum or maximum of a built-in type on the CPU: finds its value first, in lanes that compilers vectorise;
// then its index, in the first block that contains it.
#pragma once

#include "upsweep/search/cpu/search_cpu.hpp"
#include "upsweep/sort/sort_order.hpp"

namespace upsweep::cpu {

// Halves are compared as images, all other types directly.
template <bool Greatest, class T>
struct compared_as {
  using type = T;
  static constexpr T worst = Greatest ? lowest_value<T> : max_value<T>;
  static T of(T x) { return x; }
};
template <bool Greatest>
struct compared_as<Greatest, half> {
  using type = std::uint16_t;
  static constexpr type worst = Greatest ? 0 : 0xffff;
  // A NaN's image is all ones; the maximum without NaNs is searched among images in which it is replaced by 0.
  static type of(half x) { return static_cast<type>(Greatest ? order_bits(x) + 1 : order_bits(x)); }
};

// NaNs are skipped: no comparison with them is true.
template <bool Greatest, class T>
typename compared_as<Greatest, T>::type extreme_of(const T* x, std::uint64_t n) {
  using as = compared_as<Greatest, T>;
  using V = typename as::type;
  constexpr std::uint64_t lanes = 64 / sizeof(V);
  V best[lanes];
  for (V& b : best) b = as::worst;
  const auto take = [](V& b, V v) {
    if constexpr (Greatest) {
      b = b < v ? v : b;
    } else {
      b = v < b ? v : b;
    }
  };
  std::uint64_t i = 0;
  for (; i + lanes <= n; i += lanes)
    for (std::uint64_t l = 0; l < lanes; ++l) take(best[l], as::of(x[i + l]));
  for (; i < n; ++i) take(best[0], as::of(x[i]));
  for (std::uint64_t l = 1; l < lanes; ++l) take(best[0], best[l]);
  return best[0];
}

// The first index of the minimum, or maximum, of all elements that are not NaN; 0 if all are NaN, and if n is 0.
template <bool Greatest, class T>
std::uint64_t extreme_place(upsweep::device& d, const T* x, std::uint64_t n) {
  using as = compared_as<Greatest, T>;
  using V = typename as::type;
  std::uint64_t from = 0;
  V best;
  if (n <= search_block) {
    best = cpu::extreme_of<Greatest>(x, n);
  } else {
    const std::uint64_t blocks = block_count(n, search_block);
    block_values<V> values(d, "search/extremes", blocks, as::worst);
    for_each_block(d, blocks, [&](std::uint64_t b, const stop_flag&) {
      values[b] = cpu::extreme_of<Greatest>(x + b * search_block, (std::min)(search_block, n - b * search_block));
    });
    std::uint64_t of = 0;
    for (std::uint64_t b = 1; b < blocks; ++b)
      if (Greatest ? values[of] < values[b] : values[b] < values[of]) of = b;
    best = values[of], from = of * search_block;
  }
  const auto is_best = [best](V v) { return v == best; };
  const auto from_on = [x, is_best](std::uint64_t first) {
    return detail::search_impl::passes_at{[at = x + first](std::uint64_t i) { return as::of(at[i]); }, is_best};
  };
  const std::uint64_t last = (std::min)(n, from + search_block), at = cpu::first_in<256>(from, last, from_on(0));
  if (at < last) return at;
  // A block of only NaNs looks like one of infinities: the search continues after it.
  const std::uint64_t behind = cpu::first_place<256>(d, n - last, from_on(last));
  return behind == n - last ? 0 : last + behind;
}

}  // namespace upsweep::cpu
