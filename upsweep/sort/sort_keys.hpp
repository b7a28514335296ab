// Keys for the conformance tests and the bench of the sort: computed from their positions alone, so that any part of
// them can be generated on its own.
#pragma once

#include <cmath>

#include "upsweep/conformance/conformance.hpp"
#include "upsweep/sort/sort_order.hpp"

namespace upsweep::detail::sort_impl {

constexpr std::uint64_t mixed(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15u;
  x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
  x = (x ^ x >> 27) * 0x94d049bb133111ebu;
  return x ^ x >> 31;
}
constexpr std::uint64_t mixed(std::uint64_t seed, std::uint64_t i) { return mixed(mixed(seed) ^ i); }

// The key of a given image: for floats, of the images that are not a NaN's.
template <key_order Order, class U>
constexpr U key_of_image(U image) {
  constexpr U top = static_cast<U>(U{1} << (8 * sizeof(U) - 1));
  if constexpr (Order == key_order::plain) return image;
  if constexpr (Order == key_order::with_sign) return static_cast<U>(image ^ top);
  return image >= top ? static_cast<U>(image - top) : static_cast<U>(U{0} - image);
}

template <class T>
struct key_maker {
  using U = order_image<T>;
  static constexpr bool floating = order_for<T> == key_order::floating;
  static constexpr unsigned width = 8 * sizeof(U);
  static constexpr U top = static_cast<U>(U{1} << (width - 1));

  std::uint64_t seed = 1;
  unsigned first_bit = 0, last_bit = width;  // of the order that `ranked` follows
  bool numbers_only =
      false;  // else there are NaNs of many payloads, infinities, both zeros, and the ends of the integers

  // Some key or other, by a random number.
  U any(std::uint64_t random) const {
    const U bits = static_cast<U>(mixed(random));  // of `random` itself the low bits decide what is below
    if (numbers_only) {
      if constexpr (floating)
        if ((bits & infinity_bits<U>) == infinity_bits<U>)
          return static_cast<U>(bits ^ (infinity_bits<U> & ~(infinity_bits<U> >> 1)));
      return bits;
    }
    if ((random & 15) != 0) return bits;
    const U sign = static_cast<U>(bits & top);
    switch (random >> 4 & 7) {
      case 0:
      case 1: return floating ? sign : U{0};
      case 2: return floating ? static_cast<U>(sign | infinity_bits<U>) : static_cast<U>(~U{0});
      case 3:
      case 4: return floating ? static_cast<U>(bits | infinity_bits<U> | 1) : top;
      case 5: return floating ? static_cast<U>(~U{0}) : static_cast<U>(~top);
      case 6: return static_cast<U>(sign | 1);
      default: return static_cast<U>(sign | 3);
    }
  }

  // The key at position `rank` of `of` in ascending order; `random` chooses among the keys that may be there. With
  // `one_a_rank` `random` only chooses among keys that are equal in that order, and the rank chooses among the
  // others.
  U ranked(std::uint64_t rank, std::uint64_t of, std::uint64_t random, bool one_a_rank = false) const {
    if (floating && !numbers_only) {
      if (rank >= of - of / 16) return static_cast<U>(static_cast<U>(random) | infinity_bits<U> | 1);  // a NaN
      if (rank >= of / 2 - of / 32 && rank < of / 2 + of / 32)
        return static_cast<U>(static_cast<U>(random) & top);  // a zero
    }
    const U infinity = infinity_bits<U>;
    const unsigned bits = floating ? width : last_bit - first_bit;
    const U lowest = floating ? static_cast<U>(top - infinity + numbers_only) : U{0};
    using wide = unsigned __int128;
    const wide places = floating ? 2 * (wide{infinity} - numbers_only) + 1 : wide{1} << bits;
    const auto space = static_cast<std::uint64_t>(places / of);
    const auto place =
        static_cast<std::uint64_t>(places * rank / of) + (space > 1 ? (one_a_rank ? mixed(rank) : random) % space : 0);
    U image = static_cast<U>(lowest + static_cast<U>(place));
    if (!floating && bits < width) {
      const U counted = order_window<U>(first_bit, last_bit, false).mask;
      image =
          static_cast<U>((static_cast<U>(image << first_bit) & counted) | (static_cast<U>(mixed(random)) & ~counted));
    }
    return key_of_image<order_for<T>>(image);
  }

  // Key i of n; `backwards`: the requested order is descending.
  U key(input_kind kind, std::uint64_t i, std::uint64_t n, bool backwards) const {
    const std::uint64_t random = mixed(seed, i);
    switch (kind) {
      case input_kind::uniform: return any(random);
      case input_kind::sorted: return ranked(backwards ? n - 1 - i : i, n, random);
      case input_kind::reversed: return ranked(backwards ? i : n - 1 - i, n, random);
      case input_kind::few: return any(mixed(~seed, random % 10));
      case input_kind::zipf: {
        // The key of rank r comes with a probability near 1/r.
        const double u = static_cast<double>(random >> 11) * 0x1p-53;
        return any(mixed(~seed, static_cast<std::uint64_t>(std::exp(u * std::log(static_cast<double>(n) + 1)))));
      }
      case input_kind::constant: break;
    }
    return any(mixed(~seed, 0));
  }
};

}  // namespace upsweep::detail::sort_impl
